// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/entry.hpp"

#include <boost/container_hash/hash.hpp>
#include <boost/unordered/unordered_flat_set.hpp>

#include <cstddef>
#include <string_view>

namespace foliot::engine {

/// A timer's name, by reference.
struct key_view {
    std::string_view ns;
    std::string_view id;

    friend bool operator==(const key_view&, const key_view&) = default;
};

struct key_hash {
    using is_transparent = void;
    std::size_t operator()(const key_view& k) const {
        std::size_t seed = boost::hash<std::string_view>{}(k.ns);
        boost::hash_combine(seed, k.id);
        return seed;
    }
    std::size_t operator()(const entry* e) const { return (*this)(key_view{e->ns(), e->id()}); }
    std::size_t operator()(const store::timer_key& k) const {
        return (*this)(key_view{k.ns, k.id});
    }
};

struct key_equal {
    using is_transparent = void;
    static key_view view(const entry* e) { return {e->ns(), e->id()}; }
    static key_view view(const key_view& k) { return k; }
    static key_view view(const store::timer_key& k) { return {k.ns, k.id}; }
    template <class A, class B>
    bool operator()(const A& a, const B& b) const {
        return view(a) == view(b);
    }
};

/// The entries by name: at most one an id, the newest.
class timer_table {
public:
    [[nodiscard]] entry* find(const key_view& k) const {
        const auto at = entries_.find(k);
        return at == entries_.end() ? nullptr : *at;
    }

    /// `e` takes the place of an older entry with its name, if there is one.
    void put(entry& e) {
        if (entry* old = find({e.ns(), e.id()})) take_out(*old);
        entries_.insert(&e);
        e.in_table = true;
    }

    void take_out(entry& e) {
        if (!e.in_table) return;
        entries_.erase(entries_.find(&e));
        e.in_table = false;
    }

    void clear() { entries_ = {}; }

private:
    boost::unordered_flat_set<entry*, key_hash, key_equal> entries_;
};

}  // namespace foliot::engine

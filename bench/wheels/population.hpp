// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../common/arena.hpp"
#include "contender.hpp"
#include "model.hpp"

#include <cstdint>
#include <stdexcept>

namespace bench {

/// A fresh model, and n objects in the arena; all is cleared and unmade at the end of the turn.
template <model M>
class population {
public:
    population(arena& memory, std::uint64_t n)
        : objects_(static_cast<typename M::object*>(memory.data())), n_(n) {
        if (n * sizeof(typename M::object) > memory.bytes()) throw std::length_error("arena");
        for (std::uint64_t id = 0; id < n; ++id) queue.make(objects_ + id, id);
    }
    population(const population&) = delete;
    population& operator=(const population&) = delete;
    ~population() {
        queue.clear();
        for (std::uint64_t id = 0; id < n_; ++id) queue.unmake(objects_[id]);
    }

    typename M::object& operator[](std::uint64_t id) { return objects_[id]; }

    /// Of what is pending: which object, until when.
    std::uint64_t checksum() {
        std::uint64_t sum = 0;
        for (std::uint64_t id = 0; id < n_; ++id) {
            if (const auto due = queue.due(objects_[id])) sum += mix(objects_[id].id, *due);
        }
        return sum;
    }

    M queue{start_tick};

private:
    typename M::object* objects_;
    std::uint64_t n_;
};

}  // namespace bench

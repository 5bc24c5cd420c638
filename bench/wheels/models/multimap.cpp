// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "../model_contender.hpp"
#include "all.hpp"

#include <map>
#include <new>
#include <utility>

namespace bench {

namespace {

struct map_hook;
using timer_map = std::multimap<std::uint64_t, map_hook*>;

struct map_hook {
    timer_map::iterator place;
};

/// std::multimap by due. The object keeps its iterator, and a node is taken out and put back rather
/// than freed and allocated.
class ordered_map {
public:
    using object = caller_object<map_hook>;
    static constexpr std::string_view name = "multimap";
    static constexpr std::size_t hook_bytes = sizeof(map_hook);
    static constexpr std::uint64_t largest_n = a_million;

    explicit ordered_map(std::uint64_t) {}

    object* make(void* where, std::uint64_t id) { return new (where) object{{map_.end()}, id}; }
    void unmake(object&) {}

    void schedule(object& o, std::uint64_t due) { o.place = map_.emplace(due, &o); }
    void replace(object& o, std::uint64_t due) {
        auto node = map_.extract(o.place);
        node.key() = due;
        o.place = map_.insert(std::move(node));
    }
    void push_later(object& o, std::uint64_t due) { replace(o, due); }

    std::optional<std::uint64_t> due(const object& o) const {
        if (o.place == map_.end()) return std::nullopt;
        return o.place->first;
    }
    void clear() { map_.clear(); }

    template <class Sink>
    work advance(std::uint64_t now, Sink&& sink) {
        work done;
        while (!map_.empty() && map_.begin()->first <= now) {
            auto& o = static_cast<object&>(*map_.begin()->second);
            map_.erase(map_.begin());
            o.place = map_.end();
            ++done.fired;
            sink(o);
        }
        return done;
    }

    std::optional<std::uint64_t> next_wakeup() const {
        if (map_.empty()) return std::nullopt;
        return map_.begin()->first;
    }

private:
    timer_map map_;
};

}  // namespace

std::unique_ptr<contender> make_multimap() {
    return std::make_unique<model_contender<ordered_map>>();
}

}  // namespace bench

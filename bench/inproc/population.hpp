// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../common/arena.hpp"
#include "contender.hpp"
#include "model.hpp"
#include "turn_log.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <stdexcept>

namespace bench {

/// Every so many operations a library's loop has its turn.
constexpr std::size_t ops_per_turn = 256;

/// The objects of one thread, in its part of the arena, and its seat at the model.
template <model M>
class population {
public:
    using object = typename M::object;

    population(M& shared, arena& memory, unsigned number, std::uint64_t n)
        : seat(shared), objects_(static_cast<object*>(memory.data()) + number * n), n_(n) {
        if ((number + 1) * n * sizeof(object) > memory.bytes()) throw std::length_error("arena");
        const auto first = static_cast<std::uint32_t>(number * n);
        for (std::uint32_t i = 0; i < n; ++i) seat.make(objects_ + i, first + i);
    }
    population(const population&) = delete;
    population& operator=(const population&) = delete;
    ~population() {
        for (std::uint64_t i = 0; i < n_; ++i) seat.unmake(objects_[i]);
    }

    object& operator[](std::uint64_t i) { return objects_[i]; }
    [[nodiscard]] std::span<object> all() { return {objects_, n_}; }

    /// Calls f(seat, object, op) for each of the operations; the loop has its turn in between.
    /// Each turn is noted in the log.
    template <class F>
    void each(std::span<const op> ops, turn_log& log, F f) {
        while (!ops.empty()) {
            const auto some = ops.first(std::min(ops.size(), ops_per_turn));
            log.add(some);
            seat.turn([&] {
                for (const op o : some) f(seat, objects_[o.pick], o);
            });
            ops = ops.subspan(some.size());
        }
    }

    typename M::seat seat;

private:
    object* objects_;
    std::uint64_t n_;
};

}  // namespace bench

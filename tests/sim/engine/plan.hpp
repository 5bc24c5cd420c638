// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/options.hpp"
#include "sim/engine/random.hpp"

#include <cstdint>
#include <string>

namespace foliot::sim {

/// A promise that is broken on purpose, to prove that its checker sees it.
enum class canary : std::uint8_t {
    none,
    lost_write,      ///< the store forgets one row of a commit, now and then
    fast_clock,      ///< the engine's boot clock runs 2 % too fast
    second_lease,    ///< a delivery is given to another consumer too
    unheard_cancel,  ///< a cancel is answered, and the engine never hears of it
    open_fence,      ///< the store lets old epochs write
    moved_due,       ///< rows that are read at the start are due later
    wide_window,     ///< the engine holds four times as much as it was told to
    miscounted,      ///< the store keeps an old count, now and then
};

/// What is in force in one run: drawn from the seed first of all ("swarm testing": runs in which
/// most kinds of trouble are absent reach states that a mixture of all never does). 1-in-n rates;
/// 0 is never.
struct plan {
    std::uint64_t seed = 0;
    canary planted = canary::none;

    engine::options options;

    unsigned rounds = 2;      ///< of trouble, each followed by calm, and by a look at all rows
    unsigned requests = 150;  ///< in a round
    ns pace{};                ///< between requests, at most
    unsigned ids = 20;
    unsigned queues = 1;
    ns near_delay{};                ///< most dues are up to here from now
    ns far_delay{};                 ///< some up to here
    std::uint64_t far_share = 0;    ///< 1 in n
    std::uint64_t wall_share = 0;   ///< by the wall clock, 1 in n
    std::uint64_t burst_share = 0;  ///< a request begins a burst at one due, 1 in n
    std::size_t padding = 0;        ///< bytes of a payload, at most

    struct weights {
        unsigned set = 10, cancel = 0, get = 0, list = 0, dead = 0, batch = 0, wrong = 0;
    } commands;
    std::uint64_t conditions = 0;

    unsigned consumers = 1;
    std::size_t lease_max = 1;
    ms lease{};
    ms wait{};
    struct fates {
        unsigned ack = 10, slow = 0, dies = 0, nack = 0, extend = 0, old_token = 0, late = 0;
    } deliveries;

    struct network {
        ns delay{};
        std::uint64_t lost_request = 0, lost_reply = 0, twice = 0;
    } net;

    struct store_faults {
        ns delay{};
        std::uint64_t error_before = 0, error_after = 0, stall = 0, broken = 0;
        bool os_cache = false;
        bool late_writers = false;  ///< writes of an engine that is gone still reach the disk
    } store;

    ns trouble_every{};  ///< a mean; one of these, if any has weight
    struct troubles {
        unsigned crash = 0, reboot = 0, stop = 0, step = 0, suspend = 0, drift = 0;
    } trouble;

    [[nodiscard]] std::string describe() const;
};

[[nodiscard]] plan draw_plan(std::uint64_t seed, canary planted = canary::none);

}  // namespace foliot::sim

// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <foliot/wheel/timer_queue.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>

// Queues with a planted bug each: what looks for faults must find every one, or its silence means
// nothing.
namespace foliot::test {

template <class Sound>
struct fires_one_tick_early : Sound {
    using Sound::Sound;
    void schedule(timer_hook& hook, tick due) {
        Sound::schedule(hook, tick{due.count - (due > this->cursor() ? 1 : 0)});
    }
};

template <class Sound>
struct fires_one_tick_late : Sound {
    using Sound::Sound;
    void schedule(timer_hook& hook, tick due) { Sound::schedule(hook, saturating_add(due, 1)); }
};

template <class Sound>
struct wraps_32_bits : Sound {
    using Sound::Sound;
    void schedule(timer_hook& hook, tick due) {
        Sound::schedule(hook, tick{due.count & 0xffff'ffff});
    }
};

// A timer that cascades is lost now and then.
template <class Sound>
struct loses_a_timer_in_a_cascade : Sound {
    using Sound::Sound;
    template <class Sink>
    advance_result advance(tick now, std::size_t budget, Sink&& sink) {
        const advance_result r = Sound::advance(now, budget, sink);
        timer_hook* lost = nullptr;
        if (r.moved != 0) this->for_each([&](timer_hook& hook) { lost = &hook; });
        if (lost != nullptr) this->cancel(*lost);
        return r;
    }
};

// As above, but only where several cascade in one call.
template <class Sound>
struct loses_a_timer_in_a_shared_cascade : Sound {
    using Sound::Sound;
    template <class Sink>
    advance_result advance(tick now, std::size_t budget, Sink&& sink) {
        const advance_result r = Sound::advance(now, budget, sink);
        timer_hook* lost = nullptr;
        if (r.moved >= 3) this->for_each([&](timer_hook& hook) { lost = &hook; });
        if (lost != nullptr) this->cancel(*lost);
        return r;
    }
};

template <class Sound>
struct forgets_the_budget : Sound {
    using Sound::Sound;
    template <class Sink>
    advance_result advance(tick now, std::size_t budget, Sink&& sink) {
        return Sound::advance(now, budget + 1, sink);
    }
};

template <class Sound>
struct oversleeps : Sound {
    using Sound::Sound;
    [[nodiscard]] std::optional<tick> next_wakeup() const {
        const std::optional<tick> next = Sound::next_wakeup();
        return next ? std::optional(saturating_add(*next, 1)) : next;
    }
};

template <class Sound>
struct ignores_a_move_to_an_earlier_due : Sound {
    using Sound::Sound;
    void reschedule(timer_hook& hook, tick due) {
        if (!hook.armed() || due > hook.due()) Sound::reschedule(hook, due);
    }
};

template <class Sound>
struct says_drained_too_soon : Sound {
    using Sound::Sound;
    template <class Sink>
    advance_result advance(tick now, std::size_t budget, Sink&& sink) {
        advance_result r = Sound::advance(now, budget, sink);
        r.drained = true;
        return r;
    }
};

template <class Sound>
struct fires_again_what_goes_back_in_time : Sound {
    using Sound::Sound;
    template <class Sink>
    advance_result advance(tick now, std::size_t budget, Sink&& sink) {
        return Sound::advance(now < this->cursor() ? saturating_add(this->cursor(), 1) : now,
                              budget, sink);
    }
};

}  // namespace foliot::test

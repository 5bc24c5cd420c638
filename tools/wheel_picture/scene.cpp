// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "scene.hpp"

#include <deque>
#include <stdexcept>

namespace wheel_picture {

namespace {

using foliot::tick;
using foliot::timer_hook;

constexpr std::uint64_t shown_at = 2215;
constexpr std::uint64_t followed_due = 3141;

class run {
public:
    scene look() {
        timer_hook followed;
        wheel_.schedule(followed, tick{followed_due});
        for (std::uint64_t now = 1; now <= shown_at; ++now) {
            step(now);
            add_mixed();
            if (now == shown_at - 100) add_crowd();
        }
        add(shown_at);  // late from the start
        add(shown_at - 5);
        scene seen = count();
        follow(followed, seen);
        return seen;
    }

private:
    void step(std::uint64_t now) {
        if (!wheel_.advance(tick{now}, 1000, [](timer_hook&) {}).drained) {
            throw std::logic_error("a step was not finished");
        }
    }

    void add(std::uint64_t due) { wheel_.schedule(hooks_.emplace_back(), tick{due}); }

    // A delay of any length, up to beyond the rings.
    void add_mixed() {
        const std::uint64_t longest = std::uint64_t{1} << (1 + random() % 12);
        add(wheel_.cursor().count + 1 + random() % longest);
    }

    // Timers that fall due in the slot of level 1 that comes after the one shown.
    void add_crowd() {
        const std::uint64_t start = (shown_at / 12 + 1) * 12;
        for (std::uint64_t i = 0; i < 1200; ++i) add(start + i % 12);
    }

    scene count() {
        scene s;
        s.cursor = wheel_.cursor();
        s.pending = wheel_.size();
        wheel_.for_each([&](timer_hook& hook) {
            const where at = scene::wheel::place_of(hook);
            if (at.level < scene::wheel::levels) {
                ++s.held[at.level][at.slot];
            } else {
                ++(at.level == scene::wheel::levels ? s.overflow : s.late);
            }
        });
        return s;
    }

    // The wheel runs on until the timer fires.
    void follow(timer_hook& hook, scene& s) {
        s.followed_due = hook.due();
        for (std::uint64_t now = shown_at; hook.armed(); ++now) {
            const where at = scene::wheel::place_of(hook);
            if (s.followed_path.empty() || s.followed_path.back() != at) {
                s.followed_path.push_back(at);
            }
            if (now > followed_due) throw std::logic_error("a timer is late");
            step(now + 1);
        }
    }

    // A generator with a seed of its own: numbers are the same everywhere.
    std::uint64_t random() {
        state_ = state_ * 6364136223846793005U + 1442695040888963407U;
        return state_ >> 33;
    }

    std::uint64_t state_ = 1;
    std::deque<timer_hook> hooks_;
    scene::wheel wheel_;  // goes first, and disarms the hooks
};

}  // namespace

scene run_scene() { return run().look(); }

}  // namespace wheel_picture

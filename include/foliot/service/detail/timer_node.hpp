// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <foliot/service/options.hpp>
#include <foliot/service/task.hpp>
#include <foliot/wheel/timer_hook.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

namespace foliot::detail {

class shard;

/// One timer of a service. Its place is used again, but its memory stays as long as the service.
///
///     unused -> pending -> due -> running -> over -> unused    each arrow is one step under the lock
///                 ^         |        |
///                 +---------+--------+                          deferred, moved; periodic
///
/// While it is over, its callback is destroyed, without the lock. (Before it is pending likewise: it
/// is moved in.) Its tokens are void from then on; its generation changes when that is done.
///
/// A cancel looks at the first cache line only, and a schedule writes the second one, without reading
/// it, if the callback is plain (trivially copyable, so that there is nothing to destroy).
struct alignas(64) timer_node : timer_hook {
    enum class state : std::uint8_t { unused, pending, due, running, over, dropped };

    explicit timer_node(shard& s) noexcept : home(s) {}

    std::chrono::nanoseconds deadline{};
    std::uint64_t generation = 1;  // of the timer that is in it, or will be
    shard& home;
    std::uint64_t ticket = 0;           // of its latest job; older ones are void
    std::chrono::nanoseconds period{};  // 0: fires once
    state now = state::unused;
    missed policy = missed::skip;
    priority urgency = priority::normal;
    bool discardable = false;
    bool ends = false;  // cancelled while it runs: it does not repeat
    bool grouped = false;
    bool plain = true;  // its callback

    task callback;
    std::uint64_t group = 0;

    timer_node* group_before = nullptr;  // of its group, the one made before it
    timer_node* group_after = nullptr;
};

static_assert(sizeof(timer_node) == 3 * 64);

// The memory of the timers of a shard: it grows in slabs, and is kept. Not thread-safe.
//
// Time:    O(1), but for a grow, which may copy the list of those that are not used.
// Memory:  192 bytes a node, and 8 for that list. Slabs of full size lie in huge pages where the system
//          grants them to those who ask (MADV_HUGEPAGE).
class timer_nodes {
public:
    static constexpr std::size_t first_slab = 32;
    static constexpr std::size_t slab_bytes = std::size_t{2} << 20;
    static constexpr std::size_t slab_limit = slab_bytes / sizeof(timer_node);

    timer_nodes() = default;
    timer_nodes(const timer_nodes&) = delete;
    timer_nodes& operator=(const timer_nodes&) = delete;
    ~timer_nodes();

    /// Whether there is one to take.
    [[nodiscard]] bool has_room() const noexcept { return !unused_.empty() || next_ != end_; }
    /// How many the next slab should have: as many as there are, within limits.
    [[nodiscard]] std::size_t wanted() const noexcept;
    /// Room for so many more, when there is none. std::bad_alloc, and then nothing has changed.
    void grow(std::size_t nodes);
    /// How many there is room for, those that are taken included.
    [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }

    /// One that is not used: the one given back last, or a new one. There is one.
    [[nodiscard]] timer_node& take(shard& home) noexcept {
        if (unused_.empty()) return *::new (next_++) timer_node(home);
        timer_node& node = *unused_.back();
        unused_.pop_back();
        return node;
    }
    void give_back(timer_node& node) noexcept { unused_.push_back(&node); }  // there is room

    /// Calls it for each that was ever taken.
    template <class F>
    void for_each(F&& f) {
        for (const slab& s : slabs_) {
            timer_node* const end = s.first + s.size == end_ ? next_ : s.first + s.size;
            for (timer_node* node = s.first; node != end; ++node) f(*node);
        }
    }

private:
    struct slab {
        timer_node* first;
        std::size_t size;
    };
    std::vector<slab> slabs_;
    timer_node* next_ = nullptr;  // of the last slab, the first that was not taken yet
    timer_node* end_ = nullptr;
    std::vector<timer_node*> unused_;
    std::size_t capacity_ = 0;
};

}  // namespace foliot::detail

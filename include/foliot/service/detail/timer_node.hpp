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
    bool grouped : 1 = false;
    bool of_group : 1 = false;   // a kept one: its group is not 0
    bool stands_in : 1 = false;  // for one that is kept: see below
    bool plain = true;           // its callback
    bool kept = false;           // by its owner: see below

    task callback;
    std::uint64_t group = 0;

    timer_node* group_before = nullptr;  // of its group, the one made before it
    timer_node* group_after = nullptr;

    // The node of a reusable_timer lies in that, with the callback, and is never over. It is only in
    // the queue: when it is due, one of the shard's is its stand-in for the rest of the way, since a
    // job may outlast the reusable_timer. Each is the partner of the other.
    timer_node* partner = nullptr;
    timer_node* kept_before = nullptr;  // of those that are kept
    timer_node* kept_after = nullptr;
    // Armed anew while its callback runs: for then; or not_again.
    static constexpr auto not_again = std::chrono::nanoseconds::min();
    std::chrono::nanoseconds again = not_again;
};

static_assert(sizeof(timer_node) == 3 * 64);

// The memory of the timers of a shard: it grows in slabs, and is kept. Not thread-safe.
//
// Time:    O(1), but for a grow, which may copy the list of those that are not used.
// Memory:  192 bytes a node, and 8 for that list. A slab is 2 MiB of addresses, of which only what is
//          used becomes memory; all but the first may lie in huge pages, where the system grants them
//          to those who ask (MADV_HUGEPAGE).
class timer_nodes {
public:
    static constexpr std::size_t slab_bytes = std::size_t{2} << 20;
    static constexpr std::size_t header_bytes = 4096;
    static constexpr std::size_t slab_nodes = (slab_bytes - header_bytes) / sizeof(timer_node);

    explicit timer_nodes(shard& home) noexcept : home_(home) {}
    timer_nodes(const timer_nodes&) = delete;
    timer_nodes& operator=(const timer_nodes&) = delete;
    ~timer_nodes();

    /// Whose it is, found without a look at the node: a slab lies at a multiple of its size.
    [[nodiscard]] static shard& home_of(const timer_node& node) noexcept {
        const auto slab = reinterpret_cast<std::uintptr_t>(&node) & ~(slab_bytes - 1);
        // NOLINTNEXTLINE(performance-no-int-to-ptr): a pointer of which bits were cleared
        return **reinterpret_cast<shard* const*>(slab + home_at(slab));
    }

    /// Whether there is one to take.
    [[nodiscard]] bool has_room() const noexcept { return !unused_.empty() || next_ != end_; }
    /// How many to ask grow for: as many as there are, within limits.
    [[nodiscard]] std::size_t wanted() const noexcept;
    /// Room for so many more, at most what was wanted; std::bad_alloc, and then nothing has changed.
    void grow(std::size_t nodes);
    /// Room to take so many; std::bad_alloc.
    void reserve(std::size_t nodes);
    /// How many there is room for, those that are taken included.
    [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }

    /// One that is not used: the one given back last, or a new one. There is one.
    [[nodiscard]] timer_node& take() noexcept {
        if (unused_.empty()) return *::new (next_++) timer_node(home_);
        timer_node& node = *unused_.back();
        unused_.pop_back();
        return node;
    }
    /// There is room for it. The next timer is likely to be made in it, so what that writes is fetched.
    void give_back(timer_node& node) noexcept {
        __builtin_prefetch(&node.callback, 1);
        unused_.push_back(&node);
    }

    /// Calls it for each that was ever taken.
    template <class F>
    void for_each(F&& f) {
        for (std::byte* const slab : slabs_) {
            timer_node* const first = first_of(slab);
            timer_node* const end = slab == slabs_.back() ? next_ : first + slab_nodes;
            for (timer_node* node = first; node != end; ++node) f(*node);
        }
    }

private:
    // Each in another cache line, or all slabs would want the same place in a cache.
    static std::size_t home_at(std::uintptr_t slab) noexcept {
        return slab / slab_bytes % (header_bytes / 64) * 64;
    }
    static timer_node* first_of(std::byte* slab) noexcept {
        return static_cast<timer_node*>(static_cast<void*>(slab + header_bytes));
    }
    void add_slab();

    shard& home_;
    std::vector<std::byte*> slabs_;
    timer_node* next_ = nullptr;      // in the last slab, the first that was not taken yet
    timer_node* end_ = nullptr;       // there is room up to here
    timer_node* slab_end_ = nullptr;  // and could be up to here
    std::vector<timer_node*> unused_;
    std::size_t capacity_ = 0;
};

}  // namespace foliot::detail

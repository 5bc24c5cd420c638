// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <foliot/time/detail/contract.hpp>
#include <foliot/time/tick.hpp>
#include <foliot/wheel/hierarchical_wheel.hpp>
#include <foliot/wheel/timer_hook.hpp>
#include <foliot/wheel/timer_queue.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

namespace foliot {

namespace detail {
struct timer_pool_access;
}

/// Names one timer of one timer_pool, in one word: where it is, and the how-manieth one there. A
/// pool gives no value out twice; a default one, whose word is 0, names nothing in any pool.
class timer_id {
public:
    constexpr timer_id() = default;
    constexpr timer_id(std::uint32_t index, std::uint32_t generation) noexcept
        : word_(std::uint64_t{generation} << 32 | index) {}
    explicit constexpr timer_id(std::uint64_t word) noexcept : word_(word) {}

    [[nodiscard]] constexpr std::uint64_t word() const noexcept { return word_; }
    [[nodiscard]] constexpr std::uint32_t index() const noexcept {
        return static_cast<std::uint32_t>(word_);
    }
    [[nodiscard]] constexpr std::uint32_t generation() const noexcept {
        return static_cast<std::uint32_t>(word_ >> 32);
    }

    /// Whether it can ever have been given out; not whether the timer is pending.
    explicit constexpr operator bool() const noexcept { return word_ != 0; }
    friend constexpr auto operator<=>(timer_id, timer_id) = default;

private:
    std::uint64_t word_ = 0;
};

// Timers with handles: it owns what waits, and the caller gets an id for each. A timer queue of any
// model drives it.
//
// Pick it where the thing that waits has no object of its own to embed a timer_hook in, or where
// handles are kept that may outlive the timer: a stale id is told that its timer is gone, and never
// touches another one. Embed a hook and use the queue itself where such an object exists: that saves
// the cell, and a cancel touches only a line that the caller holds already.
//
//     foliot::timer_pool<std::string> timers;
//     foliot::timer_id id = timers.schedule(foliot::tick{30'000}, "session 7");
//     if (!timers.reschedule(id, foliot::tick{60'000})) return;  // has fired already
//     auto on_due = [](foliot::timer_id, std::string&& who) { close(who); };
//     while (!timers.advance(now, 1000, on_due).drained) {}
//
// Time:    as the queue, and O(1) for the cell; a slab is made or given back at most once in as many
//          calls as it has cells. find and due O(1). clear and reset O(size + capacity).
// Threads: none; one caller at a time.
// Memory:  a cell is 24 bytes (hook and id, on one cache line) and the payload, rounded up to a
//          multiple of 32; the queue's share for a hook comes on top. Cells are made by the slab of
//          16 to 512, about 16 KB, with 144 bytes of its own at most, and never move. A slab without
//          a timer is given back at once, but for one that is kept to spare: capacity() is at most
//          one slab more than the slabs that hold a timer. What stays of a slab given back is 16
//          bytes, used for the next one. A payload is destroyed as soon as its timer is cancelled, or
//          its sink has returned.
// Errors:  schedule, emplace, reschedule and advance may throw std::bad_alloc, and what the payload's
//          constructor throws; schedule, emplace and reschedule then have changed nothing (a payload
//          given to schedule is lost). What the sink throws passes through: its timer counts as
//          fired, its payload is destroyed. std::length_error for more than about 2^32 timers.
//          Broken preconditions end the process.
// Order:   that of the queue.
//
// **Ids.** A cell is used for one timer after another, each with a generation of its own. A cell that
// has had 2^31 timers is retired rather than to begin again. Ids mean nothing in another pool.
//
// **The payload's own code** (its constructor, its destructor) may schedule, cancel, reschedule and
// find; its id is gone when the destructor runs. It must not destroy the pool.
template <class Payload, timer_queue Queue = hierarchical_wheel<>>
class timer_pool {
    static_assert(std::is_object_v<Payload> && std::is_nothrow_destructible_v<Payload>);

public:
    /// All ticks up to `start` count as fired.
    explicit timer_pool(tick start = {}) : queue_(start) {}

    /// For queues that take more than a start, as bucket_queue_wheel takes its options.
    template <class... Options>
        requires(sizeof...(Options) > 0 && std::constructible_from<Queue, tick, Options...>)
    explicit timer_pool(tick start, Options&&... options)
        : queue_(start, std::forward<Options>(options)...) {}

    timer_pool(const timer_pool&) = delete;
    timer_pool& operator=(const timer_pool&) = delete;

    /// Destroys the payloads of what is pending. Not from a sink (checked).
    ~timer_pool() {
        clear();
        detail::require(empty(), "~timer_pool: a payload's destructor scheduled a timer");
        delete spare_;
    }

    /// A new timer. Any due is legal; at or before cursor() it fires in the next pass.
    [[nodiscard]] timer_id schedule(tick due, Payload payload) {
        return emplace(due, std::move(payload));
    }

    /// As schedule, with a payload that is made in place.
    template <class... Args>
        requires std::constructible_from<Payload, Args...>
    [[nodiscard]] timer_id emplace(tick due, Args&&... args) {
        taken_cell taken(*this);
        cell& c = taken.get();
        std::construct_at(std::addressof(c.payload), std::forward<Args>(args)...);
        taken.has_payload();
        queue_.schedule(c, due);
        ++c.generation;
        taken.keep();
        return c.id();
    }

    /// True: the timer was pending; the sink will not get it, and its payload is destroyed. False:
    /// it is gone (has fired, was cancelled), or `id` never named one.
    bool cancel(timer_id id) noexcept {
        cell* const c = pending(id);
        if (c == nullptr) return false;
        queue_.cancel(*c);
        ++c->generation;
        finish(*c);
        return true;
    }

    /// True: the timer is pending with its new due; the id stays. False: it is gone, and nothing was
    /// done.
    [[nodiscard]] bool reschedule(timer_id id, tick due) {
        cell* const c = pending(id);
        if (c == nullptr) return false;
        queue_.reschedule(*c, due);
        return true;
    }

    /// Fires what is due up to `now`: calls sink(timer_id, Payload&&) for each timer. When the sink
    /// runs the id is gone already; the payload is still in its cell, from which the sink may move
    /// it, and is destroyed when the sink has returned. The sink may schedule, cancel and reschedule
    /// any timer; it must not call advance, clear or reset (checked). The rest is as the queue's.
    template <class Sink>
        requires std::invocable<Sink&, timer_id, Payload&&>
    advance_result advance(tick now, std::size_t budget, Sink&& sink) {
        return queue_.advance(now, budget, [&](timer_hook& hook) {
            cell& c = static_cast<cell&>(hook);
            const timer_id id = c.id();
            ++c.generation;
            const finisher at_end{*this, c};
            sink(id, std::move(c.payload));
        });
    }

    /// The payload of a pending timer, until that fires or is cancelled; null: it is gone.
    [[nodiscard]] Payload* find(timer_id id) noexcept {
        cell* const c = pending(id);
        return c == nullptr ? nullptr : std::addressof(c->payload);
    }
    [[nodiscard]] const Payload* find(timer_id id) const noexcept {
        const cell* const c = pending(id);
        return c == nullptr ? nullptr : std::addressof(c->payload);
    }

    /// When a pending timer is due; nullopt: it is gone.
    [[nodiscard]] std::optional<tick> due(timer_id id) const noexcept {
        const cell* const c = pending(id);
        return c == nullptr ? std::nullopt : std::optional(c->timer_hook::due());
    }

    /// When to call advance next, as the queue says.
    [[nodiscard]] std::optional<tick> next_wakeup() const noexcept { return queue_.next_wakeup(); }

    [[nodiscard]] std::size_t size() const noexcept { return queue_.size(); }
    [[nodiscard]] bool empty() const noexcept { return queue_.empty(); }
    [[nodiscard]] tick cursor() const noexcept { return queue_.cursor(); }

    /// How many cells there is memory for: those in use, and the free ones of their slabs.
    [[nodiscard]] std::size_t capacity() const noexcept { return slabs_ * cells_per_slab; }

    /// Calls f(timer_id, tick due, const Payload&) for every pending timer, in no promised order; f
    /// must not change the pool.
    template <class F>
    void for_each(F&& f) const {
        queue_.for_each([&](timer_hook& hook) {
            const cell& c = static_cast<const cell&>(hook);
            f(c.id(), c.timer_hook::due(), c.payload);
        });
    }

    /// The queue's view of where its timers wait; what a place is, is said in the queue's header.
    [[nodiscard]] unsigned places() const noexcept { return queue_.places(); }
    [[nodiscard]] std::size_t occupancy(unsigned place) const noexcept {
        return queue_.occupancy(place);
    }

    /// The queue, to look at, and the id of one of its hooks: `pool.id_of(*first_due(
    /// pool.queue(), 1).front())`. The hooks must not be cancelled or moved behind the pool's back.
    [[nodiscard]] const Queue& queue() const noexcept { return queue_; }
    [[nodiscard]] static timer_id id_of(const timer_hook& hook) noexcept {
        return static_cast<const cell&>(hook).id();
    }

    /// Destroys everything that is pending; its ids are gone, the cursor stays. Not from a sink
    /// (checked).
    void clear() noexcept { reset(cursor()); }

    /// As clear, and goes to `cursor`, which may be earlier.
    void reset(tick cursor) noexcept {
        queue_.for_each([](timer_hook& hook) {
            cell& c = static_cast<cell&>(hook);
            ++c.generation;
            c.index = leaving;
        });
        queue_.reset(cursor);
        // A destructor may change the pool, so each step starts from what there is by then.
        for (std::uint32_t n = 0; n < directory_.size(); ++n) {
            for (std::uint32_t i = 0; i < cells_per_slab && directory_[n].memory; ++i) {
                cell& c = directory_[n].memory->cells[i];
                if (c.index != leaving) continue;
                c.index = n * cells_per_slab + i;
                finish(c);
            }
        }
    }

    /// Walks everything and says whether it is as it must be. For tests; not from a sink:
    /// O(size + capacity).
    [[nodiscard]] bool check_invariants() const;

private:
    friend struct detail::timer_pool_access;

    static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
    static constexpr std::uint32_t leaving = none;  // in place of an index: a clear is under way
    // Odd: the cell's timer is pending. Even: it has none. 0, after the last odd one: retired.
    static constexpr std::uint32_t first_generation = 2;
    static bool is_pending(std::uint32_t generation) noexcept { return generation % 2 == 1; }

    struct head : timer_hook {
        std::uint32_t generation = first_generation;
        std::uint32_t index = 0;
        [[nodiscard]] timer_id id() const noexcept { return {index, generation}; }
    };
    static_assert(sizeof(head) == 24);

    static constexpr std::size_t cell_alignment = std::max<std::size_t>(32, alignof(Payload));
    struct alignas(cell_alignment) cell : head {
        cell() noexcept {}
        ~cell() {}
        union {
            Payload payload;  // alive while the timer is pending, and in its sink
        };
    };

    static constexpr std::uint32_t cells_per_slab = static_cast<std::uint32_t>(
        std::bit_floor(std::clamp<std::size_t>(16'384 / sizeof(cell), 16, 512)));
    static constexpr std::uint32_t most_slabs = none / cells_per_slab;
    static constexpr std::uint32_t words = (cells_per_slab + 63) / 64;

    // Which cells are free is kept beside them: a list threaded through the cells would make each
    // call wait for the line of a cell that has been free for long.
    struct alignas(std::max<std::size_t>(64, cell_alignment)) slab {
        slab(std::uint32_t number_, std::uint32_t generation) noexcept
            : number(number_), newest(generation) {
            for (std::uint32_t i = 0; i < cells_per_slab; ++i) {
                free[i / 64] |= std::uint64_t{1} << i % 64;
                cells[i].generation = generation;
                cells[i].index = number * cells_per_slab + i;
            }
        }

        std::array<std::uint64_t, words> free{};
        std::uint32_t number;
        std::uint32_t used = 0;
        std::uint32_t free_count = cells_per_slab;
        std::uint32_t newest;  // no generation of a cell without a timer is above
        bool worn = false;     // a cell is retired
        slab* before = nullptr;
        slab* after = nullptr;
        std::array<cell, cells_per_slab> cells;
    };

    // Of a slab number: its slab, or how it goes on when it gets one again.
    struct directory_entry {
        slab* memory;
        std::uint32_t generation;
        std::uint32_t next_vacant;
    };

    // A cell on its way to a timer; without keep() it is given back.
    class taken_cell {
    public:
        explicit taken_cell(timer_pool& pool) : pool_(pool), cell_(&pool.take()) {}
        ~taken_cell() {
            if (cell_ == nullptr) return;
            if (has_payload_) std::destroy_at(std::addressof(cell_->payload));
            pool_.put_back(*cell_);
        }
        taken_cell(const taken_cell&) = delete;
        taken_cell& operator=(const taken_cell&) = delete;
        [[nodiscard]] cell& get() noexcept { return *cell_; }
        void has_payload() noexcept { has_payload_ = true; }
        void keep() noexcept { cell_ = nullptr; }

    private:
        timer_pool& pool_;
        cell* cell_;
        bool has_payload_ = false;
    };

    struct finisher {
        timer_pool& pool;
        cell& fired;
        ~finisher() { pool.finish(fired); }
    };

    [[nodiscard]] cell* pending(timer_id id) const noexcept {
        const std::uint32_t number = id.index() / cells_per_slab;
        if (number >= directory_.size() || !is_pending(id.generation())) return nullptr;
        slab* const s = directory_[number].memory;
        if (s == nullptr) return nullptr;
        cell& c = s->cells[id.index() % cells_per_slab];
        return c.generation == id.generation() ? &c : nullptr;
    }

    // The cell is free only after the payload's destructor, which may schedule.
    void finish(cell& c) noexcept {
        std::destroy_at(std::addressof(c.payload));
        put_back(c);
    }

    cell& take() {
        if (open_ == nullptr) make_room();
        slab& s = *open_;
        std::uint32_t word = 0;
        while (s.free[word] == 0) ++word;
        const auto bit = static_cast<std::uint32_t>(std::countr_zero(s.free[word]));
        s.free[word] &= s.free[word] - 1;
        ++s.used;
        if (--s.free_count == 0) unlink(s);
        return s.cells[word * 64 + bit];
    }

    void put_back(cell& c) noexcept {
        slab& s = *directory_[c.index / cells_per_slab].memory;
        --s.used;
        if (c.generation == 0) {
            s.worn = true;
        } else {
            const std::uint32_t place = c.index % cells_per_slab;
            s.free[place / 64] |= std::uint64_t{1} << place % 64;
            s.newest = std::max(s.newest, c.generation);
            if (s.free_count++ == 0) link(s);
        }
        if (s.used == 0) close(s);
    }

    void make_room() {
        if (spare_ == nullptr) spare_ = make_slab();
        link(*std::exchange(spare_, nullptr));
    }

    slab* make_slab() {
        const bool vacant = vacant_ != none;
        const auto number = vacant ? vacant_ : static_cast<std::uint32_t>(directory_.size());
        if (number >= most_slabs) throw std::length_error("timer_pool: more than 2^32 timers");
        const std::uint32_t generation = vacant ? directory_[number].generation : first_generation;
        auto made = std::make_unique<slab>(number, generation);
        if (!vacant) directory_.push_back({nullptr, generation, none});
        directory_entry& entry = directory_[number];
        if (vacant) vacant_ = entry.next_vacant;
        entry.memory = made.get();
        ++slabs_;
        return made.release();
    }

    // A slab has no timer any more. The number of one with a retired cell is not used again.
    void close(slab& s) noexcept {
        if (s.free_count != 0) unlink(s);
        if (spare_ == nullptr && !s.worn) {
            spare_ = &s;
            return;
        }
        directory_entry& entry = directory_[s.number];
        entry = {nullptr, s.newest, none};
        if (!s.worn) entry.next_vacant = std::exchange(vacant_, s.number);
        --slabs_;
        delete &s;
    }

    void link(slab& s) noexcept {
        s.before = nullptr;
        s.after = open_;
        if (open_ != nullptr) open_->before = &s;
        open_ = &s;
    }

    void unlink(slab& s) noexcept {
        if (s.after != nullptr) s.after->before = s.before;
        (s.before != nullptr ? s.before->after : open_) = s.after;
    }

    [[nodiscard]] bool check_slab(const slab& s, std::size_t& waiting) const;

    Queue queue_;
    std::vector<directory_entry> directory_;
    slab* open_ = nullptr;         // those with timers and free cells, the one used last first
    slab* spare_ = nullptr;        // has no timer
    std::uint32_t vacant_ = none;  // the first number without a slab
    std::size_t slabs_ = 0;
};

template <class Payload, timer_queue Queue>
bool timer_pool<Payload, Queue>::check_invariants() const {
    bool right = queue_.check_invariants();
    queue_.for_each([&](timer_hook& hook) { right = right && pending(id_of(hook)) == &hook; });
    std::size_t waiting = 0;
    std::size_t made = 0;
    std::size_t open = 0;
    for (const directory_entry& entry : directory_) {
        if (entry.memory == nullptr) continue;
        ++made;
        open += entry.memory->used != 0 && entry.memory->free_count != 0 ? 1 : 0;
        right = right && check_slab(*entry.memory, waiting);
    }
    for (const slab* s = open_; s != nullptr; s = s->after) --open;
    return right && waiting == size() && made == slabs_ && open == 0;
}

template <class Payload, timer_queue Queue>
bool timer_pool<Payload, Queue>::check_slab(const slab& s, std::size_t& waiting) const {
    std::uint32_t used = 0;
    std::uint32_t free = 0;
    for (std::uint32_t i = 0; i < cells_per_slab; ++i) {
        const cell& c = s.cells[i];
        const bool is_free = (s.free[i / 64] >> i % 64 & 1) != 0;
        if (c.index != s.number * cells_per_slab + i) return false;
        if (is_pending(c.generation) != c.armed() || (is_free && c.armed())) return false;
        if (is_free && c.generation > s.newest) return false;
        free += is_free ? 1 : 0;
        used += c.armed() ? 1 : 0;
    }
    waiting += used;
    return used == s.used && free == s.free_count && (used != 0 || &s == spare_);
}

}  // namespace foliot

template <>
struct std::hash<foliot::timer_id> {
    std::size_t operator()(foliot::timer_id id) const noexcept {
        return std::hash<std::uint64_t>{}(id.word());
    }
};

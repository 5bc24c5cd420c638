// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <optional>

namespace bench {

/// A node of a doubly linked ring; a slot's head is one too. Unlinked: next is null.
struct list_node {
    list_node* next = nullptr;
    list_node* prev = nullptr;
};

struct list_timer : list_node {
    std::uint64_t due = 0;
};

/// What Foliot's wheel is measured against: the hierarchical timing wheel as textbooks and kernels
/// have it (Varghese and Lauck 1987; Linux before 4.8), written as well as it can be.
///
/// Four levels of 256 slots, each slot an intrusive ring of timers. The level is chosen from the
/// delay by one count of leading zeros. A bitmap a level says which slots hold something, so that
/// empty ones are skipped. When the clock reaches an upper slot its timers are dealt out to finer
/// levels. A timer moved is unlinked and linked: O(1), and nothing is put off.
class list_wheel {
public:
    explicit list_wheel(std::uint64_t start) : now_(start) {
        for (list_node& head : heads_) head.next = head.prev = &head;
    }
    list_wheel(const list_wheel&) = delete;
    list_wheel& operator=(const list_wheel&) = delete;

    static bool pending(const list_timer& timer) { return timer.next != nullptr; }

    /// Fires at `due`, or at the next tick if that is over.
    void schedule(list_timer& timer, std::uint64_t due) {
        timer.due = due;
        link(timer, due > now_ ? due : now_ + 1);
    }

    void cancel(list_timer& timer) {
        unlink(timer);
        timer.next = nullptr;
    }

    void move(list_timer& timer, std::uint64_t due) {
        unlink(timer);
        schedule(timer, due);
    }

    struct counts {
        std::uint64_t fired = 0;
        std::uint64_t moved = 0;
    };

    /// Fires what is due up to `to`, tick by tick, in the order of scheduling within a tick and
    /// level.
    template <class Sink>
    counts advance(std::uint64_t to, Sink&& sink) {
        counts done;
        while (now_ < to) {
            const std::uint64_t next = next_event();
            if (next > to) break;
            now_ = next;
            cascade(done);
            fire(done, sink);
        }
        now_ = to > now_ ? to : now_;
        return done;
    }

    /// The next tick at which a slot must be fired or dealt out.
    [[nodiscard]] std::optional<std::uint64_t> next_wakeup() const {
        const std::uint64_t next = next_event();
        if (next == never) return std::nullopt;
        return next;
    }

    /// Unlinks everything.
    void clear() {
        for (list_node& head : heads_) {
            for (list_node* node = head.next; node != &head;) {
                list_node* const next = node->next;
                prefetch(next);
                node->next = nullptr;
                node = next;
            }
            head.next = head.prev = &head;
        }
        occupied_ = {};
    }

private:
    static constexpr unsigned bits = 8;
    static constexpr unsigned levels = 4;
    static constexpr std::uint32_t slots = 1U << bits;
    static constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();
    static constexpr std::uint64_t reach = (std::uint64_t{1} << (bits * levels)) - 1;

    static void prefetch(const void* line) { __builtin_prefetch(line, 1); }

    // Expires after now. What is out of reach waits in the farthest slot, and is dealt out again.
    void link(list_timer& timer, std::uint64_t expires) {
        std::uint64_t delay = expires - now_;
        if (delay > reach) {
            delay = reach;
            expires = now_ + reach;
        }
        const auto level = static_cast<unsigned>(63 - std::countl_zero(delay)) / bits;
        const auto slot = static_cast<std::uint32_t>(expires >> (level * bits)) % slots;
        append(level * slots + slot, timer);
    }

    void append(std::uint32_t slot, list_timer& timer) {
        list_node& head = heads_[slot];
        list_node* const last = head.prev;
        timer.next = &head;
        timer.prev = last;
        last->next = &timer;
        head.prev = &timer;
        occupied_[slot / 64] |= std::uint64_t{1} << (slot % 64);
    }

    void unlink(list_timer& timer) {
        list_node* const next = timer.next;
        list_node* const prev = timer.prev;
        prev->next = next;
        next->prev = prev;
        // Only a head is its own neighbour on both sides.
        if (next == prev) mark_empty(static_cast<std::uint32_t>(next - heads_.data()));
    }

    void mark_empty(std::uint32_t slot) {
        occupied_[slot / 64] &= ~(std::uint64_t{1} << (slot % 64));
    }

    // Takes the whole ring of a slot out, as a null-terminated list.
    list_timer* take(std::uint32_t slot) {
        list_node& head = heads_[slot];
        if (head.next == &head) return nullptr;
        list_node* const first = head.next;
        head.prev->next = nullptr;
        head.next = head.prev = &head;
        mark_empty(slot);
        return static_cast<list_timer*>(first);
    }

    // At a level's boundary its slot is dealt out to the finer ones, coarse levels first.
    void cascade(counts& done) {
        unsigned level = 0;
        while (level + 1 < levels && now_ % (std::uint64_t{1} << (bits * (level + 1))) == 0)
            ++level;
        for (; level > 0; --level) {
            const auto slot = static_cast<std::uint32_t>(now_ >> (level * bits)) % slots;
            for (list_timer* timer = take(level * slots + slot); timer != nullptr;) {
                list_node* const next = timer->next;
                prefetch(next);
                ++done.moved;
                deal(*timer);
                timer = static_cast<list_timer*>(next);
            }
        }
    }

    void deal(list_timer& timer) {
        if (timer.due <= now_) {
            append(static_cast<std::uint32_t>(now_ % slots), timer);
        } else {
            link(timer, timer.due);
        }
    }

    // One at a time from the front: the sink may cancel and schedule whatever it likes.
    template <class Sink>
    void fire(counts& done, Sink& sink) {
        list_node& head = heads_[now_ % slots];
        while (head.next != &head) {
            auto& timer = static_cast<list_timer&>(*head.next);
            prefetch(timer.next);
            cancel(timer);
            ++done.fired;
            sink(timer);
        }
    }

    // The first tick after now at which some slot comes round: of each level, its next occupied
    // one.
    [[nodiscard]] std::uint64_t next_event() const {
        std::uint64_t first = never;
        for (unsigned level = 0; level < levels; ++level) {
            const std::uint64_t position = now_ >> (level * bits);
            const std::uint32_t ahead =
                distance(level, static_cast<std::uint32_t>(position) % slots);
            if (ahead == 0) continue;
            const std::uint64_t event = (position + ahead) << (level * bits);
            first = event < first ? event : first;
        }
        return first;
    }

    // How far the next occupied slot after `slot` is, going round: 1 to 256; 0 if there is none.
    [[nodiscard]] std::uint32_t distance(unsigned level, std::uint32_t slot) const {
        constexpr std::uint32_t words = slots / 64;
        const std::uint64_t* const map = occupied_.data() + level * words;
        const std::uint32_t from = (slot + 1) % slots;
        std::uint32_t word = from / 64;
        std::uint64_t left = map[word] & (~std::uint64_t{0} << (from % 64));
        for (std::uint32_t i = 0; i <= words; ++i) {
            if (left != 0) {
                const auto found = word * 64 + static_cast<std::uint32_t>(std::countr_zero(left));
                return (found - from) % slots + 1;
            }
            word = (word + 1) % words;
            left = map[word];
        }
        return 0;
    }

    std::array<list_node, slots * levels> heads_;
    std::array<std::uint64_t, slots * levels / 64> occupied_{};
    std::uint64_t now_;
};

}  // namespace bench

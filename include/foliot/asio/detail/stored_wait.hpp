// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/asio/error.hpp>

#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace foliot::detail {

struct cancel_link;
struct timer_core;

/// How a wait ended.
inline boost::system::error_code outcome_of(bool aborted) {
    if (aborted) return boost::asio::error::operation_aborted;
    return {};
}

/// A wait with memory of its own: see handler_wait, which is what it is.
struct wait_op {
    enum class fate : unsigned char { expired, aborted, destroyed };

    explicit wait_op(void (*act_)(wait_op&, fate)) noexcept : act(act_) {}

    void (*act)(wait_op&, fate);  // ends it; it is gone before a handler is called
    wait_op* next = nullptr;      // in a circle: see op_circle
    timer_core* home = nullptr;   // null when it does not wait any more
    cancel_link* link = nullptr;  // who may cancel it alone
};

/// Waits in order, in a circle that is known by the last one. Does not own them.
class op_circle {
public:
    [[nodiscard]] bool empty() const noexcept { return last_ == nullptr; }
    [[nodiscard]] wait_op& front() const noexcept { return *last_->next; }

    void push(wait_op& op) noexcept {
        op.next = empty() ? &op : last_->next;
        if (!empty()) last_->next = &op;
        last_ = &op;
    }
    wait_op& pop() noexcept {
        wait_op& op = *last_->next;
        last_->next = op.next;
        if (&op == last_) last_ = nullptr;
        return op;
    }
    /// O(how many there are).
    void remove(wait_op& op) noexcept {
        wait_op* before = last_;
        while (before->next != &op) before = before->next;
        before->next = op.next;
        if (&op == last_) last_ = before == &op ? nullptr : before;
    }
    template <class F>
    void for_each(F&& f) const {
        if (empty()) return;
        wait_op* op = last_;
        do {
            op = op->next;
            f(*op);
        } while (op != last_);
    }

private:
    wait_op* last_ = nullptr;
};

/// What can be done with a handler that lies in some bytes. None of it allocates.
struct wait_actions {
    void (*complete)(void* at, bool aborted);  // calls it, and destroys it in any case
    void (*destroy)(void* at) noexcept;
    void (*move)(void* from, void* to) noexcept;  // and destroys what is left
    std::size_t plain;  // not 0: that many bytes are copied, and move is not needed
};

/// Whether a handler lies in the timer itself, rather than in memory of its own.
inline constexpr std::size_t small_wait_bytes = 48;
template <class Handler>
inline constexpr bool is_small_wait =
    sizeof(Handler) <= small_wait_bytes && alignof(Handler) <= alignof(void*) &&
    std::is_nothrow_move_constructible_v<Handler>;

template <class Handler>
inline constexpr wait_actions small_wait_actions{
    [](void* at, bool aborted) {
        struct destroyer {
            Handler& handler;
            ~destroyer() { std::destroy_at(&handler); }
        } const held{*std::launder(static_cast<Handler*>(at))};
        const boost::system::error_code ec = outcome_of(aborted);
        std::move(held.handler)(ec);
    },
    [](void* at) noexcept { std::destroy_at(std::launder(static_cast<Handler*>(at))); },
    [](void* from, void* to) noexcept {
        auto& handler = *std::launder(static_cast<Handler*>(from));
        ::new (to) Handler(std::move(handler));
        std::destroy_at(&handler);
    },
    std::is_trivially_copyable_v<Handler> ? sizeof(Handler) : 0};

/// Room for a small handler, or for a circle of waits with memory of their own. What is in it must
/// be taken out before it goes away.
class stored_wait {
public:
    [[nodiscard]] explicit operator bool() const noexcept { return actions_ != nullptr; }

    template <class Handler>
        requires is_small_wait<Handler>
    void put(Handler& handler) noexcept {
        ::new (static_cast<void*>(bytes_)) Handler(std::move(handler));
        actions_ = &small_wait_actions<Handler>;
    }
    void put(op_circle ops) noexcept {
        ::new (static_cast<void*>(bytes_)) op_circle(ops);
        actions_ = &circle_actions;
    }
    /// Null if it is something else.
    [[nodiscard]] op_circle* ops() noexcept {
        if (actions_ != &circle_actions) return nullptr;
        return std::launder(reinterpret_cast<op_circle*>(bytes_));
    }

    void clear() noexcept { actions_ = nullptr; }

    [[gnu::always_inline]] void take(stored_wait& from) noexcept {
        actions_ = std::exchange(from.actions_, nullptr);
        if (actions_->plain - 1 < two_words) {
            std::memcpy(bytes_, from.bytes_, two_words);
        } else if (actions_->plain != 0) {
            std::memcpy(bytes_, from.bytes_, small_wait_bytes);
        } else {
            actions_->move(from.bytes_, bytes_);
        }
    }
    /// Of small handlers.
    void complete(bool aborted) { std::exchange(actions_, nullptr)->complete(bytes_, aborted); }
    void destroy() noexcept { std::exchange(actions_, nullptr)->destroy(bytes_); }

private:
    static constexpr std::size_t two_words = 2 * sizeof(void*);
    static constexpr wait_actions circle_actions{};  // only to be told apart

    const wait_actions* actions_ = nullptr;
    alignas(void*) std::byte bytes_[small_wait_bytes];
};

}  // namespace foliot::detail

// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <foliot/asio/detail/stored_wait.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace foliot::detail {

/// Waits that are over, in order, until the context calls their handlers: chunks of one line for
/// each small handler, or for all others of a timer together.
class ready_waits {
public:
    /// What is taken out: one wait, to be completed or destroyed.
    class taken {
    public:
        taken() noexcept = default;
        taken(const taken&) = delete;
        taken& operator=(const taken&) = delete;
        void complete() {
            if (small_) return small_.complete(aborted_);
            op_->act(*op_, aborted_ ? wait_op::fate::aborted : wait_op::fate::expired);
        }
        void destroy() {
            if (small_) return small_.destroy();
            op_->act(*op_, wait_op::fate::destroyed);
        }

    private:
        friend class ready_waits;
        stored_wait small_;
        wait_op* op_ = nullptr;
        bool aborted_ = false;
    };

    ready_waits() { reserve(1); }
    ready_waits(const ready_waits&) = delete;
    ready_waits& operator=(const ready_waits&) = delete;
    ~ready_waits() {
        free_all(head_);
        free_all(spare_);
    }

    [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
    [[nodiscard]] std::size_t size() const noexcept { return size_; }

    /// So much can be pushed without an allocation.
    void reserve(std::size_t n) {
        while (room_ < n) [[unlikely]] {
            auto* made = new chunk;
            made->next = std::exchange(spare_, made);
            ++spares_;
            room_ += chunk_entries;
        }
    }

    /// There must be room.
    void push(stored_wait& small, bool aborted) noexcept {
        entry& e = next_entry();
        e.wait.take(small);
        e.aborted = aborted;
        ++size_;
    }
    /// `count` of them, in one entry.
    void push(op_circle ops, std::size_t count, bool aborted) noexcept {
        entry& e = next_entry();
        e.wait.put(ops);
        e.aborted = aborted;
        size_ += count;
    }

    /// Takes the first one. It must not be empty.
    void pop(taken& to) noexcept {
        entry& e = head_->entries[first_];
        to.aborted_ = e.aborted;
        --size_;
        if (op_circle* const ops = e.wait.ops(); ops == nullptr) {
            to.small_.take(e.wait);
        } else {
            to.op_ = &ops->pop();
            if (!ops->empty()) return;
            e.wait.clear();
        }
        if (++first_ == chunk_entries) [[unlikely]]
            drop_head();
        if (size_ == 0) rewind();
    }

private:
    struct entry {
        stored_wait wait;
        bool aborted = false;
    };
    static_assert(sizeof(entry) == 64);
    static constexpr std::size_t chunk_entries = 63;
    static constexpr std::size_t spares_kept = 8;
    struct chunk {
        chunk* next = nullptr;
        std::array<entry, chunk_entries> entries;
    };

    entry& next_entry() noexcept {
        if (tail_ == nullptr || end_ == chunk_entries) [[unlikely]]
            add_tail();
        --room_;
        return tail_->entries[end_++];
    }

    void add_tail() noexcept {
        chunk* const added = std::exchange(spare_, spare_->next);
        --spares_;
        added->next = nullptr;
        (tail_ == nullptr ? head_ : tail_->next) = added;
        tail_ = added;
        end_ = 0;
    }

    void drop_head() noexcept {
        chunk* const left = std::exchange(head_, head_->next);
        first_ = 0;
        if (head_ == nullptr) tail_ = nullptr;
        if (spares_ == spares_kept) {
            delete left;
            return;
        }
        left->next = std::exchange(spare_, left);
        ++spares_;
        room_ += chunk_entries;
    }

    // The lines used last are those that are used next.
    void rewind() noexcept {
        if (head_ == nullptr) return;
        room_ += end_;
        first_ = end_ = 0;
    }

    static void free_all(chunk* c) noexcept {
        while (c != nullptr) delete std::exchange(c, c->next);
    }

    chunk* head_ = nullptr;
    chunk* tail_ = nullptr;
    chunk* spare_ = nullptr;
    std::size_t first_ = 0;  // of head_
    std::size_t end_ = 0;    // of tail_
    std::size_t size_ = 0;
    std::size_t room_ = 0;
    std::size_t spares_ = 0;
};

}  // namespace foliot::detail

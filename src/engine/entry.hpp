// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "store/due_store.hpp"

#include <foliot/wheel/timer_hook.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace foliot::engine {

struct queue_state;

using batch_number = std::uint64_t;  ///< of a commit; grows; 0 = none

/// A timer in memory. Its hook sits in a wheel while `scheduled` (for its next due) and while
/// `leased` (for the lease's expiry).
///
///   committing -> scheduled -> ready -> leased -> leaving -> (freed)
///                     ^ retry after a nack or an expiry |
///   any of them may become `leaving` (cancelled, replaced, acked, dead) or `parked`.
enum class entry_state : std::uint8_t {
    free,        ///< a cell of the pool without a timer
    committing,  ///< its row is being written; goes into the wheel when that is durable
    scheduled,   ///< in the wheel
    ready,       ///< due; in its queue's ready list
    leased,      ///< delivered; in the wheel until the lease expires
    parked,      ///< its row is on disk only; here while commands look at it or a commit runs
    leaving,     ///< its row is being removed; freed when that is durable
};

enum class row_place : std::uint8_t { near, far, dead };

struct entry : timer_hook {
    store::sequence seq;
    tick due;                ///< what was asked for
    tick next;               ///< when to offer it next
    tick lease_end;          ///< service clock, while leased
    batch_number batch = 0;  ///< the last commit that changes it; see commit_queue
    queue_state* queue = nullptr;
    entry* previous_ready = nullptr;
    entry* next_ready = nullptr;
    std::unique_ptr<char[]> bytes;  ///< namespace, id, payload, then its extra fields if it has any
    std::uint32_t payload_size = 0;
    std::uint32_t failures = 0;
    std::uint32_t owner_epoch = 0;  ///< of the lease
    std::uint16_t id_size = 0;
    std::uint8_t ns_size = 0;
    entry_state state = entry_state::free;
    row_place place = row_place::near;
    store::clock_kind due_clock{};
    store::clock_kind next_clock{};
    store::payload_kind kind{};
    bool rewritten : 1 = false;
    bool committed : 1 = false;  ///< a row of this generation is durable
    bool in_table : 1 = false;
    bool ended : 1 = false;  ///< no timer any more: kept until `next`, and never offered
    bool has_extra : 1 = false;
    std::uint8_t checked = 0;  ///< by which round of the self-check its row was read

    [[nodiscard]] std::string_view ns() const { return {bytes.get(), ns_size}; }
    [[nodiscard]] std::string_view id() const { return {bytes.get() + ns_size, id_size}; }
    [[nodiscard]] std::string_view payload() const {
        return {bytes.get() + ns_size + id_size, payload_size};
    }
    /// The optional fields of its record. Few timers have any: they cost the others nothing.
    [[nodiscard]] std::string_view extra() const {
        if (!has_extra) return {};
        std::uint32_t size = 0;
        const char* const at = bytes.get() + plain_size();
        std::memcpy(&size, at, sizeof size);
        return {at + sizeof size, size};
    }
    [[nodiscard]] std::size_t byte_count() const {
        return plain_size() + (has_extra ? sizeof(std::uint32_t) + extra().size() : 0);
    }
    [[nodiscard]] std::uint32_t attempt() const { return failures + 1; }
    [[nodiscard]] store::due_point due_point() const { return {due_clock, due}; }
    [[nodiscard]] store::due_point next_point() const { return {next_clock, next}; }

    /// The views may be of its own bytes.
    void set_bytes(std::string_view n, std::string_view i, std::string_view p, std::string_view x) {
        const auto x_size = static_cast<std::uint32_t>(x.size());
        const std::size_t x_space = x.empty() ? 0 : sizeof x_size + x.size();
        auto fresh =
            std::make_unique_for_overwrite<char[]>(n.size() + i.size() + p.size() + x_space);
        char* to = fresh.get();
        for (const std::string_view part : {n, i, p}) {
            if (part.empty()) continue;
            std::memcpy(to, part.data(), part.size());
            to += part.size();
        }
        if (!x.empty()) {
            std::memcpy(to, &x_size, sizeof x_size);
            std::memcpy(to + sizeof x_size, x.data(), x.size());
        }
        ns_size = static_cast<std::uint8_t>(n.size());
        id_size = static_cast<std::uint16_t>(i.size());
        payload_size = static_cast<std::uint32_t>(p.size());
        has_extra = !x.empty();
        bytes = std::move(fresh);
    }

private:
    [[nodiscard]] std::size_t plain_size() const {
        return std::size_t{ns_size} + id_size + payload_size;
    }
};

/// Cells for entries: stable addresses, O(1) take and give back, and an index to sweep by in
/// portions while entries come and go.
class entry_pool {
public:
    entry& take() {
        if (free_.empty()) grow();
        entry* e = free_.back();
        free_.pop_back();
        ++live_;
        return *e;
    }

    /// Precondition: the hook is not armed.
    void give_back(entry& e) {
        e.bytes.reset();
        e.state = entry_state::free;
        e.batch = 0;
        e.in_table = false;
        e.checked = 0;
        e.queue = nullptr;
        free_.push_back(&e);
        --live_;
    }

    [[nodiscard]] std::size_t live() const { return live_; }
    [[nodiscard]] std::size_t cells() const { return chunks_.size() * chunk_size; }
    entry& at(std::size_t index) { return chunks_[index / chunk_size][index % chunk_size]; }

private:
    static constexpr std::size_t chunk_size = 1024;

    void grow() {
        chunks_.push_back(std::make_unique<entry[]>(chunk_size));
        free_.reserve(cells());
        for (std::size_t i = chunk_size; i-- > 0;) free_.push_back(&chunks_.back()[i]);
    }

    std::vector<std::unique_ptr<entry[]>> chunks_;
    std::vector<entry*> free_;
    std::size_t live_ = 0;
};

}  // namespace foliot::engine

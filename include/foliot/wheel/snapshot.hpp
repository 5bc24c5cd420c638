// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <foliot/time/detail/contract.hpp>
#include <foliot/time/tick.hpp>
#include <foliot/wheel/timer_hook.hpp>
#include <foliot/wheel/timer_queue.hpp>

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

// The pending timers of a queue as bytes, and back, into a queue of any model. A hook is its
// caller's, so a snapshot has only a 64-bit id for each, which the caller maps to hooks and back. The
// bytes are specified in docs/internals/wheel-snapshot.md.
//
// Pick it to hand the timers of a program over to its successor, or to keep a run for a test. It is
// no journal: what is scheduled after the snapshot is not in it.
//
// Time:    O(size * log size).
// Threads: as the queue: nothing else may change it meanwhile.
// Memory:  16 bytes a timer and 32 in the result, twice as much while it is made; restore takes 8
//          bytes a timer for a while.
// Errors:  bytes that cannot be restored are told as a restore_error, and the queue stays empty and
//          at its tick. What id_of and hook_of throw, and std::bad_alloc, pass through; the queue is
//          then empty as well.
// Order:   a restored queue fires the same timers at the same ticks. Within a tick it fires them in
//          the order of the snapshot, that of the first queue's for_each, or as its model does.
namespace foliot {

enum class restore_error {
    none,
    bad_magic,      ///< not a snapshot
    bad_version,    ///< made by a later Foliot
    bad_length,     ///< cut short, or something follows
    bad_checksum,   ///< damaged
    bad_order,      ///< not sorted by due: not made by snapshot()
    duplicate_id,   ///< an id twice
    unknown_id,     ///< hook_of knows no hook for an id
    hook_is_armed,  ///< hook_of gave a hook that waits already, here or elsewhere
};

/// A sentence for people.
[[nodiscard]] constexpr const char* describe(restore_error e) noexcept {
    switch (e) {
        case restore_error::none: return "restored";
        case restore_error::bad_magic: return "the bytes are not a snapshot of a timer queue";
        case restore_error::bad_version: return "the snapshot has a version that is not known here";
        case restore_error::bad_length: return "the snapshot is cut short or too long";
        case restore_error::bad_checksum: return "the snapshot is damaged: its checksum differs";
        case restore_error::bad_order: return "the snapshot's timers are not in order";
        case restore_error::duplicate_id: return "the snapshot has an id twice";
        case restore_error::unknown_id: return "the snapshot has an id that is not known here";
        case restore_error::hook_is_armed: return "an id belongs to a hook that is armed already";
    }
    return "unknown";
}

struct [[nodiscard]] restore_result {
    restore_error error = restore_error::none;
    std::size_t restored = 0;  ///< how many hooks were armed; 0 on an error
    std::uint64_t id = 0;      ///< of duplicate_id, unknown_id and hook_is_armed: which one

    explicit operator bool() const noexcept { return error == restore_error::none; }
};

namespace detail::snapshot_format {

inline constexpr std::array<std::byte, 4> magic{std::byte{'F'}, std::byte{'L'}, std::byte{'T'},
                                                std::byte{'W'}};
inline constexpr std::uint64_t version = 1;
inline constexpr std::size_t header_bytes = 24;
inline constexpr std::size_t entry_bytes = 16;
inline constexpr std::size_t checksum_bytes = 8;

struct entry {
    tick due;
    std::uint64_t id;
};

inline void put(std::vector<std::byte>& out, std::uint64_t value, unsigned bytes) {
    for (unsigned i = 0; i < bytes; ++i) out.push_back(static_cast<std::byte>(value >> 8 * i));
}

inline std::uint64_t get(std::span<const std::byte> in, std::size_t at, unsigned bytes) noexcept {
    std::uint64_t value = 0;
    for (unsigned i = 0; i < bytes; ++i) {
        value |= std::to_integer<std::uint64_t>(in[at + i]) << 8 * i;
    }
    return value;
}

// FNV-1a: each step can be undone, so a change of any one byte changes the sum.
inline std::uint64_t checksum(std::span<const std::byte> bytes) noexcept {
    std::uint64_t sum = 0xcbf2'9ce4'8422'2325;
    for (const std::byte b : bytes) {
        sum = (sum ^ std::to_integer<std::uint64_t>(b)) * 0x0000'0100'0000'01b3;
    }
    return sum;
}

// A valid snapshot's parts, read in place.
struct view {
    std::span<const std::byte> bytes;

    [[nodiscard]] tick cursor() const noexcept { return {get(bytes, 8, 8)}; }
    [[nodiscard]] std::uint64_t count() const noexcept { return get(bytes, 16, 8); }
    [[nodiscard]] entry at(std::size_t i) const noexcept {
        const std::size_t begin = header_bytes + i * entry_bytes;
        return {{get(bytes, begin, 8)}, get(bytes, begin + 8, 8)};
    }
};

inline restore_error check_frame(std::span<const std::byte> bytes) noexcept {
    const std::size_t prefix = std::min(bytes.size(), magic.size());
    if (!std::equal(magic.begin(), magic.begin() + static_cast<std::ptrdiff_t>(prefix),
                    bytes.begin())) {
        return restore_error::bad_magic;
    }
    if (bytes.size() < magic.size() + 4) return restore_error::bad_length;
    if (get(bytes, 4, 4) != version) return restore_error::bad_version;
    if (bytes.size() < header_bytes + checksum_bytes) return restore_error::bad_length;
    const std::size_t body = bytes.size() - header_bytes - checksum_bytes;
    const std::uint64_t count = view{bytes}.count();
    if (body % entry_bytes != 0 || body / entry_bytes != count) return restore_error::bad_length;
    const std::size_t summed = bytes.size() - checksum_bytes;
    const bool sound = checksum(bytes.first(summed)) == get(bytes, summed, 8);
    return sound ? restore_error::none : restore_error::bad_checksum;
}

// Sorts `ids`, and says whether one is there twice, and which.
inline const std::uint64_t* find_duplicate(std::vector<std::uint64_t>& ids) noexcept {
    std::sort(ids.begin(), ids.end());
    const auto twice = std::adjacent_find(ids.begin(), ids.end());
    return twice == ids.end() ? nullptr : &*twice;
}

inline restore_result check_entries(const view& v) {
    std::vector<std::uint64_t> ids(static_cast<std::size_t>(v.count()));
    tick before{};
    for (std::size_t i = 0; i < ids.size(); ++i) {
        const entry e = v.at(i);
        if (e.due < before) return {restore_error::bad_order, 0, 0};
        before = e.due;
        ids[i] = e.id;
    }
    const std::uint64_t* const twice = find_duplicate(ids);
    if (twice != nullptr) return {restore_error::duplicate_id, 0, *twice};
    return {};
}

// Empties the queue again unless it is kept.
template <class Queue>
struct all_or_nothing {
    Queue& queue;
    tick before;
    bool keep = false;
    ~all_or_nothing() {
        if (!keep) queue.reset(before);
    }
};

}  // namespace detail::snapshot_format

/// The pending timers of `queue`, and where it stands. `id_of(timer_hook&)` gives a hook's id; no two
/// hooks may have the same (hardened; else restore refuses the bytes). Equal queues give equal bytes.
///
/// In an unfinished pass the snapshot holds what has not fired yet. A queue restored from it begins a
/// new pass, in which all that was due by its cursor fires, that of the next pass too.
template <timer_queue Queue, class IdOf>
    requires std::convertible_to<std::invoke_result_t<IdOf&, timer_hook&>, std::uint64_t>
[[nodiscard]] std::vector<std::byte> snapshot(const Queue& queue, IdOf&& id_of) {
    namespace format = detail::snapshot_format;
    std::vector<format::entry> entries;
    entries.reserve(queue.size());
    queue.for_each([&](timer_hook& hook) { entries.push_back({hook.due(), id_of(hook)}); });
    std::stable_sort(entries.begin(), entries.end(),
                     [](const format::entry& a, const format::entry& b) { return a.due < b.due; });
    if constexpr (detail::hardened) {
        std::vector<std::uint64_t> ids;
        for (const format::entry& e : entries) ids.push_back(e.id);
        detail::require(format::find_duplicate(ids) == nullptr, "snapshot: two hooks with one id");
    }
    std::vector<std::byte> out;
    out.reserve(format::header_bytes + entries.size() * format::entry_bytes +
                format::checksum_bytes);
    out.insert(out.end(), format::magic.begin(), format::magic.end());
    format::put(out, format::version, 4);
    format::put(out, queue.cursor().count, 8);
    format::put(out, entries.size(), 8);
    for (const format::entry& e : entries) {
        format::put(out, e.due.count, 8);
        format::put(out, e.id, 8);
    }
    format::put(out, format::checksum(out), 8);
    return out;
}

/// Goes to the snapshot's tick and arms its hooks. `queue` must be empty (checked) and may be of
/// another model than the one that the bytes are from; not from a sink (checked). `hook_of(id)` gives
/// a hook that is not armed, or null if it knows none, and must not use the queue. All or nothing. Then snapshot(queue) gives the
/// same bytes.
template <timer_queue Queue, class HookOf>
    requires std::convertible_to<std::invoke_result_t<HookOf&, std::uint64_t>, timer_hook*>
restore_result restore(Queue& queue, std::span<const std::byte> bytes, HookOf&& hook_of) {
    namespace format = detail::snapshot_format;
    detail::require(queue.empty(), "restore: the queue is not empty");
    const restore_error frame = format::check_frame(bytes);
    if (frame != restore_error::none) return {frame, 0, 0};
    const format::view view{bytes};
    const restore_result entries = format::check_entries(view);
    if (!entries) return entries;
    format::all_or_nothing<Queue> guard{queue, queue.cursor()};
    queue.reset(view.cursor());
    const auto count = static_cast<std::size_t>(view.count());
    for (std::size_t i = 0; i < count; ++i) {
        const format::entry e = view.at(i);
        timer_hook* const hook = hook_of(e.id);
        if (hook == nullptr) return {restore_error::unknown_id, 0, e.id};
        if (hook->armed()) return {restore_error::hook_is_armed, 0, e.id};
        queue.schedule(*hook, e.due);
    }
    guard.keep = true;
    return {restore_error::none, count, 0};
}

}  // namespace foliot

// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.hpp"
#include "store/record.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace foliot::store {

// The durable due-time store: the truth about every timer. The wheel is loaded from it.
//
// Keyspaces (per shard):
//   near  (sequence)                    -> row   timers that the engine holds in memory, all of them
//   far   (clock, next due, sequence)   -> row   in due order, with an
//   ids   (namespace, id)               -> place of its far or dead row
//   dead  (sequence)                    -> row   deliveries that failed for good
//   meta                                -> counts, clock offset, low-water marks
//
// SingleDelete rule: a near key that was written exactly once may be removed with a single-delete
// (`remove_near::written_once`), which vanishes at the next flush together with its row. A key that
// was ever overwritten, or that was removed and written again, must not (the old value would come
// back); `record::rewritten` carries that knowledge. No range deletes cover live rows.

enum class store_code : std::uint8_t {
    unavailable,  ///< try later; after a failed commit the outcome is unknown: acquire and reload
    no_space,     ///< the disk is full; as `unavailable`
    fenced,       ///< the epoch is no longer current: another owner has the shard. Nothing written
    locked,       ///< another process has this store open
    corrupt,      ///< stored bytes do not decode; `message` says where
    unsupported,  ///< written by a newer format than this program knows
};

struct store_error {
    store_code code = store_code::unavailable;
    std::string message;
};

template <class T>
using store_result = result<T, store_error>;

/// Facts of a shard that are cheaper to keep than to count. Written with every commit.
struct shard_meta {
    std::uint64_t pending = 0;         ///< rows in near + far of timers that have not ended
    std::uint64_t dead = 0;            ///< rows in dead
    std::int64_t clock_offset_ns = 0;  ///< wall clock minus service clock
    std::uint64_t boot = 0;            ///< the machine's boot in which this was written; 0: unknown
    std::int64_t service_base_ns = 0;  ///< service clock minus that boot's clock
    tick far_low_water[2];             ///< by clock: no far row has a next due below this; a
                                       ///< commit that puts one below it is a checked error
    std::uint64_t retained = 0;        ///< rows in near + far of timers that have ended
    std::string unknown{};             ///< optional fields of a newer program, kept as they are

    friend bool operator==(const shard_meta&, const shard_meta&) = default;
};

struct put_near {
    record row;
};  ///< insert or overwrite
struct put_far {
    record row;
};  ///< and its id row
struct put_dead {
    record row;
};  ///< and its id row
struct remove_near {
    sequence seq;
    bool written_once = false;
};
struct remove_far {
    due_point next;
    sequence seq;
    std::string ns, id;
};  ///< and its id row
struct remove_dead {
    sequence seq;
    std::string ns, id;
};  ///< and its id row
using operation = std::variant<put_near, put_far, put_dead, remove_near, remove_far, remove_dead>;

/// What one commit does: all of it or nothing. Operations apply in order (so that remove_far and a
/// later put_far of the same id leave the id row of the latter). Removing what is not there does
/// nothing. A put_far or put_dead replaces the id row, but not the row that the old one named.
struct batch {
    std::vector<operation> operations;
    shard_meta meta;
};

struct acquired {
    epoch current{};
    shard_meta meta;
};

/// A page ends early after the row with which its ids, queues and payloads reach this.
inline constexpr std::size_t max_page_bytes = std::size_t{16} << 20;

/// At most `limit` rows, fewer where they are large: only `end` says that a range is exhausted.
struct page {
    std::vector<record> rows;
    bool end = false;  ///< nothing more in the range that was asked for
};

/// A place in due order; pages resume strictly after one, so that a millisecond may hold any number.
/// The default one is before every row (no sequence is 0: the first epoch is 1).
struct far_position {
    tick next;
    sequence seq;

    friend constexpr auto operator<=>(far_position, far_position) = default;
    friend constexpr bool operator==(far_position, far_position) = default;
};

enum class place : std::uint8_t { far = 1, dead = 2 };

struct found {
    place where = place::far;
    record row;
};

struct timer_key {
    std::string ns;
    std::string id;
};

/// Time: as stated at each call; every call may block on a disk.
/// Threads: all calls are thread-safe; one committer and one loader work side by side.
/// Memory: results are owned by the caller. Errors: `store_result`, never an exception.
/// Order: a load that begins after `commit` returned sees it.
class due_store {
public:
    virtual ~due_store() = default;

    /// Take the shard: returns a new epoch, greater than any before, made durable; all older epochs
    /// are fenced from here on. Recovers the store first if an earlier failure broke it (reopens
    /// it), so this is also the call after a failed or ambiguous commit.
    virtual store_result<acquired> acquire(shard_id shard) = 0;

    /// Give the shard up; the epoch is fenced. Idempotent.
    virtual store_result<done> release(shard_id shard, epoch e) = 0;

    /// Apply `b` atomically; it is durable (unless weakened by a named option) when this returns.
    /// On any error but `fenced` the outcome is unknown until the next `acquire`.
    virtual store_result<done> commit(shard_id shard, epoch e, const batch& b) = 0;

    /// Near rows with a sequence above `after`, ascending. O(limit).
    virtual store_result<page> load_near(shard_id shard, epoch e, sequence after,
                                         std::size_t limit) = 0;

    /// Far rows of one clock, strictly after `after`, with next due <= `to`, ascending by
    /// (next due, sequence). O(limit), given a truthful low-water mark.
    virtual store_result<page> load_far(shard_id shard, epoch e, clock_kind clock,
                                        far_position after, tick to, std::size_t limit) = 0;

    /// Dead rows with a sequence above `after`, ascending. O(limit).
    virtual store_result<page> load_dead(shard_id shard, epoch e, sequence after,
                                         std::size_t limit) = 0;

    /// Look up ids among far and dead rows (near rows are in the engine's memory). The result has
    /// the size and order of `keys`. A key that was never written costs a bloom filter.
    virtual store_result<std::vector<std::optional<found>>> find(
        shard_id shard, epoch e, std::span<const timer_key> keys) = 0;
};

}  // namespace foliot::store

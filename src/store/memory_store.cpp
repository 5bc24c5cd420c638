// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "store/memory_store.hpp"

#include "store/batch_check.hpp"
#include "store/record_codec.hpp"
#include "store/store_errors.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <tuple>
#include <unordered_set>

namespace foliot::store {
namespace {

using far_place = std::tuple<clock_kind, tick, sequence>;
using name = std::pair<std::string, std::string>;

struct near_row {
    record row;
    bool written_once = true;
};

struct shard_state {
    std::uint32_t last_epoch = 0;
    std::optional<epoch> owner;
    shard_meta meta;
    std::map<sequence, near_row> near;
    std::unordered_set<std::uint64_t> near_removed;
    std::map<far_place, record> far;
    std::map<sequence, record> dead;
    std::map<name, id_entry> ids;
};

/// Applies the operations of one batch to a shard, in order.
struct applier {
    shard_state& to;

    void operator()(const put_near& op) const {
        const auto [at, is_new] = to.near.try_emplace(op.row.seq);
        at->second.row = op.row;
        at->second.written_once = is_new && !to.near_removed.contains(op.row.seq.value);
    }
    void operator()(const put_far& op) const {
        to.far.insert_or_assign({op.row.next.clock, op.row.next.at, op.row.seq}, op.row);
        to.ids.insert_or_assign({op.row.ns, op.row.id},
                                id_entry{place::far, op.row.next, op.row.seq});
    }
    void operator()(const put_dead& op) const {
        to.dead.insert_or_assign(op.row.seq, op.row);
        to.ids.insert_or_assign({op.row.ns, op.row.id}, id_entry{place::dead, {}, op.row.seq});
    }
    void operator()(const remove_near& op) const {
        const auto at = to.near.find(op.seq);
        if (at == to.near.end()) return;
        require(!op.written_once || at->second.written_once,
                "remove_near::written_once of a key that was written more than once");
        to.near.erase(at);
        to.near_removed.insert(op.seq.value);
    }
    void operator()(const remove_far& op) const {
        to.far.erase({op.next.clock, op.next.at, op.seq});
        to.ids.erase({op.ns, op.id});
    }
    void operator()(const remove_dead& op) const {
        to.dead.erase(op.seq);
        to.ids.erase({op.ns, op.id});
    }
};

const record& row_of(const near_row& r) { return r.row; }
const record& row_of(const record& r) { return r; }

/// One page of the rows in [from, to).
template <class Iterator>
page read_page(Iterator from, Iterator to, std::size_t limit) {
    page result;
    std::size_t bytes = 0;
    while (from != to && result.rows.size() < limit && bytes < max_page_bytes) {
        result.rows.push_back(row_of(from->second));
        bytes += page_bytes(result.rows.back());
        ++from;
    }
    result.end = from == to;
    return result;
}

class memory_store final : public due_store {
public:
    store_result<acquired> acquire(shard_id shard) override {
        const std::lock_guard lock(mutex_);
        shard_state& s = shards_[shard];
        s.owner.reset();
        if (s.last_epoch >= max_epoch) return epochs_ran_out(shard);
        s.owner = epoch{++s.last_epoch};
        return acquired{*s.owner, s.meta};
    }

    store_result<done> release(shard_id shard, epoch e) override {
        const std::lock_guard lock(mutex_);
        if (shard_state* s = owned(shard, e)) s->owner.reset();
        return done{};
    }

    store_result<done> commit(shard_id shard, epoch e, const batch& b) override {
        check_batch(b);
        const std::lock_guard lock(mutex_);
        shard_state* s = owned(shard, e);
        if (s == nullptr) return fenced_off(shard, e);
        for (const operation& op : b.operations) std::visit(applier{*s}, op);
        s->meta = b.meta;
        return done{};
    }

    store_result<page> load_near(shard_id shard, epoch e, sequence after,
                                 std::size_t limit) override {
        const std::lock_guard lock(mutex_);
        shard_state* s = owned(shard, e);
        if (s == nullptr) return fenced_off(shard, e);
        return read_page(s->near.upper_bound(after), s->near.end(), limit);
    }

    store_result<page> load_far(shard_id shard, epoch e, clock_kind clock, far_position after,
                                tick to, std::size_t limit) override {
        const std::lock_guard lock(mutex_);
        shard_state* s = owned(shard, e);
        if (s == nullptr) return fenced_off(shard, e);
        const tick low = s->meta.far_low_water[static_cast<std::size_t>(clock)];
        const auto end = s->far.upper_bound({clock, to, {UINT64_MAX}});
        const auto from = after.next < low ? s->far.lower_bound({clock, low, {}})
                                           : s->far.upper_bound({clock, after.next, after.seq});
        // A start past the end (nothing is wanted) must not become a walk that never meets it.
        const bool empty = to < low || to < after.next;
        return read_page(empty ? end : from, end, limit);
    }

    store_result<page> load_dead(shard_id shard, epoch e, sequence after,
                                 std::size_t limit) override {
        const std::lock_guard lock(mutex_);
        shard_state* s = owned(shard, e);
        if (s == nullptr) return fenced_off(shard, e);
        return read_page(s->dead.upper_bound(after), s->dead.end(), limit);
    }

    store_result<std::vector<std::optional<found>>> find(shard_id shard, epoch e,
                                                         std::span<const timer_key> keys) override {
        const std::lock_guard lock(mutex_);
        shard_state* s = owned(shard, e);
        if (s == nullptr) return fenced_off(shard, e);
        std::vector<std::optional<found>> results(keys.size());
        for (std::size_t i = 0; i < keys.size(); ++i) {
            const auto at = s->ids.find({keys[i].ns, keys[i].id});
            if (at == s->ids.end()) continue;
            const record* row = row_at(*s, at->second);
            if (row == nullptr) return id_without_row(shard, keys[i]);
            results[i] = found{at->second.where, *row};
        }
        return results;
    }

private:
    shard_state* owned(shard_id shard, epoch e) {
        const auto at = shards_.find(shard);
        return at != shards_.end() && at->second.owner == e ? &at->second : nullptr;
    }

    static const record* row_at(const shard_state& s, const id_entry& entry) {
        if (entry.where == place::far) {
            const auto at = s.far.find({entry.next.clock, entry.next.at, entry.seq});
            return at == s.far.end() ? nullptr : &at->second;
        }
        const auto at = s.dead.find(entry.seq);
        return at == s.dead.end() ? nullptr : &at->second;
    }

    std::mutex mutex_;
    std::map<shard_id, shard_state> shards_;  // guarded by mutex_
};

}  // namespace

std::unique_ptr<due_store> make_memory_store() { return std::make_unique<memory_store>(); }

}  // namespace foliot::store

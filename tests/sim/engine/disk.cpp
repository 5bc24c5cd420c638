// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "sim/engine/disk.hpp"

#include "store/batch_check.hpp"

#include <stdexcept>

namespace foliot::sim {

using store::operation;
using store::record;

namespace {

std::string encode(const record& row) {
    std::string bytes;
    store::encode_record(row, bytes);
    return bytes;
}

template <class T>
T whole(store::store_result<T> r) {
    if (!r) throw std::runtime_error("stored bytes do not decode: " + r.error().message);
    return std::move(*r);
}

template <class Iterator, class Bytes>
store::page page_of(Iterator from, Iterator to, std::size_t limit, Bytes bytes) {
    store::page p;
    for (; from != to && p.rows.size() < limit; ++from) {
        p.rows.push_back(whole(store::decode_record(bytes(from->second))));
    }
    p.end = from == to;
    return p;
}

const std::string& as_it_is(const std::string& bytes) { return bytes; }

}  // namespace

void disk::put(const record& row, scanned_row::place where) {
    const bool far = where == scanned_row::place::far;
    if (far) {
        far_.insert_or_assign({row.next.clock, row.next.at, row.seq}, encode(row));
    } else {
        dead_.insert_or_assign(row.seq, encode(row));
    }
    store::id_entry id{far ? store::place::far : store::place::dead,
                       far ? row.next : store::due_point{}, row.seq};
    std::string bytes;
    store::encode_id_entry(id, bytes);
    ids_.insert_or_assign({row.ns, row.id}, std::move(bytes));
}

void disk::apply(const store::batch& b) {
    store::check_batch(b);
    for (const operation& op : b.operations) {
        if (const auto* p = std::get_if<store::put_near>(&op)) {
            const auto [at, is_new] = near_.try_emplace(p->row.seq);
            at->second = {encode(p->row), is_new && !near_removed_.contains(p->row.seq)};
        } else if (const auto* f = std::get_if<store::put_far>(&op)) {
            put(f->row, scanned_row::place::far);
        } else if (const auto* d = std::get_if<store::put_dead>(&op)) {
            put(d->row, scanned_row::place::dead);
        } else if (const auto* n = std::get_if<store::remove_near>(&op)) {
            const auto at = near_.find(n->seq);
            if (at == near_.end()) continue;
            store::require(!n->written_once || at->second.written_once,
                           "remove_near::written_once of a key that was written more than once");
            near_.erase(at);
            near_removed_.insert(n->seq);
        } else if (const auto* r = std::get_if<store::remove_far>(&op)) {
            far_.erase({r->next.clock, r->next.at, r->seq});
            ids_.erase({r->ns, r->id});
        } else if (const auto* e = std::get_if<store::remove_dead>(&op)) {
            dead_.erase(e->seq);
            ids_.erase({e->ns, e->id});
        }
    }
    std::string bytes;
    store::encode_meta(b.meta, bytes);
    meta = whole(store::decode_meta(bytes));
}

store::page disk::near(store::sequence after, std::size_t limit) const {
    return page_of(near_.upper_bound(after), near_.end(), limit,
                   [](const near_row& r) -> const std::string& { return r.bytes; });
}

store::page disk::far(store::clock_kind clock, store::far_position after, tick to,
                      std::size_t limit) const {
    const tick low = meta.far_low_water[static_cast<std::size_t>(clock)];
    const auto end = far_.upper_bound({clock, to, {UINT64_MAX}});
    const bool nothing = to < low || to < after.next;
    const auto from = nothing            ? end
                      : after.next < low ? far_.lower_bound({clock, low, {}})
                                         : far_.upper_bound({clock, after.next, after.seq});
    return page_of(from, end, limit, as_it_is);
}

store::page disk::dead(store::sequence after, std::size_t limit) const {
    return page_of(dead_.upper_bound(after), dead_.end(), limit, as_it_is);
}

std::optional<store::found> disk::find(const store::timer_key& key) const {
    const auto at = ids_.find({key.ns, key.id});
    if (at == ids_.end()) return std::nullopt;
    const auto id = whole(store::decode_id_entry(at->second));
    if (id.where == store::place::far) {
        const auto row = far_.find({id.next.clock, id.next.at, id.seq});
        if (row == far_.end()) throw std::runtime_error(key.id + ": its id row names no row");
        return store::found{id.where, whole(store::decode_record(row->second))};
    }
    const auto row = dead_.find(id.seq);
    if (row == dead_.end()) throw std::runtime_error(key.id + ": its id row names no row");
    return store::found{id.where, whole(store::decode_record(row->second))};
}

std::vector<scanned_row> disk::scan() const {
    std::vector<scanned_row> rows;
    for (const auto& [k, r] : near_) {
        rows.push_back({scanned_row::place::near, whole(store::decode_record(r.bytes))});
    }
    for (const auto& [k, r] : far_) {
        rows.push_back({scanned_row::place::far, whole(store::decode_record(r))});
    }
    for (const auto& [k, r] : dead_) {
        rows.push_back({scanned_row::place::dead, whole(store::decode_record(r))});
    }
    return rows;
}

std::string disk::damage() const {
    std::set<name> seen;
    for (const auto& r : scan()) {
        const name n{r.row.ns, r.row.id};
        if (!seen.insert(n).second) return r.row.id + " has two rows";
        if (r.where == scanned_row::place::near) continue;
        const auto id = ids_.find(n);
        if (id == ids_.end()) return r.row.id + " has a far or dead row, but no id row";
        if (whole(store::decode_id_entry(id->second)).seq != r.row.seq) {
            return r.row.id + ": its id row names another row";
        }
        const auto clock = static_cast<std::size_t>(r.row.next.clock);
        if (r.where == scanned_row::place::far && r.row.next.at < meta.far_low_water[clock]) {
            return r.row.id + " lies below the low-water mark";
        }
    }
    if (ids_.size() != far_.size() + dead_.size()) return "there are id rows without a row";
    return {};
}

}  // namespace foliot::sim

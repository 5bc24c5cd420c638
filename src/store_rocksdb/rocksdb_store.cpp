// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "store_rocksdb/rocksdb_store.hpp"

#include "store/batch_check.hpp"
#include "store/key_codec.hpp"
#include "store/record_codec.hpp"
#include "store/store_errors.hpp"
#include "store_rocksdb/backup.hpp"
#include "store_rocksdb/batch_writer.hpp"
#include "store_rocksdb/database.hpp"
#include "store_rocksdb/test_access.hpp"

#include <rocksdb/snapshot.h>
#include <rocksdb/utilities/checkpoint.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <numeric>
#include <shared_mutex>

namespace foliot::store {
namespace {

std::string_view view(const rocksdb::Slice& s) { return {s.data(), s.size()}; }

rocksdb::WriteOptions write_options(durability d) {
    rocksdb::WriteOptions options;
    options.sync = d == durability::fdatasync;
    return options;
}

/// What the key of a row says about it; the row must agree.
bool is_key_of(const record& row, column c, std::string_view key) {
    if (c == column::far) {
        const auto parsed = parse_far_key(key);
        return parsed && parsed->clock == row.next.clock && parsed->at.next == row.next.at &&
               parsed->at.seq == row.seq;
    }
    const auto parsed = parse_sequence_key(key);
    return parsed && parsed->seq == row.seq;
}

std::string describe(column c, std::string_view key) {
    const std::string kind = c == column::near ? "near" : c == column::far ? "far" : "dead";
    if (const auto far = parse_far_key(key); c == column::far && far) {
        return kind + " row, due " + std::to_string(far->at.next.count) + ", sequence " +
               std::to_string(far->at.seq.value);
    }
    if (const auto at = parse_sequence_key(key); c != column::far && at) {
        return kind + " row, sequence " + std::to_string(at->seq.value);
    }
    return kind + " row with a key of " + std::to_string(key.size()) + " bytes";
}

store_result<record> decode_row(column c, std::string_view key, std::string_view value) {
    auto row = decode_record(value);
    if (!row) {
        return store_error{row.error().code, describe(c, key) + ": " + row.error().message};
    }
    if (!is_key_of(*row, c, key)) {
        return store_error{store_code::corrupt, describe(c, key) + ": the record is of sequence " +
                                                    std::to_string(row->seq.value) +
                                                    " or of another due"};
    }
    return row;
}

struct owner {
    explicit owner(epoch e, const shard_meta& meta) : current(e) { keep_low_water(meta); }

    void keep_low_water(const shard_meta& meta) {
        for (std::size_t i = 0; i < 2; ++i) far_low_water[i] = meta.far_low_water[i].count;
    }

    epoch current;
    std::atomic<std::uint64_t> far_low_water[2];
};

class rocksdb_store final : public due_store {
public:
    rocksdb_store(rocksdb_options options, std::unique_ptr<database> db)
        : options_(std::move(options)), db_(std::move(db)) {}

    store_result<acquired> acquire(shard_id shard) override;
    store_result<done> release(shard_id shard, epoch e) override;
    store_result<done> commit(shard_id shard, epoch e, const batch& b) override;
    store_result<page> load_near(shard_id shard, epoch e, sequence after,
                                 std::size_t limit) override;
    store_result<page> load_far(shard_id shard, epoch e, clock_kind clock, far_position after,
                                tick to, std::size_t limit) override;
    store_result<page> load_dead(shard_id shard, epoch e, sequence after,
                                 std::size_t limit) override;
    store_result<std::vector<std::optional<found>>> find(shard_id shard, epoch e,
                                                         std::span<const timer_key> keys) override;

    store_result<done> back_up(const std::string& to);

    [[nodiscard]] database& raw() { return *db_; }
    void mark_broken(store_error why);

private:
    using values = std::vector<rocksdb::PinnableSlice>;  // one whose key is missing is not pinned

    std::optional<store_error> refuse(shard_id shard, epoch e, owner** found_owner = nullptr);
    std::optional<store_error> broken();
    std::optional<store_error> reopen_if_broken();
    store_result<epoch> next_epoch(shard_id shard);
    store_result<shard_meta> stored_meta(shard_id shard);
    store_result<page> scan(column c, std::string_view from, std::string_view end,
                            std::size_t limit);
    store_result<std::vector<std::optional<std::string>>> get_all(
        const rocksdb::ReadOptions& options, column c, std::span<const std::string> keys);
    std::optional<store_error> find_rows(const rocksdb::ReadOptions& options, shard_id shard,
                                         place where, std::span<const timer_key> keys,
                                         std::span<const std::optional<id_entry>> entries,
                                         std::vector<std::optional<found>>& results);

    const rocksdb_options options_;

    // Shared by every call that uses the database, exclusive where it or an owner is exchanged.
    std::shared_mutex mutex_;
    std::unique_ptr<database> db_;  // null after a reopening that failed
    std::map<shard_id, owner> owners_;

    std::mutex broken_mutex_;
    std::optional<store_error> broken_;  // the first failed write since the last opening
};

void rocksdb_store::mark_broken(store_error why) {
    const std::lock_guard lock(broken_mutex_);
    if (!broken_) broken_ = std::move(why);
}

std::optional<store_error> rocksdb_store::broken() {
    const std::lock_guard lock(broken_mutex_);
    return broken_;
}

/// Why a call with this epoch must not go on, if so. The caller holds the mutex.
std::optional<store_error> rocksdb_store::refuse(shard_id shard, epoch e, owner** found_owner) {
    const auto at = owners_.find(shard);
    if (at == owners_.end() || at->second.current != e) return fenced_off(shard, e);
    if (db_ == nullptr) return broken();
    if (found_owner != nullptr) *found_owner = &at->second;
    return std::nullopt;
}

/// The caller holds the mutex exclusively.
std::optional<store_error> rocksdb_store::reopen_if_broken() {
    if (!broken()) return std::nullopt;
    db_.reset();  // before the new one: it holds the directory's lock
    auto opened = database::open(options_);
    if (!opened) {
        const std::lock_guard lock(broken_mutex_);
        broken_ = opened.error();
        return opened.error();
    }
    db_ = std::move(*opened);
    const std::lock_guard lock(broken_mutex_);
    broken_.reset();
    return std::nullopt;
}

store_result<acquired> rocksdb_store::acquire(shard_id shard) {
    const std::unique_lock lock(mutex_);
    owners_.erase(shard);
    if (auto error = reopen_if_broken()) return *std::move(error);
    auto meta = stored_meta(shard);
    if (!meta) return std::move(meta).error();
    auto e = next_epoch(shard);
    if (!e) return std::move(e).error();
    owners_.try_emplace(shard, *e, *meta);
    return acquired{*e, *meta};
}

store_result<shard_meta> rocksdb_store::stored_meta(shard_id shard) {
    std::string value;
    const auto status =
        (*db_)->Get(rocksdb::ReadOptions{}, db_->at(column::meta), make_meta_key(shard), &value);
    if (status.IsNotFound()) return shard_meta{};
    if (!status.ok()) return to_store_error(status, "cannot read the meta of " + options_.path);
    return decode_meta(value);
}

store_result<epoch> rocksdb_store::next_epoch(shard_id shard) {
    const std::string key = make_epoch_key(shard);
    std::string value;
    std::uint32_t last = 0;
    const auto read = (*db_)->Get(rocksdb::ReadOptions{}, db_->at(column::meta), key, &value);
    if (read.ok()) {
        const auto stored = decode_number(value, "epoch");
        if (!stored) return stored.error();
        last = *stored;
    } else if (!read.IsNotFound()) {
        return to_store_error(read, "cannot read the epoch of " + options_.path);
    }
    if (last >= max_epoch) return epochs_ran_out(shard);
    value.clear();
    encode_number(last + 1, value);
    const auto written =
        (*db_)->Put(write_options(durability::fdatasync), db_->at(column::meta), key, value);
    if (written.ok()) return epoch{last + 1};
    auto error = to_store_error(written, "cannot write the epoch of " + options_.path);
    mark_broken(error);
    return error;
}

store_result<done> rocksdb_store::release(shard_id shard, epoch e) {
    const std::unique_lock lock(mutex_);
    const auto at = owners_.find(shard);
    if (at != owners_.end() && at->second.current == e) owners_.erase(at);
    return done{};
}

store_result<done> rocksdb_store::commit(shard_id shard, epoch e, const batch& b) {
    check_batch(b);
    const std::shared_lock lock(mutex_);
    owner* committer = nullptr;
    if (auto error = refuse(shard, e, &committer)) return *std::move(error);
    if (auto error = broken()) return *std::move(error);
    batch_writer writer(*db_, shard, b.operations.size());
    for (const operation& op : b.operations) std::visit(writer, op);
    writer.put_meta(b.meta);
    const auto status = writer.write(write_options(options_.durability));
    if (!status.ok()) {
        auto error = to_store_error(status, "cannot commit to " + options_.path);
        mark_broken(error);
        return error;
    }
    committer->keep_low_water(b.meta);
    return done{};
}

/// The rows of [from, end). The caller holds the mutex.
store_result<page> rocksdb_store::scan(column c, std::string_view from, std::string_view end,
                                       std::size_t limit) {
    const rocksdb::Slice bound = slice(end);
    rocksdb::ReadOptions options;
    options.iterate_upper_bound = &bound;
    options.readahead_size = std::size_t{512} << 10;
    options.fill_cache = false;  // rows are read once; ids and their filters need the cache
    page result;
    if (from >= end) {
        result.end = true;
        return result;
    }
    const std::unique_ptr<rocksdb::Iterator> rows((*db_)->NewIterator(options, db_->at(c)));
    std::size_t bytes = 0;
    for (rows->Seek(slice(from)); rows->Valid(); rows->Next()) {
        if (result.rows.size() >= limit || bytes >= max_page_bytes) return result;
        auto row = decode_row(c, view(rows->key()), view(rows->value()));
        if (!row) return std::move(row).error();
        bytes += page_bytes(*row);
        result.rows.push_back(*std::move(row));
    }
    if (!rows->status().ok()) {
        return to_store_error(rows->status(), "cannot load from " + options_.path);
    }
    result.end = true;
    return result;
}

store_result<page> rocksdb_store::load_near(shard_id shard, epoch e, sequence after,
                                            std::size_t limit) {
    const std::shared_lock lock(mutex_);
    if (auto error = refuse(shard, e)) return *std::move(error);
    return scan(column::near, make_sequence_key(shard, after).successor(),
                make_sequence_key(shard, {UINT64_MAX}).successor(), limit);
}

store_result<page> rocksdb_store::load_dead(shard_id shard, epoch e, sequence after,
                                            std::size_t limit) {
    const std::shared_lock lock(mutex_);
    if (auto error = refuse(shard, e)) return *std::move(error);
    return scan(column::dead, make_sequence_key(shard, after).successor(),
                make_sequence_key(shard, {UINT64_MAX}).successor(), limit);
}

store_result<page> rocksdb_store::load_far(shard_id shard, epoch e, clock_kind clock,
                                           far_position after, tick to, std::size_t limit) {
    const std::shared_lock lock(mutex_);
    owner* loader = nullptr;
    if (auto error = refuse(shard, e, &loader)) return *std::move(error);
    const tick low{loader->far_low_water[static_cast<std::size_t>(clock)].load()};
    const std::string from = std::max(make_far_key(shard, clock, after).successor(),
                                      std::string(make_far_key(shard, clock, {low, {}}).view()));
    return scan(column::far, from, make_far_key(shard, clock, {to, {UINT64_MAX}}).successor(),
                limit);
}

/// The values of `keys`, in their order. RocksDB reads sorted keys in fewer steps.
store_result<std::vector<std::optional<std::string>>> rocksdb_store::get_all(
    const rocksdb::ReadOptions& options, column c, std::span<const std::string> keys) {
    std::vector<std::size_t> order(keys.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return keys[a] < keys[b]; });
    std::vector<rocksdb::Slice> sorted;
    sorted.reserve(keys.size());
    for (const std::size_t i : order) sorted.push_back(slice(keys[i]));
    values read(keys.size());
    std::vector<rocksdb::Status> statuses(keys.size());
    (*db_)->MultiGet(options, db_->at(c), sorted.size(), sorted.data(), read.data(),
                     statuses.data(), /*sorted_input=*/true);
    std::vector<std::optional<std::string>> results(keys.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
        if (statuses[i].ok()) {
            results[order[i]] = read[i].ToString();
        } else if (!statuses[i].IsNotFound()) {
            return to_store_error(statuses[i], "cannot look up ids in " + options_.path);
        }
    }
    return results;
}

/// Reads the rows that the id rows in one place point to.
std::optional<store_error> rocksdb_store::find_rows(
    const rocksdb::ReadOptions& options, shard_id shard, place where,
    std::span<const timer_key> keys, std::span<const std::optional<id_entry>> entries,
    std::vector<std::optional<found>>& results) {
    const column c = where == place::far ? column::far : column::dead;
    std::vector<std::string> row_keys;
    std::vector<std::size_t> wanted;
    for (std::size_t i = 0; i < entries.size(); ++i) {
        if (!entries[i] || entries[i]->where != where) continue;
        const auto& [_, next, seq] = *entries[i];
        row_keys.emplace_back(where == place::far
                                  ? make_far_key(shard, next.clock, {next.at, seq}).view()
                                  : make_sequence_key(shard, seq).view());
        wanted.push_back(i);
    }
    auto stored = get_all(options, c, row_keys);
    if (!stored) return std::move(stored).error();
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        if (!(*stored)[i]) return id_without_row(shard, keys[wanted[i]]);
        auto row = decode_row(c, row_keys[i], *(*stored)[i]);
        if (!row) return std::move(row).error();
        results[wanted[i]] = found{where, *std::move(row)};
    }
    return std::nullopt;
}

store_result<std::vector<std::optional<found>>> rocksdb_store::find(
    shard_id shard, epoch e, std::span<const timer_key> keys) {
    const std::shared_lock lock(mutex_);
    if (auto error = refuse(shard, e)) return *std::move(error);
    // One view of the store for ids and rows, so that a commit between them moves nothing away.
    rocksdb::ManagedSnapshot now(db_->get());
    rocksdb::ReadOptions options;
    options.snapshot = now.snapshot();

    std::vector<std::string> id_keys;
    id_keys.reserve(keys.size());
    for (const timer_key& key : keys) id_keys.push_back(make_id_key(shard, key.ns, key.id));
    auto stored = get_all(options, column::ids, id_keys);
    if (!stored) return std::move(stored).error();

    std::vector<std::optional<id_entry>> entries(keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i) {
        if (!(*stored)[i]) continue;
        auto entry = decode_id_entry(*(*stored)[i]);
        if (!entry) {
            return store_error{entry.error().code, "id row of " + keys[i].ns + "/" + keys[i].id +
                                                       ": " + entry.error().message};
        }
        entries[i] = *entry;
    }
    std::vector<std::optional<found>> results(keys.size());
    for (const place where : {place::far, place::dead}) {
        if (auto error = find_rows(options, shard, where, keys, entries, results)) {
            return *std::move(error);
        }
    }
    return results;
}

store_result<done> rocksdb_store::back_up(const std::string& to) {
    const std::shared_lock lock(mutex_);
    if (auto error = broken()) return *std::move(error);
    rocksdb::Checkpoint* made = nullptr;
    auto status = rocksdb::Checkpoint::Create(db_->get(), &made);
    const std::unique_ptr<rocksdb::Checkpoint> checkpoint(made);
    if (status.ok()) status = checkpoint->CreateCheckpoint(to);
    if (!status.ok()) return to_store_error(status, "cannot back up to " + to);
    return done{};
}

}  // namespace

store_result<done> back_up(due_store& store, const std::string& to) {
    if (auto* ours = dynamic_cast<rocksdb_store*>(&store)) return ours->back_up(to);
    return store_error{store_code::unsupported, "this kind of store makes no backups"};
}

store_result<std::unique_ptr<due_store>> open_rocksdb_store(const rocksdb_options& options) {
    auto opened = database::open(options);
    if (!opened) return std::move(opened).error();
    return std::unique_ptr<due_store>(std::make_unique<rocksdb_store>(options, *std::move(opened)));
}

namespace test_access {
namespace {

database& raw(due_store& store) { return dynamic_cast<rocksdb_store&>(store).raw(); }

store_result<done> to_result(const rocksdb::Status& status) {
    if (!status.ok()) return to_store_error(status, "test access");
    return done{};
}

template <class Visit>
store_result<done> for_each_column(database& db, Visit visit) {
    for (std::size_t i = 0; i < column_count; ++i) {
        if (auto result = to_result(visit(db.at(column{i}))); !result) return result;
    }
    return done{};
}

}  // namespace

store_result<done> flush(due_store& store) {
    database& db = raw(store);
    return for_each_column(db, [&](auto* handle) { return db->Flush({}, handle); });
}

store_result<done> compact(due_store& store) {
    database& db = raw(store);
    rocksdb::CompactRangeOptions options;
    options.bottommost_level_compaction = rocksdb::BottommostLevelCompaction::kForceOptimized;
    return for_each_column(
        db, [&](auto* handle) { return db->CompactRange(options, handle, nullptr, nullptr); });
}

std::uint64_t file_bytes(due_store& store) {
    database& db = raw(store);
    std::uint64_t bytes = 0;
    db->GetAggregatedIntProperty("rocksdb.live-sst-files-size", &bytes);
    return bytes;
}

std::uint64_t file_entries(due_store& store) {
    database& db = raw(store);
    std::vector<rocksdb::LiveFileMetaData> files;
    db->GetLiveFilesMetaData(&files);
    std::uint64_t entries = 0;
    for (const auto& file : files) entries += file.num_entries;
    return entries;
}

store_result<done> put_raw(due_store& store, std::string_view column_name, std::string_view key,
                           std::string_view value) {
    database& db = raw(store);
    for (std::size_t i = 0; i < column_count; ++i) {
        if (db.at(column{i})->GetName() != column_name) continue;
        return to_result(db->Put(write_options(durability::fdatasync), db.at(column{i}), slice(key),
                                 slice(value)));
    }
    return store_error{store_code::unavailable, "no column family of that name"};
}

store_result<done> add_column(due_store& store, const char* column_name) {
    database& db = raw(store);
    rocksdb::ColumnFamilyHandle* handle = nullptr;
    const auto status = db->CreateColumnFamily({}, column_name, &handle);
    if (status.ok()) db->DestroyColumnFamilyHandle(handle).PermitUncheckedError();
    return to_result(status);
}

void mark_broken(due_store& store) {
    dynamic_cast<rocksdb_store&>(store).mark_broken({store_code::unavailable, "marked by a test"});
}

}  // namespace test_access
}  // namespace foliot::store

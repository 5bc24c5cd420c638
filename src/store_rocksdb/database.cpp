// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "store_rocksdb/database.hpp"

#include "store/key_codec.hpp"
#include "store/record_codec.hpp"
#include "store_rocksdb/warning_log.hpp"

#include <rocksdb/cache.h>
#include <rocksdb/convenience.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/table.h>
#include <rocksdb/utilities/table_properties_collectors.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <system_error>

namespace foliot::store {
namespace {

constexpr std::array<const char*, column_count> column_names = {"default", "near", "far", "ids",
                                                                "dead"};

rocksdb::CompressionType light_compression() {
    const auto known = rocksdb::GetSupportedCompressions();
    for (const auto wanted : {rocksdb::kLZ4Compression, rocksdb::kSnappyCompression}) {
        if (std::find(known.begin(), known.end(), wanted) != known.end()) return wanted;
    }
    return rocksdb::kNoCompression;
}

rocksdb::DBOptions database_options(const rocksdb_options& o) {
    rocksdb::DBOptions db;
    db.create_if_missing = o.create_if_missing;
    db.create_missing_column_families = true;
    // Damage inside the log is an error, not a reason to drop what follows it: all of that was
    // acknowledged. A record cut short at the end is a commit that never returned. Without syncs
    // the end of the log may hold anything after a power cut, so there the last whole state counts.
    db.wal_recovery_mode = o.durability == durability::fdatasync
                               ? rocksdb::WALRecoveryMode::kTolerateCorruptedTailRecords
                               : rocksdb::WALRecoveryMode::kPointInTimeRecovery;
    // Only `acquire` brings a broken store back: by reopening it, so that memory and disk agree.
    db.max_bgerror_resume_count = 0;
    db.db_write_buffer_size = 3 * o.memtable_bytes;
    db.max_total_wal_size = 2 * o.memtable_bytes;
    db.max_background_jobs = 2;
    db.max_open_files = 256;
    db.bytes_per_sync = std::uint64_t{1} << 20;
    db.stats_dump_period_sec = 0;
    db.stats_persist_period_sec = 0;
    db.skip_stats_update_on_db_open = true;
    return db;
}

rocksdb::BlockBasedTableOptions table_options(const std::shared_ptr<rocksdb::Cache>& cache) {
    rocksdb::BlockBasedTableOptions table;
    table.block_cache = cache;
    table.cache_index_and_filter_blocks = true;  // or memory would grow with the number of rows
    table.pin_l0_filter_and_index_blocks_in_cache = true;
    table.format_version = 5;
    return table;
}

rocksdb::ColumnFamilyOptions rows_options(const rocksdb_options& o,
                                          const rocksdb::BlockBasedTableOptions& table) {
    rocksdb::ColumnFamilyOptions family;
    family.write_buffer_size = o.memtable_bytes;
    family.compression = o.compress ? light_compression() : rocksdb::kNoCompression;
    family.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
    // A file that is mostly removals is compacted though nothing else asks for it, so that
    // cancelled timers leave the disk long before they would have been due.
    family.table_properties_collector_factories.push_back(
        rocksdb::NewCompactOnDeletionCollectorFactory(16384, 8192, 0.5));
    return family;
}

std::vector<rocksdb::ColumnFamilyDescriptor> column_families(const rocksdb_options& o) {
    const auto cache = rocksdb::NewLRUCache(o.block_cache_bytes);
    const auto table = table_options(cache);

    auto small = rows_options(o, table);  // the shard's facts, overwritten by every commit
    small.write_buffer_size = std::max<std::size_t>(o.memtable_bytes / 16, std::size_t{64} << 10);

    auto filtered = table;
    filtered.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));
    filtered.partition_filters = true;
    filtered.index_type = rocksdb::BlockBasedTableOptions::kTwoLevelIndexSearch;
    auto ids = rows_options(o, filtered);
    ids.memtable_prefix_bloom_size_ratio = 0.02;
    ids.memtable_whole_key_filtering = true;

    const auto rows = rows_options(o, table);
    return {{column_names[0], small},
            {column_names[1], rows},
            {column_names[2], rows},
            {column_names[3], ids},
            {column_names[4], rows}};
}

/// RocksDB takes a directory without CURRENT for an empty one, and would delete what lies there.
std::optional<store_error> check_current(const std::string& path) {
    std::error_code ignored;
    if (std::filesystem::exists(path + "/CURRENT", ignored)) return std::nullopt;
    for (const auto& entry : std::filesystem::directory_iterator(path, ignored)) {
        const auto extension = entry.path().extension();
        if (extension != ".sst" && extension != ".log") continue;
        return store_error{store_code::corrupt, path + "/CURRENT is missing, but " +
                                                    entry.path().filename().string() +
                                                    " is there: restore the directory"};
    }
    return std::nullopt;
}

/// A newer Foliot may have keyspaces that this one does not know.
std::optional<store_error> check_columns(const rocksdb::DBOptions& db, const std::string& path) {
    std::vector<std::string> present;
    if (!rocksdb::DB::ListColumnFamilies(db, path, &present).ok()) return std::nullopt;
    const auto unknown = std::find_if(present.begin(), present.end(), [](const auto& name) {
        return std::find(column_names.begin(), column_names.end(), name) == column_names.end();
    });
    if (unknown == present.end()) return std::nullopt;
    return store_error{store_code::unsupported,
                       path + " holds a keyspace \"" + *unknown +
                           "\" that this program does not know: use a newer foliotd"};
}

bool is_empty(const database& db) {
    for (std::size_t i = 0; i < column_count; ++i) {
        const std::unique_ptr<rocksdb::Iterator> rows(
            db->NewIterator(rocksdb::ReadOptions{}, db.at(column{i})));
        rows->SeekToFirst();
        if (rows->Valid() || !rows->status().ok()) return false;
    }
    return true;
}

/// Reads the format marker, or writes it into a new store.
std::optional<store_error> check_format(const database& db, const std::string& path) {
    std::string stored;
    const auto read = db->Get(rocksdb::ReadOptions{}, db.at(column::meta),
                              rocksdb::Slice(format_key.data(), format_key.size()), &stored);
    if (read.ok()) {
        const auto version = decode_number(stored, "format version");
        if (!version) return version.error();
        if (*version == format_version) return std::nullopt;
        return store_error{
            *version > format_version ? store_code::unsupported : store_code::corrupt,
            path + " holds format " + std::to_string(*version) + "; this program knows format " +
                std::to_string(format_version) +
                (*version > format_version ? ": use a newer foliotd" : "")};
    }
    if (!read.IsNotFound()) return to_store_error(read, "cannot read the format of " + path);
    if (!is_empty(db)) {
        return store_error{store_code::corrupt, path + " holds rows but no format marker"};
    }
    std::string marker;
    encode_number(format_version, marker);
    rocksdb::WriteOptions durable;
    durable.sync = true;
    const auto written = db->Put(durable, db.at(column::meta),
                                 rocksdb::Slice(format_key.data(), format_key.size()), marker);
    if (!written.ok()) return to_store_error(written, "cannot begin a store in " + path);
    return std::nullopt;
}

/// True where RocksDB says that the directory's LOCK is taken, by this process or another.
bool is_lock_conflict(const rocksdb::Status& status) {
    const std::string text = status.ToString();
    return status.IsIOError() && (text.find("While lock file") != std::string::npos ||
                                  text.find("lock hold by current process") != std::string::npos);
}

}  // namespace

store_error to_store_error(const rocksdb::Status& status, const std::string& doing) {
    store_code code = store_code::unavailable;
    if (status.IsNoSpace() || status.subcode() == rocksdb::Status::kSpaceLimit) {
        code = store_code::no_space;
    } else if (status.IsCorruption()) {
        code = store_code::corrupt;
    } else if (status.IsNotSupported()) {
        code = store_code::unsupported;
    }
    return {code, doing + ": " + status.ToString()};
}

store_result<std::unique_ptr<database>> database::open(const rocksdb_options& options) {
    const std::string& path = options.path;
    if (options.create_if_missing) {
        std::error_code error;
        std::filesystem::create_directories(path, error);
        if (error) {
            return store_error{error == std::errc::no_space_on_device ? store_code::no_space
                                                                      : store_code::unavailable,
                               "cannot make the data directory " + path + ": " + error.message()};
        }
    }
    if (auto error = check_current(path)) return *std::move(error);
    rocksdb::DBOptions db_options = database_options(options);
    const auto log = std::make_shared<warning_log>(options.on_warning);
    db_options.info_log = log;
    if (auto error = check_columns(db_options, path)) return *std::move(error);

    std::vector<rocksdb::ColumnFamilyHandle*> handles;
    rocksdb::DB* raw = nullptr;
    const auto status =
        rocksdb::DB::Open(db_options, path, column_families(options), &handles, &raw);
    if (!status.ok()) {
        if (is_lock_conflict(status)) {
            return store_error{
                store_code::locked,
                "another foliotd has this data directory open: " + path + " (" + path + "/LOCK)"};
        }
        auto error = to_store_error(status, "cannot open the store in " + path);
        if (const auto dropped = log->dropped(); status.IsCorruption() && !dropped.empty()) {
            error.message += " (" + dropped + ")";
        }
        return error;
    }
    auto opened = std::make_unique<database>(std::unique_ptr<rocksdb::DB>(raw), std::move(handles));
    if (auto error = check_format(*opened, path)) return *std::move(error);
    return opened;
}

database::database(std::unique_ptr<rocksdb::DB> db,
                   std::vector<rocksdb::ColumnFamilyHandle*> handles)
    : db_(std::move(db)), handles_(std::move(handles)) {}

database::~database() {
    for (auto* handle : handles_) {
        // A failure means the handle was not ours, which cannot be.
        db_->DestroyColumnFamilyHandle(handle).PermitUncheckedError();
    }
    // What was acknowledged is in the log already; closing has nothing to add that could fail.
    db_->Close().PermitUncheckedError();
}

}  // namespace foliot::store

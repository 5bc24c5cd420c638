// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "store_rocksdb/backup.hpp"

#include "store/key_codec.hpp"
#include "store/record_codec.hpp"
#include "store_rocksdb/batch_writer.hpp"
#include "store_rocksdb/database.hpp"

#include <unistd.h>

#include <filesystem>
#include <memory>
#include <system_error>

namespace foliot::store {
namespace {

namespace fs = std::filesystem;

store_error failed(const std::string& what, const std::error_code& why) {
    return {why == std::errc::no_space_on_device ? store_code::no_space : store_code::unavailable,
            what + ": " + why.message()};
}

/// The next acquire of every shard gets an epoch that the original cannot have reached.
store_result<done> skip_epochs(const std::string& path) {
    rocksdb_options options;
    options.path = path;
    options.create_if_missing = false;
    auto opened = database::open(options);
    if (!opened) return std::move(opened).error();
    database& db = **opened;
    const std::string prefix = make_epoch_key(shard_id{}).substr(0, 2);
    rocksdb::WriteBatch batch;
    const std::unique_ptr<rocksdb::Iterator> rows(
        db->NewIterator(rocksdb::ReadOptions{}, db.at(column::meta)));
    for (rows->Seek(prefix); rows->Valid() && rows->key().starts_with(prefix); rows->Next()) {
        const auto last = decode_number(rows->value().ToStringView(), "epoch");
        if (!last) return last.error();
        if (*last > max_epoch - epochs_skipped_by_restore - 1) {
            return store_error{store_code::unavailable, "the backup's epochs have run out"};
        }
        std::string value;
        encode_number(*last + epochs_skipped_by_restore, value);
        const auto put = batch.Put(db.at(column::meta), rows->key(), value);
        if (!put.ok()) return to_store_error(put, "cannot restore to " + path);
    }
    if (!rows->status().ok()) return to_store_error(rows->status(), "cannot restore to " + path);
    rocksdb::WriteOptions durable;
    durable.sync = true;
    const auto written = db->Write(durable, &batch);
    if (!written.ok()) return to_store_error(written, "cannot restore to " + path);
    return done{};
}

}  // namespace

store_result<done> restore(const std::string& from, const std::string& to) {
    std::error_code error;
    if (!fs::exists(fs::path(from) / "CURRENT", error)) {
        return store_error{store_code::corrupt, from + " is no backup: it has no file CURRENT"};
    }
    if (fs::exists(to, error)) {
        return store_error{store_code::unavailable, to + " exists already: name a new directory"};
    }
    // Under another name until it is whole: foliotd must not start on half a copy.
    const std::string partial = to + ".partial";
    fs::remove_all(partial, error);
    fs::copy(from, partial, fs::copy_options::recursive, error);
    if (error) {
        const auto why = failed("cannot copy " + from + " to " + partial, error);
        fs::remove_all(partial, error);
        return why;
    }
    if (auto skipped = skip_epochs(partial); !skipped) {
        fs::remove_all(partial, error);
        return skipped;
    }
    ::sync();
    fs::rename(partial, to, error);
    if (error) return failed("cannot rename " + partial + " to " + to, error);
    ::sync();
    return done{};
}

}  // namespace foliot::store

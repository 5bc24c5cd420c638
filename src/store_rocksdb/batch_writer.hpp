// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "store/key_codec.hpp"
#include "store/record_codec.hpp"
#include "store_rocksdb/database.hpp"

#include <rocksdb/write_batch.h>

#include <string>
#include <string_view>

// Internal to store_rocksdb.

namespace foliot::store {

inline rocksdb::Slice slice(std::string_view text) { return {text.data(), text.size()}; }

/// Writes the operations of one batch, in order, into RocksDB's.
class batch_writer {
public:
    batch_writer(const database& db, shard_id shard, std::size_t operations)
        : db_(db), shard_(shard), out_(operations * 192 + 256) {}

    void operator()(const put_near& op) {
        put(column::near, make_sequence_key(shard_, op.row.seq).view(), encoded(op.row));
    }
    void operator()(const put_far& op) {
        const far_position at{op.row.next.at, op.row.seq};
        put(column::far, make_far_key(shard_, op.row.next.clock, at).view(), encoded(op.row));
        put_id(op.row, {place::far, op.row.next, op.row.seq});
    }
    void operator()(const put_dead& op) {
        put(column::dead, make_sequence_key(shard_, op.row.seq).view(), encoded(op.row));
        put_id(op.row, {place::dead, {}, op.row.seq});
    }
    void operator()(const remove_near& op) {
        const auto key = make_sequence_key(shard_, op.seq);
        keep(op.written_once ? out_.SingleDelete(db_.at(column::near), slice(key.view()))
                             : out_.Delete(db_.at(column::near), slice(key.view())));
    }
    void operator()(const remove_far& op) {
        remove(column::far, make_far_key(shard_, op.next.clock, {op.next.at, op.seq}).view());
        remove(column::ids, make_id_key(shard_, op.ns, op.id));
    }
    void operator()(const remove_dead& op) {
        remove(column::dead, make_sequence_key(shard_, op.seq).view());
        remove(column::ids, make_id_key(shard_, op.ns, op.id));
    }

    void put_meta(const shard_meta& meta) {
        scratch_.clear();
        encode_meta(meta, scratch_);
        put(column::meta, make_meta_key(shard_), scratch_);
    }

    rocksdb::Status write(const rocksdb::WriteOptions& options) {
        return status_.ok() ? db_->Write(options, &out_) : status_;
    }

private:
    std::string_view encoded(const record& row) {
        scratch_.clear();
        encode_record(row, scratch_);
        return scratch_;
    }
    void put_id(const record& row, const id_entry& entry) {
        scratch_.clear();
        encode_id_entry(entry, scratch_);
        put(column::ids, make_id_key(shard_, row.ns, row.id), scratch_);
    }
    void put(column c, std::string_view key, std::string_view value) {
        keep(out_.Put(db_.at(c), slice(key), slice(value)));
    }
    void remove(column c, std::string_view key) { keep(out_.Delete(db_.at(c), slice(key))); }
    void keep(rocksdb::Status status) {
        if (status_.ok()) status_ = std::move(status);
    }

    const database& db_;
    shard_id shard_;
    rocksdb::WriteBatch out_;
    rocksdb::Status status_;
    std::string scratch_;
};

}  // namespace foliot::store

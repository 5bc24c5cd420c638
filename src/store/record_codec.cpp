// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "store/record_codec.hpp"

#include "store/bytes.hpp"
#include "store/decoder.hpp"
#include "store/extra_fields.hpp"

#include <limits>
#include <optional>

namespace foliot::store {
namespace {

namespace flag {
constexpr std::uint8_t binary_payload = 1U << 0U;
constexpr std::uint8_t rewritten = 1U << 1U;
constexpr std::uint8_t due_on_wall = 1U << 2U;
constexpr std::uint8_t next_on_wall = 1U << 3U;
constexpr std::uint8_t known = binary_payload | rewritten | due_on_wall | next_on_wall;
}  // namespace flag

std::uint8_t flags_of(const record& row) {
    unsigned flags = 0;
    if (row.kind == payload_kind::binary) flags |= flag::binary_payload;
    if (row.rewritten) flags |= flag::rewritten;
    if (row.due.clock == clock_kind::wall) flags |= flag::due_on_wall;
    if (row.next.clock == clock_kind::wall) flags |= flag::next_on_wall;
    return static_cast<std::uint8_t>(flags);
}

/// The oldest version that holds it: what needs no new field stays readable by older programs.
std::uint8_t version_for(std::string_view extra) { return extra.empty() ? 1 : 2; }

clock_kind clock_of(bool wall) { return wall ? clock_kind::wall : clock_kind::service; }

}  // namespace

void encode_record(const record& row, std::string& out) {
    out.reserve(out.size() + 48 + row.ns.size() + row.id.size() + row.queue.size() +
                row.payload.size() + row.extra.size());
    out.push_back(static_cast<char>(version_for(row.extra)));
    out.push_back(static_cast<char>(flags_of(row)));
    bytes::append_little(out, row.seq.value);
    bytes::append_little(out, row.due.at.count);
    bytes::append_little(out, row.next.at.count);
    bytes::append_varint(out, row.lease_until.count);
    bytes::append_varint(out, row.failures);
    for (const std::string* text : {&row.ns, &row.id, &row.queue, &row.payload}) {
        bytes::append_varint(out, text->size());
    }
    for (const std::string* text : {&row.ns, &row.id, &row.queue, &row.payload, &row.extra}) {
        out.append(*text);
    }
}

store_result<record> decode_record(std::string_view in) {
    decoder from("record", in);
    record row;
    const auto version = from.version(record_version);
    const auto flags = from.little<std::uint8_t>("flags");
    if ((flags & ~flag::known) != 0) from.fail("flags", 1, "has bits that have no meaning");
    row.kind = (flags & flag::binary_payload) != 0 ? payload_kind::binary : payload_kind::json;
    row.rewritten = (flags & flag::rewritten) != 0;
    row.due.clock = clock_of((flags & flag::due_on_wall) != 0);
    row.next.clock = clock_of((flags & flag::next_on_wall) != 0);
    row.seq.value = from.little<std::uint64_t>("sequence");
    row.due.at.count = from.little<std::uint64_t>("due");
    row.next.at.count = from.little<std::uint64_t>("next due");
    row.lease_until.count = from.varint("lease end", decoder::any);
    row.failures = static_cast<std::uint32_t>(
        from.varint("failures", std::numeric_limits<std::uint32_t>::max()));
    const std::uint64_t ns_size = from.varint("namespace length", decoder::any);
    const std::uint64_t id_size = from.varint("id length", decoder::any);
    const std::uint64_t queue_size = from.varint("queue length", decoder::any);
    const std::uint64_t payload_size = from.varint("payload length", decoder::any);
    row.ns = from.bytes("namespace", ns_size);
    row.id = from.bytes("id", id_size);
    row.queue = from.bytes("queue", queue_size);
    row.payload = from.bytes("payload", payload_size);
    row.extra = from.fields(version);
    if (auto error = from.finish()) return *std::move(error);
    if (!row.extra.empty()) {
        if (auto fields = decode_extra(row.extra); !fields) return std::move(fields).error();
    }
    return row;
}

void encode_meta(const shard_meta& meta, std::string& out) {
    std::string extra;
    encode_meta_fields(meta, extra);
    out.push_back(static_cast<char>(version_for(extra)));
    bytes::append_little(out, meta.pending);
    bytes::append_little(out, meta.dead);
    bytes::append_little(out, static_cast<std::uint64_t>(meta.clock_offset_ns));
    bytes::append_little(out, meta.boot);
    bytes::append_little(out, static_cast<std::uint64_t>(meta.service_base_ns));
    bytes::append_little(out, meta.far_low_water[0].count);
    bytes::append_little(out, meta.far_low_water[1].count);
    out.append(extra);
}

store_result<shard_meta> decode_meta(std::string_view in) {
    decoder from("shard meta", in);
    shard_meta meta;
    const auto version = from.version(meta_version);
    meta.pending = from.little<std::uint64_t>("pending");
    meta.dead = from.little<std::uint64_t>("dead");
    meta.clock_offset_ns = static_cast<std::int64_t>(from.little<std::uint64_t>("clock offset"));
    meta.boot = from.little<std::uint64_t>("boot");
    meta.service_base_ns = static_cast<std::int64_t>(from.little<std::uint64_t>("service base"));
    meta.far_low_water[0].count = from.little<std::uint64_t>("service low-water mark");
    meta.far_low_water[1].count = from.little<std::uint64_t>("wall low-water mark");
    const auto extra = from.fields(version);
    if (auto error = from.finish()) return *std::move(error);
    if (auto error = decode_meta_fields(extra, meta)) return *std::move(error);
    return meta;
}

void encode_id_entry(const id_entry& entry, std::string& out) {
    out.push_back(static_cast<char>(id_version));
    out.push_back(static_cast<char>(entry.where));
    bytes::append_little(out, entry.seq.value);
    if (entry.where != place::far) return;
    out.push_back(static_cast<char>(entry.next.clock));
    bytes::append_little(out, entry.next.at.count);
}

store_result<id_entry> decode_id_entry(std::string_view in) {
    decoder from("id row", in);
    id_entry entry;
    from.version(id_version);
    const auto where = from.little<std::uint8_t>("place");
    if (where != static_cast<std::uint8_t>(place::far) &&
        where != static_cast<std::uint8_t>(place::dead)) {
        from.fail("place", 1, "is " + std::to_string(where));
    }
    entry.where = place{where};
    entry.seq.value = from.little<std::uint64_t>("sequence");
    if (entry.where == place::far) {
        const std::size_t at = from.offset();
        const auto clock = from.little<std::uint8_t>("clock");
        if (clock > 1) from.fail("clock", at, "is " + std::to_string(clock));
        entry.next.clock = clock_of(clock == 1);
        entry.next.at.count = from.little<std::uint64_t>("next due");
    }
    if (auto error = from.finish()) return *std::move(error);
    return entry;
}

void encode_number(std::uint32_t value, std::string& out) { bytes::append_little(out, value); }

store_result<std::uint32_t> decode_number(std::string_view in, std::string_view what) {
    decoder from(what, in);
    const auto value = from.little<std::uint32_t>("number");
    if (auto error = from.finish()) return *std::move(error);
    return value;
}

}  // namespace foliot::store

// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "store/extra_fields.hpp"

#include "store/bytes.hpp"
#include "store/decoder.hpp"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

namespace foliot::store {
namespace {

constexpr std::uint8_t critical = 0x80;

namespace tag {
constexpr std::uint8_t retain = 1;
constexpr std::uint8_t keyed = 2;
constexpr std::uint8_t by_ack = 3;
constexpr std::uint8_t ended = critical | 1;
}  // namespace tag

namespace meta_tag {
constexpr std::uint8_t retained = critical | 1;
}

using field = std::pair<std::uint8_t, std::string>;

void append_field(std::string& out, std::uint8_t tag, std::string_view value) {
    out.push_back(static_cast<char>(tag));
    bytes::append_varint(out, value.size());
    out.append(value);
}

/// Calls `take(tag, value, whole)` for each field; `whole` has the tag and the length too.
template <class Take>
std::optional<store_error> each_field(std::string_view what, std::string_view in, Take take) {
    decoder from(what, in);
    std::uint8_t last = 0;
    while (from.left() > 0) {
        const std::size_t begin = from.offset();
        const auto tag = from.little<std::uint8_t>("tag");
        if (tag <= last) from.fail("tag", begin, "is not above the one before it");
        last = tag;
        const auto size = from.varint("field length", decoder::any);
        const auto value = from.bytes("field", size);
        if (auto error = from.first_error()) return error;
        const auto whole = in.substr(begin, from.offset() - begin);
        if (auto error = take(tag, value, whole)) return error;
    }
    return from.finish();
}

/// What to do with a field that is not known.
std::optional<store_error> keep_unknown(std::string_view what, std::uint8_t tag,
                                        std::string_view whole, std::string& unknown) {
    if ((tag & critical) == 0) {
        unknown.append(whole);
        return std::nullopt;
    }
    return store_error{store_code::unsupported,
                       std::string(what) + ": field " + std::to_string(tag) +
                           " is of a newer program, and not to be ignored"};
}

/// The known fields and the kept ones, which are whole and in order, in one order.
std::string merge(std::vector<field> known, std::string_view unknown) {
    // What was kept was well-formed when it was read.
    (void)each_field("fields", unknown,
                     [&](std::uint8_t t, std::string_view value, std::string_view) {
                         known.emplace_back(t, value);
                         return std::optional<store_error>{};
                     });
    std::sort(known.begin(), known.end());
    std::string out;
    for (const auto& [t, value] : known) append_field(out, t, value);
    return out;
}

std::string varint(std::uint64_t value) {
    std::string out;
    bytes::append_varint(out, value);
    return out;
}

std::string value_of(const keyed_set& k) {
    std::string out;
    bytes::append_little(out, k.fingerprint);
    bytes::append_little(out, k.told_due.count);
    bytes::append_little(out, k.generation.value);
    bytes::append_little(out, k.previous.value);
    out.append(k.key);
    return out;
}

std::string value_of(const set_by_ack& a) {
    std::string out;
    bytes::append_little(out, a.generation.value);
    bytes::append_varint(out, a.attempt);
    return out;
}

std::string value_of(const ended& e) {
    std::string out(1, static_cast<char>(e.how));
    bytes::append_little(out, e.at.count);
    return out;
}

std::optional<store_error> read_retain(std::string_view in, extra_fields& to) {
    constexpr auto most =
        static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max() / 1'000'000);
    decoder from("field retain", in);
    to.retain = std::chrono::milliseconds{from.varint("retain", most)};
    return from.finish();
}

std::optional<store_error> read_keyed(std::string_view in, extra_fields& to) {
    decoder from("field key", in);
    keyed_set& k = to.keyed.emplace();
    k.fingerprint = from.little<std::uint64_t>("fingerprint");
    k.told_due.count = from.little<std::uint64_t>("due");
    k.generation.value = from.little<std::uint64_t>("generation");
    k.previous.value = from.little<std::uint64_t>("previous");
    k.key = from.bytes("key", from.left());
    return from.finish();
}

std::optional<store_error> read_by_ack(std::string_view in, extra_fields& to) {
    decoder from("field ack", in);
    set_by_ack& a = to.by_ack.emplace();
    a.generation.value = from.little<std::uint64_t>("generation");
    a.attempt = static_cast<std::uint32_t>(
        from.varint("attempt", std::numeric_limits<std::uint32_t>::max()));
    return from.finish();
}

std::optional<store_error> read_ended(std::string_view in, extra_fields& to) {
    decoder from("field end", in);
    const auto how = from.little<std::uint8_t>("how");
    if (how != static_cast<std::uint8_t>(ending::acked) &&
        how != static_cast<std::uint8_t>(ending::cancelled)) {
        from.unsupported("a timer ended in way " + std::to_string(how) + ", which is not known");
    }
    ended& e = to.end.emplace();
    e.how = ending{how};
    e.at.count = from.little<std::uint64_t>("time");
    return from.finish();
}

}  // namespace

std::string encode_extra(const extra_fields& fields) {
    std::vector<field> known;
    if (fields.retain) {
        known.emplace_back(tag::retain, varint(static_cast<std::uint64_t>(fields.retain->count())));
    }
    if (fields.keyed) known.emplace_back(tag::keyed, value_of(*fields.keyed));
    if (fields.by_ack) known.emplace_back(tag::by_ack, value_of(*fields.by_ack));
    if (fields.end) known.emplace_back(tag::ended, value_of(*fields.end));
    return merge(std::move(known), fields.unknown);
}

store_result<extra_fields> decode_extra(std::string_view in) {
    extra_fields out;
    auto error =
        each_field("fields of a record", in,
                   [&](std::uint8_t t, std::string_view value, std::string_view whole) {
                       switch (t) {
                           case tag::retain: return read_retain(value, out);
                           case tag::keyed: return read_keyed(value, out);
                           case tag::by_ack: return read_by_ack(value, out);
                           case tag::ended: return read_ended(value, out);
                           default:
                               return keep_unknown("fields of a record", t, whole, out.unknown);
                       }
                   });
    if (error) return *std::move(error);
    return out;
}

void encode_meta_fields(const shard_meta& meta, std::string& out) {
    if (meta.retained == 0 && meta.unknown.empty()) return;
    std::vector<field> known;
    if (meta.retained > 0) known.emplace_back(meta_tag::retained, varint(meta.retained));
    out.append(merge(std::move(known), meta.unknown));
}

std::optional<store_error> decode_meta_fields(std::string_view in, shard_meta& meta) {
    return each_field("fields of a shard", in,
                      [&](std::uint8_t t, std::string_view value, std::string_view whole) {
                          if (t != meta_tag::retained) {
                              return keep_unknown("fields of a shard", t, whole, meta.unknown);
                          }
                          decoder from("field retained", value);
                          meta.retained = from.varint("retained", decoder::any);
                          if (meta.retained == 0) from.fail("retained", 0, "is 0");
                          return from.finish();
                      });
}

}  // namespace foliot::store

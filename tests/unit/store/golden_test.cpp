// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
// The stored format is frozen: these bytes decode to these rows, and the rows encode to these bytes.
#include "store/extra_fields.hpp"
#include "store/key_codec.hpp"
#include "store/record_codec.hpp"
#include "support/store/golden_rows.hpp"

#include <gtest/gtest.h>

#include <set>

namespace foliot::store {
namespace {

using namespace std::chrono_literals;
using namespace std::string_literals;

constexpr shard_id shard{0};
constexpr std::uint64_t first = std::uint64_t{1} << sequence::counter_bits;
constexpr std::uint64_t noon = 1'800'000'000'000;
constexpr std::uint64_t day = 86'400'000;

class golden : public testing::Test {
protected:
    ~golden() override { EXPECT_EQ(seen_.size(), expected_); }

    test::golden_row row(const std::string& name) {
        seen_.insert(name);
        return rows_.at(name);
    }
    void expect(const std::string& name, const std::string& key, const record& r) {
        const auto bytes = row(name);
        EXPECT_EQ(bytes.key, key) << name;
        const auto read = decode_record(bytes.value);
        ASSERT_TRUE(read) << name << ": " << read.error().message;
        EXPECT_EQ(*read, r) << name;
        std::string written;
        encode_record(r, written);
        EXPECT_EQ(written, bytes.value) << name;
    }
    void expect(const std::string& name, const std::string& key, const id_entry& e) {
        const auto bytes = row(name);
        EXPECT_EQ(bytes.key, key) << name;
        const auto read = decode_id_entry(bytes.value);
        ASSERT_TRUE(read) << name << ": " << read.error().message;
        EXPECT_EQ(*read, e) << name;
        std::string written;
        encode_id_entry(e, written);
        EXPECT_EQ(written, bytes.value) << name;
    }
    void expect(const std::string& name, const std::string& key, const shard_meta& m) {
        const auto bytes = row(name);
        EXPECT_EQ(bytes.key, key) << name;
        const auto read = decode_meta(bytes.value);
        ASSERT_TRUE(read) << name << ": " << read.error().message;
        EXPECT_EQ(*read, m) << name;
        std::string written;
        encode_meta(m, written);
        EXPECT_EQ(written, bytes.value) << name;
    }
    void expect(const std::string& name, const std::string& key, std::uint32_t number) {
        const auto bytes = row(name);
        EXPECT_EQ(bytes.key, key) << name;
        EXPECT_EQ(*decode_number(bytes.value, name), number);
        std::string written;
        encode_number(number, written);
        EXPECT_EQ(written, bytes.value) << name;
    }
    /// Every line of the file with this prefix is compared by the test.
    void all_of(const std::string& prefix) {
        for (const auto& [name, bytes] : rows_) expected_ += name.starts_with(prefix) ? 1 : 0;
    }

    static std::string key_of(const record& r) {
        return std::string(make_sequence_key(shard, r.seq).view());
    }
    static std::string far_key_of(const record& r) {
        return std::string(make_far_key(shard, r.next.clock, {r.next.at, r.seq}).view());
    }
    static std::string id_key_of(const record& r) { return make_id_key(shard, r.ns, r.id); }

    static record make(std::uint64_t number, const std::string& id) {
        record r;
        r.ns = "n";
        r.id = id;
        r.queue = "q";
        r.payload = "1";
        r.seq = {first + number};
        r.due = r.next = {clock_kind::service, {noon}};
        return r;
    }

private:
    std::map<std::string, test::golden_row> rows_ = test::golden_rows(FOLIOT_GOLDEN_ROWS);
    std::set<std::string> seen_;
    std::size_t expected_ = 0;
};

TEST_F(golden, version_1) {
    all_of("v1.");
    record near = make(1, "cart-7");
    near.ns = near.queue = "default";
    near.payload = R"({"cart":7})";
    expect("v1.near", key_of(near), near);

    record retried = make(2, "\xc3\xa9");
    retried.queue = "mail";
    retried.payload = "\x00\xff"s;
    retried.kind = payload_kind::binary;
    retried.due.clock = clock_kind::wall;
    retried.next.at.count += 60'000;
    retried.lease_until = {noon + 30'000};
    retried.failures = 2;
    retried.rewritten = true;
    expect("v1.near_retried", key_of(retried), retried);

    record far = make(3, "far");
    far.payload = "null";
    far.due = far.next = {clock_kind::wall, {noon + 90 * day}};
    expect("v1.far", far_key_of(far), far);
    expect("v1.far_id", id_key_of(far), id_entry{place::far, far.next, far.seq});

    record dead = make(4, "dead");
    dead.payload = "[1,2]";
    dead.due.at = {noon - 1'000};
    dead.next.at = {noon + 5'000};
    dead.failures = 16;
    dead.rewritten = true;
    expect("v1.dead", key_of(dead), dead);
    expect("v1.dead_id", id_key_of(dead), id_entry{place::dead, {}, dead.seq});

    shard_meta meta;
    meta.pending = 3;
    meta.dead = 1;
    meta.clock_offset_ns = -3'600'000'000'000;
    meta.boot = 42;
    meta.service_base_ns = 1'000'000'000'000'000'000;
    meta.far_low_water[0] = {noon - 1};
    meta.far_low_water[1] = {noon - 2};
    expect("v1.meta", make_meta_key(shard), meta);
    expect("v1.epoch", make_epoch_key(shard), 1U);
    expect("v1.format", std::string(format_key), format_version);
}

TEST_F(golden, version_2) {
    all_of("v2.");
    const keyed_set key{0x1122334455667788, {noon + 1}, {first + 2}, {first + 1}, "k-1"};
    extra_fields x;
    x.retain = 10min;
    x.keyed = key;
    record keyed = make(6, "keyed");
    keyed.extra = encode_extra(x);
    expect("v2.near_keyed", key_of(keyed), keyed);

    x = {};
    x.by_ack = {{first + 5}, 3};
    record chain = make(7, "chain");
    chain.extra = encode_extra(x);
    expect("v2.near_by_ack", key_of(chain), chain);

    x = {};
    x.keyed = key;
    x.end = {ending::acked, {noon + 5}};
    record acked = make(8, "acked");
    acked.payload = "";
    acked.next.at.count += 600'000;
    acked.failures = 1;
    acked.rewritten = true;
    acked.extra = encode_extra(x);
    expect("v2.near_acked", key_of(acked), acked);

    x = {};
    x.retain = 24h;
    x.end = {ending::cancelled, {noon + 6}};
    record cancelled = make(9, "cancelled");
    cancelled.payload = "";
    cancelled.due.clock = clock_kind::wall;
    cancelled.next.at.count += day;
    cancelled.rewritten = true;
    cancelled.extra = encode_extra(x);
    expect("v2.far_cancelled", far_key_of(cancelled), cancelled);
    expect("v2.far_cancelled_id", id_key_of(cancelled),
           id_entry{place::far, cancelled.next, cancelled.seq});

    x = {};
    x.retain = 5ms;
    x.unknown = "\x10\x04tags";
    record later = make(10, "later");
    later.extra = encode_extra(x);
    expect("v2.near_of_a_later_program", key_of(later), later);

    shard_meta meta;
    meta.pending = 3;
    meta.dead = 1;
    meta.boot = 42;
    meta.service_base_ns = 1'000'000'000'000'000'000;
    meta.retained = 300;
    expect("v2.meta", make_meta_key(shard), meta);
}

}  // namespace
}  // namespace foliot::store

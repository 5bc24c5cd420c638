// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "conformance/store/store_under_test.hpp"
#include "store/record_codec.hpp"
#include "support/store/rows.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <random>
#include <thread>

// What every due_store does. A new store joins by a line at the end.

namespace foliot::store {
namespace {

using test::make_row;
using test::removal_of_dead;
using test::removal_of_far;

struct kind_of_store {
    const char* name;
    std::function<std::unique_ptr<test::store_under_test>()> make;
};

class store_conformance : public testing::TestWithParam<kind_of_store> {
protected:
    void SetUp() override {
        under_test = GetParam().make();
        acquire();
    }

    due_store& store() { return under_test->get(); }

    void acquire() {
        auto taken = store().acquire(shard);
        ASSERT_TRUE(taken) << taken.error().message;
        e = taken->current;
        meta = taken->meta;
    }

    void reopen() {
        under_test->reopen();
        acquire();
    }

    template <class... Operations>
    void commit(Operations... operations) {
        std::vector<operation> all;
        (all.emplace_back(std::move(operations)), ...);
        commit_all(std::move(all));
    }

    void commit_all(std::vector<operation> operations) {
        batch b;
        b.operations = std::move(operations);
        b.meta = meta;
        const auto committed = store().commit(shard, e, b);
        ASSERT_TRUE(committed) << committed.error().message;
    }

    std::vector<record> near(sequence after = {}, std::size_t limit = 100) {
        return rows_of(store().load_near(shard, e, after, limit));
    }
    std::vector<record> dead(sequence after = {}, std::size_t limit = 100) {
        return rows_of(store().load_dead(shard, e, after, limit));
    }
    std::vector<record> far(clock_kind clock = clock_kind::service, tick to = tick::max(),
                            far_position after = {}, std::size_t limit = 100) {
        return rows_of(store().load_far(shard, e, clock, after, to, limit));
    }
    std::optional<found> find(const record& row) {
        const timer_key key{row.ns, row.id};
        auto results = store().find(shard, e, {&key, 1});
        if (!results || results->size() != 1) {
            ADD_FAILURE() << "find failed";
            return std::nullopt;
        }
        return (*results)[0];
    }

    static std::vector<record> rows_of(store_result<page> loaded) {
        if (!loaded) {
            ADD_FAILURE() << loaded.error().message;
            return {};
        }
        return std::move(loaded->rows);
    }

    std::unique_ptr<test::store_under_test> under_test;
    const shard_id shard{0};
    epoch e{};
    shard_meta meta;
};

bool is_at(const std::optional<found>& f, place where, const record& row) {
    return f && f->where == where && f->row == row;
}

std::vector<record> rows(std::initializer_list<record> list) { return list; }

// ---- ownership ----

TEST_P(store_conformance, a_new_store_is_empty) {
    EXPECT_EQ(meta, shard_meta{});
    const auto loaded = store().load_near(shard, e, {}, 10);
    ASSERT_TRUE(loaded);
    EXPECT_TRUE(loaded->rows.empty());
    EXPECT_TRUE(loaded->end);
    EXPECT_TRUE(far().empty());
    EXPECT_TRUE(dead().empty());
    EXPECT_FALSE(find(make_row(1)));
}

TEST_P(store_conformance, every_acquire_gives_a_greater_epoch) {
    EXPECT_GT(e, epoch{0});
    for (int i = 0; i < 5; ++i) {
        const epoch before = e;
        if (i % 2 == 0) {
            acquire();
        } else {
            reopen();
        }
        EXPECT_GT(e, before);
    }
}

TEST_P(store_conformance, an_older_epoch_is_fenced_and_writes_nothing) {
    commit(put_near{make_row(1)});
    const epoch old = e;
    acquire();
    batch b;
    b.operations = {put_near{make_row(2)}, put_far{make_row(3)}};
    b.meta.pending = 99;
    const auto late = store().commit(shard, old, b);
    ASSERT_FALSE(late);
    EXPECT_EQ(late.error().code, store_code::fenced);
    EXPECT_EQ(store().load_near(shard, old, {}, 1).error().code, store_code::fenced);
    EXPECT_EQ(store().load_far(shard, old, {}, {}, tick::max(), 1).error().code,
              store_code::fenced);
    EXPECT_EQ(store().load_dead(shard, old, {}, 1).error().code, store_code::fenced);
    EXPECT_EQ(store().find(shard, old, {}).error().code, store_code::fenced);
    EXPECT_EQ(near(), rows({make_row(1)}));
    EXPECT_TRUE(far().empty());
    acquire();
    EXPECT_EQ(meta.pending, 0U);
}

TEST_P(store_conformance, an_epoch_from_the_future_is_fenced) {
    const epoch future{static_cast<std::uint32_t>(e) + 1};
    EXPECT_EQ(store().commit(shard, future, {}).error().code, store_code::fenced);
}

TEST_P(store_conformance, release_fences_the_epoch_and_may_be_repeated) {
    EXPECT_TRUE(store().release(shard, e));
    EXPECT_TRUE(store().release(shard, e));
    EXPECT_EQ(store().commit(shard, e, {}).error().code, store_code::fenced);
    const epoch released = e;
    acquire();
    EXPECT_GT(e, released);
    EXPECT_TRUE(store().release(shard, released));  // too late to touch the new owner
    commit(put_near{make_row(1)});
}

TEST_P(store_conformance, shards_are_separate) {
    const shard_id last{0xffff};
    const auto other = store().acquire(last);
    ASSERT_TRUE(other);
    commit(put_near{make_row(1)}, put_far{make_row(2)}, put_dead{make_row(3)});
    EXPECT_TRUE(store().load_near(last, other->current, {}, 9)->rows.empty());
    EXPECT_TRUE(store().load_far(last, other->current, {}, {}, tick::max(), 9)->rows.empty());
    EXPECT_TRUE(store().load_dead(last, other->current, {}, 9)->rows.empty());

    batch b;
    b.operations = {put_near{make_row(4)}, put_far{make_row(5)}};
    ASSERT_TRUE(store().commit(last, other->current, b));
    EXPECT_EQ(store().load_near(last, other->current, {}, 9)->rows, rows({make_row(4)}));
    EXPECT_EQ(store().load_far(last, other->current, {}, {}, tick::max(), 9)->rows,
              rows({make_row(5)}));
    EXPECT_EQ(near(), rows({make_row(1)}));
    acquire();  // fences shard 0 alone
    EXPECT_TRUE(store().commit(last, other->current, {}));
}

// ---- commits ----

TEST_P(store_conformance, a_commit_applies_all_of_its_operations) {
    const record a = make_row(1), b = make_row(2), c = make_row(3);
    commit(put_near{a}, put_far{b}, put_dead{c});
    EXPECT_EQ(near(), rows({a}));
    EXPECT_EQ(far(), rows({b}));
    EXPECT_EQ(dead(), rows({c}));
    commit(remove_near{a.seq, true}, removal_of_far(b), removal_of_dead(c));
    EXPECT_TRUE(near().empty());
    EXPECT_TRUE(far().empty());
    EXPECT_TRUE(dead().empty());
}

TEST_P(store_conformance, operations_of_a_commit_apply_in_order) {
    record old_place = make_row(1, 5'000);
    record new_place = old_place;
    new_place.seq = {2};
    new_place.next.at = {9'000};
    commit(put_far{old_place});
    commit(removal_of_far(old_place), put_far{new_place});
    EXPECT_TRUE(is_at(find(new_place), place::far, new_place));
    EXPECT_EQ(far(), rows({new_place}));

    const record brief = make_row(7);
    commit(put_far{brief}, removal_of_far(brief), put_near{make_row(8)}, remove_near{{8}, true});
    EXPECT_FALSE(find(brief));
    EXPECT_TRUE(near().empty());
}

TEST_P(store_conformance, a_near_row_is_overwritten_in_place) {
    record row = make_row(1);
    commit(put_near{row});
    row.next.at = {77'000};
    row.rewritten = true;
    row.payload = "other";
    commit(put_near{row});
    EXPECT_EQ(near(), rows({row}));
    row.failures = 1;
    commit(put_near{row}, put_near{row});
    EXPECT_EQ(near(), rows({row}));
    commit(remove_near{row.seq, false});
    EXPECT_TRUE(near().empty());
}

TEST_P(store_conformance, removing_what_is_not_there_does_nothing) {
    commit(put_near{make_row(1)});
    commit(remove_near{{2}, true}, remove_near{{3}, false}, removal_of_far(make_row(4)),
           removal_of_dead(make_row(5)));
    EXPECT_EQ(near(), rows({make_row(1)}));
}

TEST_P(store_conformance, every_commit_writes_the_meta) {
    for (std::uint64_t i = 1; i <= 3; ++i) {
        meta.pending = i;
        meta.dead = 10 * i;
        meta.clock_offset_ns = -static_cast<std::int64_t>(i);
        meta.far_low_water[0] = {100 * i};
        meta.far_low_water[1] = {7 * i};
        const shard_meta written = meta;
        commit();
        if (i == 2) {
            reopen();
        } else {
            acquire();
        }
        EXPECT_EQ(meta, written);
    }
}

// ---- loading ----

TEST_P(store_conformance, near_rows_load_in_order_of_their_sequence_and_resume) {
    std::vector<operation> puts;
    for (const std::uint64_t n : std::vector<std::uint64_t>{300, 2, 70'000, 1, 255, 256}) {
        puts.push_back(put_near{make_row(n)});
    }
    commit_all(puts);
    const auto first = store().load_near(shard, e, {}, 4);
    ASSERT_TRUE(first);
    EXPECT_EQ(first->rows, rows({make_row(1), make_row(2), make_row(255), make_row(256)}));
    EXPECT_FALSE(first->end);
    const auto second = store().load_near(shard, e, {256}, 2);
    ASSERT_TRUE(second);
    EXPECT_EQ(second->rows, rows({make_row(300), make_row(70'000)}));
    EXPECT_TRUE(second->end);
    EXPECT_TRUE(store().load_near(shard, e, {70'000}, 2)->end);
}

TEST_P(store_conformance, the_dead_are_listed_in_order_and_resume) {
    commit(put_dead{make_row(9)}, put_dead{make_row(3)}, put_dead{make_row(6)});
    EXPECT_EQ(dead({}, 2), rows({make_row(3), make_row(6)}));
    EXPECT_EQ(dead({6}, 2), rows({make_row(9)}));
    EXPECT_TRUE(store().load_dead(shard, e, {6}, 1)->end);
    EXPECT_TRUE(is_at(find(make_row(6)), place::dead, make_row(6)));
}

TEST_P(store_conformance, one_millisecond_holds_any_number_of_far_rows) {
    std::vector<std::uint64_t> numbers(10'000);
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = i + 1;
    std::mt19937_64 random(test::seed_or(1));
    std::shuffle(numbers.begin(), numbers.end(), random);
    std::vector<operation> puts;
    for (const std::uint64_t n : numbers) puts.push_back(put_far{make_row(n, 5'000)});
    puts.push_back(put_far{make_row(20'000, 4'999)});
    puts.push_back(put_far{make_row(20'001, 5'001)});
    commit_all(puts);

    far_position after{{5'000}, {}};
    for (std::uint64_t next = 1; next <= 10'000; next += 100) {
        const auto loaded = store().load_far(shard, e, {}, after, {5'000}, 100);
        ASSERT_TRUE(loaded);
        ASSERT_EQ(loaded->rows.size(), 100U);
        for (std::uint64_t i = 0; i < 100; ++i) ASSERT_EQ(loaded->rows[i].seq.value, next + i);
        ASSERT_EQ(loaded->end, next == 9'901);
        after = {{5'000}, loaded->rows.back().seq};
    }
    EXPECT_EQ(far({}, {5'001}, after), rows({make_row(20'001, 5'001)}));
}

TEST_P(store_conformance, far_rows_load_by_due_then_sequence_up_to_and_with_the_bound) {
    commit(put_far{make_row(3, 20)}, put_far{make_row(1, 20)}, put_far{make_row(9, 10)},
           put_far{make_row(4, 30)}, put_far{make_row(5, 31)});
    EXPECT_EQ(far({}, {30}),
              rows({make_row(9, 10), make_row(1, 20), make_row(3, 20), make_row(4, 30)}));
    EXPECT_EQ(far({}, {30}, {{20}, {1}}), rows({make_row(3, 20), make_row(4, 30)}));
    EXPECT_EQ(far({}, {9}), rows({}));
    const auto past = store().load_far(shard, e, {}, {{40}, {1}}, {30}, 10);
    ASSERT_TRUE(past);
    EXPECT_TRUE(past->rows.empty());
    EXPECT_TRUE(past->end);
}

TEST_P(store_conformance, the_two_clocks_are_separate) {
    const record service = make_row(1, 10, clock_kind::service);
    const record wall = make_row(2, 10, clock_kind::wall);
    commit(put_far{service}, put_far{wall});
    EXPECT_EQ(far(clock_kind::service), rows({service}));
    EXPECT_EQ(far(clock_kind::wall), rows({wall}));
    commit(removal_of_far(service));
    EXPECT_TRUE(far(clock_kind::service).empty());
    EXPECT_EQ(far(clock_kind::wall), rows({wall}));
}

TEST_P(store_conformance, every_64_bit_due_is_legal) {
    std::vector<record> expected;
    std::vector<operation> puts;
    std::uint64_t number = 1;
    for (const std::uint64_t due :
         {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1} << 32, std::uint64_t{1} << 53,
          std::uint64_t{1} << 63, UINT64_MAX - 1, UINT64_MAX}) {
        expected.push_back(make_row(number++, due));
        puts.push_back(put_far{expected.back()});
    }
    expected.push_back(make_row(UINT64_MAX, UINT64_MAX));
    puts.push_back(put_far{expected.back()});
    commit_all(puts);
    EXPECT_EQ(far(), expected);
    EXPECT_EQ(far({}, {UINT64_MAX - 1}).size(), expected.size() - 2);
    EXPECT_TRUE(far({}, tick::max(), {tick::max(), {UINT64_MAX}}).empty());
    commit(put_near{make_row(UINT64_MAX)});
    EXPECT_EQ(near({UINT64_MAX - 1}), rows({make_row(UINT64_MAX)}));
    EXPECT_TRUE(near({UINT64_MAX}).empty());
}

TEST_P(store_conformance, far_loads_begin_at_the_low_water_mark) {
    meta.far_low_water[0] = {20};
    commit(put_far{make_row(1, 20)}, put_far{make_row(2, 30)},
           put_far{make_row(3, 5, clock_kind::wall)});
    EXPECT_EQ(far(), rows({make_row(1, 20), make_row(2, 30)}));
    EXPECT_EQ(far(clock_kind::wall), rows({make_row(3, 5, clock_kind::wall)}));
    meta.far_low_water[0] = {25};  // untruthful: row 1 is hidden, which shows where loads begin
    commit();
    EXPECT_EQ(far(), rows({make_row(2, 30)}));
    EXPECT_TRUE(far({}, {24}).empty());
    reopen();
    EXPECT_EQ(far(), rows({make_row(2, 30)}));
    meta.far_low_water[0] = {3};  // a mark may be lowered again for a row that comes in below
    commit(put_far{make_row(4, 3)});
    EXPECT_EQ(far(), rows({make_row(4, 3), make_row(1, 20), make_row(2, 30)}));
}

TEST_P(store_conformance, a_page_of_large_rows_is_bounded_in_bytes) {
    constexpr std::size_t payload_bytes = std::size_t{64} << 10;
    constexpr std::size_t count = max_page_bytes / payload_bytes + 40;
    std::vector<operation> puts;
    for (std::size_t i = 1; i <= count; ++i) {
        record row = make_row(i);
        row.payload.assign(payload_bytes, 'p');
        puts.push_back(put_near{row});
        puts.push_back(put_far{std::move(row)});
    }
    commit_all(puts);
    const auto first = store().load_near(shard, e, {}, 10'000);
    ASSERT_TRUE(first);
    EXPECT_FALSE(first->end);
    EXPECT_EQ(first->rows.size(), max_page_bytes / payload_bytes);
    const auto rest = store().load_near(shard, e, first->rows.back().seq, 10'000);
    EXPECT_TRUE(rest->end);
    EXPECT_EQ(first->rows.size() + rest->rows.size(), count);
    const auto far_page = store().load_far(shard, e, {}, {}, tick::max(), 10'000);
    ASSERT_TRUE(far_page);
    EXPECT_FALSE(far_page->end);
    EXPECT_EQ(far_page->rows.size(), first->rows.size());
}

// ---- finding ----

TEST_P(store_conformance, id_rows_follow_every_move) {
    record row = make_row(1, 50'000);
    commit(put_far{row});
    EXPECT_TRUE(is_at(find(row), place::far, row));

    record later = row;  // far to far
    later.next.at = {90'000};
    commit(removal_of_far(row), put_far{later});
    EXPECT_TRUE(is_at(find(row), place::far, later));
    EXPECT_EQ(far(), rows({later}));

    commit(removal_of_far(later), put_dead{later});  // far to dead
    EXPECT_TRUE(is_at(find(row), place::dead, later));
    EXPECT_TRUE(far().empty());

    commit(removal_of_dead(later), put_far{row});  // dead to far (a replay)
    EXPECT_TRUE(is_at(find(row), place::far, row));
    EXPECT_TRUE(dead().empty());

    commit(removal_of_far(row), put_near{row});  // far to near
    EXPECT_FALSE(find(row));
    EXPECT_EQ(near(), rows({row}));

    commit(remove_near{row.seq, true}, put_far{row});  // near to far (an eviction)
    EXPECT_TRUE(is_at(find(row), place::far, row));
    EXPECT_TRUE(near().empty());
}

TEST_P(store_conformance, a_near_row_set_again_after_it_was_removed_stays_until_it_is_removed) {
    record row = make_row(1, 50'000);
    commit(put_near{row});
    commit(remove_near{row.seq, true}, put_far{row});
    row.rewritten = true;
    commit(removal_of_far(row), put_near{row});
    EXPECT_EQ(near(), rows({row}));
    commit(remove_near{row.seq, false});
    reopen();
    EXPECT_TRUE(near().empty());
    EXPECT_TRUE(far().empty());
    EXPECT_FALSE(find(row));
}

TEST_P(store_conformance, find_answers_in_the_order_of_the_question) {
    std::vector<operation> puts;
    for (std::uint64_t n = 1; n <= 600; ++n) {
        if (n % 3 == 0) puts.push_back(put_far{make_row(n, 10 * n)});
        if (n % 3 == 1) puts.push_back(put_dead{make_row(n)});
    }
    commit_all(puts);
    std::vector<std::uint64_t> asked;
    for (std::uint64_t n = 1; n <= 600; ++n) asked.push_back(n);
    asked.insert(asked.end(), {3, 3, 1, 2, 3});  // the same id may be asked for again
    std::mt19937_64 random(test::seed_or(2));
    std::shuffle(asked.begin(), asked.end(), random);
    std::vector<timer_key> keys;
    for (const std::uint64_t n : asked) keys.push_back({"default", make_row(n).id});
    for (int pass = 0; pass < 2; ++pass) {
        const auto results = store().find(shard, e, keys);
        ASSERT_TRUE(results) << results.error().message;
        ASSERT_EQ(results->size(), asked.size());
        for (std::size_t i = 0; i < asked.size(); ++i) {
            const std::uint64_t n = asked[i];
            const auto& result = (*results)[i];
            if (n % 3 == 2) {
                EXPECT_FALSE(result) << n;
            } else if (n % 3 == 1) {
                EXPECT_TRUE(is_at(result, place::dead, make_row(n))) << n;
            } else {
                EXPECT_TRUE(is_at(result, place::far, make_row(n, 10 * n))) << n;
            }
        }
        reopen();
    }
}

TEST_P(store_conformance, finding_nothing_answers_nothing) {
    const auto results = store().find(shard, e, {});
    ASSERT_TRUE(results);
    EXPECT_TRUE(results->empty());
}

TEST_P(store_conformance, an_id_is_looked_up_in_its_own_namespace) {
    record a = make_row(1);
    a.ns = "ab";
    a.id = "c";
    record b = make_row(2);
    b.ns = "a";
    b.id = "bc";
    commit(put_far{a}, put_far{b});
    EXPECT_TRUE(is_at(find(a), place::far, a));
    EXPECT_TRUE(is_at(find(b), place::far, b));
    commit(removal_of_far(a));
    EXPECT_FALSE(find(a));
    EXPECT_TRUE(is_at(find(b), place::far, b));
}

// ---- bytes ----

TEST_P(store_conformance, every_field_and_any_bytes_survive_a_reopening) {
    std::string every_byte(256, '\0');
    for (std::size_t i = 0; i < 256; ++i) every_byte[i] = static_cast<char>(i);
    record odd = make_row(0x0102030405060708, 1'234, clock_kind::wall);
    odd.ns = std::string("\0n", 2);
    odd.id = every_byte;
    odd.queue = std::string("q\0", 2);
    odd.payload = every_byte + every_byte;
    odd.kind = payload_kind::binary;
    odd.next = {clock_kind::service, {99}};
    odd.failures = 7;
    odd.lease_until = {5'000};
    odd.rewritten = true;
    record empty = make_row(1);
    empty.ns = empty.id = empty.queue = empty.payload = "";
    record large = make_row(2);
    large.payload.assign(std::size_t{64} << 10, '\x80');

    for (const record& row : {odd, empty, large}) {
        commit(put_near{row}, put_far{row});
    }
    reopen();
    EXPECT_EQ(near(), rows({empty, large, odd}));
    EXPECT_EQ(far().size(), 3U);
    for (const record& row : {odd, empty, large}) EXPECT_TRUE(is_at(find(row), place::far, row));
    commit(removal_of_far(odd), put_dead{odd});
    reopen();
    EXPECT_TRUE(is_at(find(odd), place::dead, odd));
}

TEST_P(store_conformance, a_reopening_keeps_what_was_committed_and_nothing_else) {
    for (std::uint64_t n = 1; n <= 20; ++n) commit(put_near{make_row(n)});
    for (std::uint64_t n = 1; n <= 20; n += 2) commit(remove_near{{n}, true});
    reopen();
    const auto kept = near();
    ASSERT_EQ(kept.size(), 10U);
    for (std::size_t i = 0; i < 10; ++i) EXPECT_EQ(kept[i], make_row(2 * i + 2));
}

// ---- threads ----

TEST_P(store_conformance, commits_loads_and_acquires_go_side_by_side) {
    record moving = make_row(1'000'000, 10);
    commit(put_far{moving});
    std::atomic<bool> stop = false;
    std::atomic<epoch> current = e;
    std::atomic<std::uint64_t> acknowledged = 0;
    std::thread loader([&] {
        while (!stop) {
            const std::uint64_t before = acknowledged;
            const auto loaded = store().load_near(shard, current.load(), {}, 10'000);
            if (!loaded) {
                EXPECT_EQ(loaded.error().code, store_code::fenced);
                continue;
            }
            // Each commit puts two rows: whatever is seen is whole commits, and all before.
            EXPECT_EQ(loaded->rows.size() % 2, 0U);
            EXPECT_GE(loaded->rows.size(), 2 * before);
        }
    });
    std::thread finder([&] {
        const std::vector<timer_key> keys = {{"default", make_row(1'000'000).id}};
        while (!stop) {
            const auto results = store().find(shard, current.load(), keys);
            // The row moves back and forth in single commits: it is always somewhere.
            const bool lost = results && !(*results)[0];
            EXPECT_FALSE(lost);
        }
    });
    for (std::uint64_t i = 1; i <= 200; ++i) {
        if (i % 50 == 0) {
            acquire();
            current = e;
        }
        record moved = moving;
        moved.next.at = {10 + i};
        commit(put_near{make_row(2 * i)}, put_near{make_row(2 * i + 1)}, removal_of_far(moving),
               put_far{moved});
        acknowledged = i;
        moving = moved;
    }
    stop = true;
    loader.join();
    finder.join();
    EXPECT_EQ(near({}, 10'000).size(), 400U);
}

INSTANTIATE_TEST_SUITE_P(
    stores, store_conformance,
    testing::Values(
        kind_of_store{"memory", [] { return std::make_unique<test::memory_under_test>(); }},
        kind_of_store{"rocksdb", [] { return std::make_unique<test::rocksdb_under_test>(); }}),
    [](const auto& param) { return param.param.name; });

// ---- what callers must not do ----

TEST(store_contract_death_test, a_far_row_below_the_low_water_mark_is_a_checked_error) {
    const auto memory = make_memory_store();
    const auto taken = memory->acquire(shard_id{0});
    batch b;
    b.meta.far_low_water[0] = {1'001};
    b.operations = {put_far{make_row(1, 1'000)}};
    EXPECT_DEATH((void)memory->commit(shard_id{0}, taken->current, b), "low-water mark");
}

TEST(store_contract_death_test, the_memory_store_catches_a_false_written_once) {
    const auto memory = make_memory_store();
    const auto taken = memory->acquire(shard_id{0});
    const auto commit = [&](operation op) {
        batch b;
        b.operations = {std::move(op)};
        return memory->commit(shard_id{0}, taken->current, b).has_value();
    };
    ASSERT_TRUE(commit(put_near{make_row(1)}) && commit(put_near{make_row(1)}));
    EXPECT_DEATH(commit(remove_near{{1}, true}), "written_once");
    ASSERT_TRUE(commit(put_near{make_row(2)}) && commit(remove_near{{2}, true}) &&
                commit(put_near{make_row(2)}));
    EXPECT_DEATH(commit(remove_near{{2}, true}), "written_once");
}

}  // namespace
}  // namespace foliot::store

// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "conformance/store/rocksdb_fixture.hpp"
#include "store/memory_store.hpp"

#include <algorithm>
#include <random>
#include <set>

// What is removed never comes back, whatever files its versions lie in, and leaves nothing behind.

namespace foliot::store {
namespace {

using test::make_row;
using test::removal_of_dead;
using test::removal_of_far;

class rocksdb_removal : public test::rocksdb_fixture {
protected:
    void SetUp() override { open(); }

    static record rewritten(record row) {
        row.rewritten = true;
        row.payload = "second";
        return row;
    }

    void expect_gone_for_good() {
        EXPECT_TRUE(near_rows().empty());
        flush();
        EXPECT_TRUE(near_rows().empty());
        compact();
        EXPECT_TRUE(near_rows().empty());
        open();
        EXPECT_TRUE(near_rows().empty());
    }

    const record row = make_row(1);
};

TEST_F(rocksdb_removal, put_cancel) {
    commit(put_near{row});
    commit(remove_near{row.seq, true});
    expect_gone_for_good();
}

TEST_F(rocksdb_removal, put_flush_cancel) {
    commit(put_near{row});
    flush();
    commit(remove_near{row.seq, true});
    expect_gone_for_good();
}

TEST_F(rocksdb_removal, put_overwrite_flush_cancel) {
    commit(put_near{row});
    commit(put_near{rewritten(row)});
    flush();
    commit(remove_near{row.seq, false});
    expect_gone_for_good();
}

TEST_F(rocksdb_removal, put_flush_overwrite_flush_cancel_flush_compact) {
    commit(put_near{row});
    flush();
    commit(put_near{rewritten(row)});
    flush();
    commit(remove_near{row.seq, false});
    expect_gone_for_good();
}

TEST_F(rocksdb_removal, put_flush_overwrite_cancel_flush) {
    commit(put_near{row});
    flush();
    commit(put_near{rewritten(row)});  // meets its removal in memory: neither reaches the file
    commit(remove_near{row.seq, false});
    expect_gone_for_good();
}

TEST_F(rocksdb_removal, near_to_far_to_near_then_cancel_within_one_file) {
    commit(put_near{row});
    flush();
    commit(remove_near{row.seq, true}, put_far{row});
    commit(removal_of_far(row), put_near{rewritten(row)});
    commit(remove_near{row.seq, false});
    expect_gone_for_good();
}

TEST_F(rocksdb_removal, put_compact_overwrite_compact_cancel) {
    commit(put_near{row});
    flush();
    compact();
    commit(put_near{rewritten(row)});
    flush();
    compact();
    commit(remove_near{row.seq, false});
    expect_gone_for_good();
}

TEST_F(rocksdb_removal, near_to_far_to_near_then_cancel_across_files) {
    commit(put_near{row});
    flush();
    commit(remove_near{row.seq, true}, put_far{row});
    flush();
    const record back = rewritten(row);
    commit(removal_of_far(row), put_near{back});
    flush();
    EXPECT_EQ(near_rows(), std::vector<record>{back});
    commit(remove_near{row.seq, false});
    expect_gone_for_good();
}

TEST_F(rocksdb_removal, cancelled_near_timers_vanish_when_memory_is_written_to_files) {
    for (std::uint64_t n = 1; n <= 200; ++n) commit(put_near{make_row(n)});
    for (std::uint64_t n = 1; n <= 200; ++n) commit(remove_near{{n}, true});
    flush();
    // The pairs met in memory: neither rows nor removals were written. What is there is the meta.
    EXPECT_LT(test_access::file_entries(*store), 20U);
}

TEST_F(rocksdb_removal, ten_thousand_cancelled_far_timers_leave_nothing_on_disk) {
    flush();
    compact();
    const std::uint64_t base = test_access::file_bytes(*store);
    batch puts;
    batch removals;
    for (std::uint64_t n = 1; n <= 10'000; ++n) {
        record far = make_row(n, 7'776'000'000 + n * 7919 % 100'003);
        far.payload.assign(200, static_cast<char>('a' + n % 26));
        removals.operations.emplace_back(removal_of_far(far));
        puts.operations.emplace_back(put_far{std::move(far)});
    }
    ASSERT_TRUE(store->commit(shard, e, puts));
    flush();
    EXPECT_GT(test_access::file_bytes(*store), base + 300'000);
    ASSERT_TRUE(store->commit(shard, e, removals));
    flush();
    compact();
    EXPECT_LT(test_access::file_bytes(*store), base + 4'096);
    EXPECT_LT(test_access::file_entries(*store), 20U);
}

// ---- against the memory store, over files ----

/// Makes random batches that keep the rules of the interface, and knows the rows that live.
class scribe {
public:
    explicit scribe(std::uint64_t seed) : random_(seed) {}

    batch next_batch() {
        batch b;
        const std::size_t count = 1 + random_() % 12;
        for (std::size_t i = 0; i < count; ++i) add_operation(b);
        b.meta.pending = near_.size() + far_.size();
        b.meta.dead = dead_.size();
        return b;
    }

    std::uint64_t random() { return random_(); }
    [[nodiscard]] std::uint64_t last() const { return last_; }

private:
    struct near_state {
        record row;
        bool written_once = true;
    };

    void add_operation(batch& b) {
        switch (random_() % 10) {
            case 0:
            case 1:
            case 2: return put_new_near(b);
            case 3:
            case 4: return put_new_far(b);
            case 5: return overwrite_near(b);
            case 6: return evict_or_kill(b);
            case 7: return take_far(b);
            case 8: return remove_some_near(b);
            default: return remove_some_dead(b);
        }
    }
    record new_row() { return make_row(++last_, random_() % 50, clock_kind(random_() % 2)); }
    template <class Row>
    Row take(std::vector<Row>& from) {
        std::swap(from[random_() % from.size()], from.back());
        Row row = std::move(from.back());
        from.pop_back();
        return row;
    }

    void put_new_near(batch& b) {
        near_.push_back({new_row(), true});
        b.operations.emplace_back(put_near{near_.back().row});
    }
    void put_new_far(batch& b) {
        far_.push_back(new_row());
        b.operations.emplace_back(put_far{far_.back()});
    }
    void overwrite_near(batch& b) {
        if (near_.empty()) return put_new_near(b);
        near_state& at = near_[random_() % near_.size()];
        at.row.rewritten = true;
        at.row.next.at.count += 1 + random_() % 9;
        at.written_once = false;
        b.operations.emplace_back(put_near{at.row});
    }
    void evict_or_kill(batch& b) {
        if (near_.empty()) return put_new_near(b);
        const near_state from = take(near_);
        b.operations.emplace_back(remove_near{from.row.seq, from.written_once});
        if (random_() % 3 == 0) {
            dead_.push_back(from.row);
            b.operations.emplace_back(put_dead{from.row});
        } else {
            far_.push_back(from.row);
            b.operations.emplace_back(put_far{from.row});
        }
        removed_near_.insert(from.row.seq.value);
    }
    void take_far(batch& b) {
        if (far_.empty()) return put_new_far(b);
        record row = take(far_);
        b.operations.emplace_back(removal_of_far(row));
        if (random_() % 3 == 0) return;
        const bool fresh = !removed_near_.contains(row.seq.value);
        row.rewritten = !fresh;
        near_.push_back({row, fresh});
        b.operations.emplace_back(put_near{row});
    }
    void remove_some_near(batch& b) {
        if (near_.empty()) return put_new_near(b);
        const near_state gone = take(near_);
        b.operations.emplace_back(remove_near{gone.row.seq, gone.written_once});
    }
    void remove_some_dead(batch& b) {
        if (dead_.empty()) return put_new_far(b);
        b.operations.emplace_back(removal_of_dead(take(dead_)));
    }

    std::mt19937_64 random_;
    std::uint64_t last_ = 0;
    std::vector<near_state> near_;
    std::vector<record> far_;
    std::vector<record> dead_;
    std::set<std::uint64_t> removed_near_;
};

class rocksdb_against_memory : public test::rocksdb_fixture {
protected:
    void SetUp() override {
        options.durability = durability::os_cache;  // many small commits; no crash in this test
        open();
        memory_epoch = memory->acquire(shard)->current;
    }

    template <class Load>
    void expect_same_pages(const char* what, Load load) {
        const auto ours = load(*store, e);
        const auto theirs = load(*memory, memory_epoch);
        ASSERT_TRUE(ours) << what << ": " << ours.error().message;
        ASSERT_TRUE(theirs) << what;
        ASSERT_EQ(ours->rows, theirs->rows) << what;
        ASSERT_EQ(ours->end, theirs->end) << what;
    }

    void expect_same(scribe& s) {
        const std::size_t limit = 1 + s.random() % 500;
        const sequence after{s.random() % (s.last() + 1)};
        expect_same_pages(
            "near", [&](due_store& d, epoch at) { return d.load_near(shard, at, after, limit); });
        expect_same_pages(
            "dead", [&](due_store& d, epoch at) { return d.load_dead(shard, at, after, limit); });
        const auto clock = clock_kind(s.random() % 2);
        const far_position from{{s.random() % 50}, after};
        const tick to{s.random() % 70};
        expect_same_pages("far", [&](due_store& d, epoch at) {
            return d.load_far(shard, at, clock, from, to, limit);
        });
        std::vector<timer_key> keys;
        for (int i = 0; i < 40; ++i) {
            keys.push_back({"default", make_row(1 + s.random() % (s.last() + 5)).id});
        }
        const auto ours = store->find(shard, e, keys);
        const auto theirs = memory->find(shard, memory_epoch, keys);
        ASSERT_TRUE(ours) << ours.error().message;
        for (std::size_t i = 0; i < keys.size(); ++i) {
            const auto& a = (*ours)[i];
            const auto& b = (*theirs)[i];
            ASSERT_EQ(a.has_value(), b.has_value()) << keys[i].id;
            if (!a) continue;
            ASSERT_EQ(a->where, b->where);
            ASSERT_EQ(a->row, b->row);
        }
    }

    const std::unique_ptr<due_store> memory = make_memory_store();
    epoch memory_epoch{};
};

TEST_F(rocksdb_against_memory, both_agree_through_flushes_compactions_and_reopenings) {
    scribe s(test::seed_or(1));
    for (int i = 0; i < 3'000; ++i) {
        const batch b = s.next_batch();
        ASSERT_TRUE(store->commit(shard, e, b));
        ASSERT_TRUE(memory->commit(shard, memory_epoch, b));
        if (s.random() % 60 == 0) flush();
        if (s.random() % 300 == 0) compact();
        if (s.random() % 400 == 0) open();
        if (s.random() % 400 == 0) {
            test_access::mark_broken(*store);
            acquire();
        }
        if (i % 7 == 0) {
            expect_same(s);
            if (HasFatalFailure()) return;
        }
    }
}

}  // namespace
}  // namespace foliot::store

// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "conformance/store/rocksdb_fixture.hpp"
#include "store/key_codec.hpp"
#include "store/record_codec.hpp"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <functional>

// Opening: what is refused and how it says so; damaged files; and stores that broke.

namespace foliot::store {
namespace {

using test::make_row;
using testing::HasSubstr;
namespace fs = std::filesystem;

class rocksdb_open : public test::rocksdb_fixture {
protected:
    void put_number(std::string_view key, std::uint32_t number) {
        std::string value;
        encode_number(number, value);
        ASSERT_TRUE(test_access::put_raw(*store, "default", key, value));
    }

    /// The only or newest file whose name ends so.
    fs::path file(const std::string& extension) {
        fs::path newest;
        for (const auto& entry : fs::directory_iterator(options.path)) {
            const auto& path = entry.path();
            if (path.extension() == extension && path.filename() > newest.filename()) newest = path;
        }
        return newest;
    }

    /// Flips every bit of some bytes in the middle of a file.
    static void damage(const fs::path& path, std::uintmax_t at, std::size_t bytes) {
        std::fstream out(path, std::ios::in | std::ios::out | std::ios::binary);
        for (std::size_t i = 0; i < bytes; ++i) {
            const auto place = static_cast<std::streamoff>(at + i);
            out.seekg(place);
            const int old = out.get();
            out.seekp(place);
            out.put(static_cast<char>(~old));
        }
        ASSERT_TRUE(out.good()) << path;
    }

    store_error refused() {
        store.reset();
        const auto opened = open_rocksdb_store(options);
        if (!opened) return opened.error();
        ADD_FAILURE() << "the store opened";
        return {};
    }
};

TEST_F(rocksdb_open, a_second_opening_is_locked_out_and_told_where) {
    open();
    const auto second = open_rocksdb_store(options);
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().code, store_code::locked);
    EXPECT_EQ(second.error().message, "another foliotd has this data directory open: " +
                                          options.path + " (" + options.path + "/LOCK)");
    commit(put_near{make_row(1)});  // the first is not disturbed
    open();
    EXPECT_EQ(near_rows().size(), 1U);
}

TEST_F(rocksdb_open, a_missing_directory_is_made_only_where_that_is_allowed) {
    options.path = directory / "a/b/c";
    options.create_if_missing = false;
    EXPECT_THAT(refused().message, HasSubstr(options.path));
    EXPECT_FALSE(fs::exists(options.path));
    options.create_if_missing = true;
    open();
    options.create_if_missing = false;
    open();
}

TEST_F(rocksdb_open, a_path_that_cannot_be_a_directory_is_an_error) {
    std::ofstream(directory / "file") << "x";
    options.path = directory / "file/data";
    const auto error = refused();
    EXPECT_EQ(error.code, store_code::unavailable);
    EXPECT_THAT(error.message, HasSubstr(options.path));
}

TEST_F(rocksdb_open, a_newer_format_is_unsupported) {
    open();
    put_number(format_key, format_version + 1);
    const auto error = refused();
    EXPECT_EQ(error.code, store_code::unsupported);
    EXPECT_THAT(error.message, HasSubstr("holds format 2; this program knows format 1"));
}

TEST_F(rocksdb_open, a_keyspace_that_is_not_known_is_unsupported) {
    open();
    ASSERT_TRUE(test_access::add_column(*store, "tags"));
    const auto error = refused();
    EXPECT_EQ(error.code, store_code::unsupported);
    EXPECT_THAT(error.message, HasSubstr("\"tags\""));
}

TEST_F(rocksdb_open, epochs_that_ran_out_are_a_clear_error) {
    open();
    put_number(make_epoch_key(shard), max_epoch - 1);
    acquire();
    EXPECT_EQ(e, epoch{max_epoch});
    const auto taken = store->acquire(shard);
    ASSERT_FALSE(taken);
    EXPECT_THAT(taken.error().message, HasSubstr("16777215 epochs"));
    EXPECT_EQ(try_commit().error().code, store_code::fenced);
}

TEST_F(rocksdb_open, a_row_that_does_not_decode_is_corrupt_and_named) {
    open();
    commit(put_near{make_row(1)});
    ASSERT_TRUE(test_access::put_raw(*store, "near", make_sequence_key(shard, {5}).view(), "\x01"));
    const auto loaded = store->load_near(shard, e, {}, 10);
    ASSERT_FALSE(loaded);
    EXPECT_EQ(loaded.error().code, store_code::corrupt);
    EXPECT_THAT(loaded.error().message, HasSubstr("near row, sequence 5"));
    EXPECT_EQ(store->load_near(shard, e, {}, 1)->rows.size(), 1U);  // those before it are read
}

TEST_F(rocksdb_open, a_row_under_the_key_of_another_is_corrupt) {
    open();
    std::string value;
    encode_record(make_row(1), value);
    ASSERT_TRUE(test_access::put_raw(*store, "near", make_sequence_key(shard, {2}).view(), value));
    EXPECT_EQ(store->load_near(shard, e, {}, 10).error().code, store_code::corrupt);
}

TEST_F(rocksdb_open, an_id_row_without_its_row_is_corrupt) {
    open();
    std::string value;
    encode_id_entry({place::far, {}, {9}}, value);
    ASSERT_TRUE(test_access::put_raw(*store, "ids", make_id_key(shard, "n", "i"), value));
    const timer_key key{"n", "i"};
    const auto results = store->find(shard, e, {&key, 1});
    ASSERT_FALSE(results);
    EXPECT_EQ(results.error().code, store_code::corrupt);
    EXPECT_THAT(results.error().message, HasSubstr("n/i"));
}

TEST_F(rocksdb_open, damage_in_a_file_of_rows_is_corrupt_and_names_the_file) {
    open();
    batch b;
    for (std::uint64_t n = 1; n <= 2'000; ++n) b.operations.emplace_back(put_near{make_row(n)});
    ASSERT_TRUE(store->commit(shard, e, b));
    flush();
    store.reset();
    fs::path largest;
    for (const auto& entry : fs::directory_iterator(options.path)) {
        if (entry.path().extension() != ".sst") continue;
        if (largest.empty() || entry.file_size() > fs::file_size(largest)) largest = entry.path();
    }
    damage(largest, fs::file_size(largest) / 2, 16);
    open();
    const auto loaded = store->load_near(shard, e, {}, 10'000);
    ASSERT_FALSE(loaded);
    EXPECT_EQ(loaded.error().code, store_code::corrupt);
    EXPECT_THAT(loaded.error().message, HasSubstr(largest.filename().string()));
}

TEST_F(rocksdb_open, damage_inside_the_log_is_corrupt_and_names_the_file) {
    open();
    for (std::uint64_t n = 1; n <= 50; ++n) commit(put_near{make_row(n)});
    store.reset();
    const fs::path log = file(".log");
    damage(log, fs::file_size(log) / 2, 16);
    const auto error = refused();
    EXPECT_EQ(error.code, store_code::corrupt);
    EXPECT_THAT(error.message, HasSubstr(log.filename().string()));
}

TEST_F(rocksdb_open, a_log_cut_short_at_its_end_loses_the_cut_commit_alone) {
    open();
    for (std::uint64_t n = 1; n <= 50; ++n) commit(put_near{make_row(n)});
    store.reset();
    const fs::path log = file(".log");
    fs::resize_file(log, fs::file_size(log) - 7);
    open();
    EXPECT_EQ(near_rows().size(), 49U);
}

TEST_F(rocksdb_open, a_lost_file_of_rows_is_corrupt_and_named) {
    open();
    commit(put_near{make_row(1)});
    flush();
    store.reset();
    const fs::path lost = file(".sst");
    fs::remove(lost);
    const auto error = refused();
    EXPECT_EQ(error.code, store_code::corrupt);
    EXPECT_THAT(error.message, HasSubstr("/" + lost.stem().string() + "."));
}

TEST_F(rocksdb_open, a_lost_or_damaged_current_file_is_corrupt_and_nothing_is_deleted) {
    open();
    commit(put_near{make_row(1)});
    flush();
    store.reset();
    const std::string current = options.path + "/CURRENT";
    std::ifstream in(current);
    const std::string text(std::istreambuf_iterator<char>(in), {});
    for (const std::function<void()>& harm :
         {std::function<void()>([&] { fs::remove(current); }),
          std::function<void()>([&] { std::ofstream(current) << "nonsense"; })}) {
        harm();
        const auto error = refused();
        EXPECT_EQ(error.code, store_code::corrupt);
        EXPECT_THAT(error.message, HasSubstr("CURRENT"));
    }
    std::ofstream(current) << text;
    open();
    EXPECT_EQ(near_rows().size(), 1U);
}

TEST_F(rocksdb_open, damage_in_the_manifest_is_corrupt_and_names_the_directory) {
    open();
    commit(put_near{make_row(1)});
    flush();
    store.reset();
    for (const auto& entry : fs::directory_iterator(options.path)) {
        if (entry.path().filename().string().starts_with("MANIFEST")) damage(entry.path(), 20, 8);
    }
    const auto error = refused();
    EXPECT_EQ(error.code, store_code::corrupt);
    EXPECT_THAT(error.message, HasSubstr(options.path));
}

TEST_F(rocksdb_open, a_broken_store_answers_its_first_error_until_it_is_acquired_again) {
    open();
    commit(put_near{make_row(1)});
    test_access::mark_broken(*store);
    const auto refused_commit = try_commit(put_near{make_row(2)});
    ASSERT_FALSE(refused_commit);
    EXPECT_EQ(refused_commit.error().message, "marked by a test");
    const epoch before = e;
    acquire();
    EXPECT_GT(e, before);
    commit(put_near{make_row(3)});
    EXPECT_EQ(near_rows(), (std::vector<record>{make_row(1), make_row(3)}));
}

TEST_F(rocksdb_open, a_store_that_cannot_be_reopened_is_tried_again_by_the_next_acquire) {
    open();
    commit(put_near{make_row(1)});
    const std::string current = options.path + "/CURRENT";
    fs::rename(current, current + ".away");
    test_access::mark_broken(*store);
    EXPECT_EQ(store->acquire(shard).error().code, store_code::corrupt);
    EXPECT_FALSE(store->load_near(shard, e, {}, 10));
    EXPECT_FALSE(try_commit());
    EXPECT_FALSE(store->acquire(shard));
    fs::rename(current + ".away", current);
    acquire();
    EXPECT_EQ(near_rows().size(), 1U);
}

TEST_F(rocksdb_open, weaker_durability_is_a_named_choice_that_survives_a_plain_reopening) {
    options.durability = durability::os_cache;
    open();
    commit(put_near{make_row(1)});
    open();
    EXPECT_EQ(near_rows().size(), 1U);
}

}  // namespace
}  // namespace foliot::store

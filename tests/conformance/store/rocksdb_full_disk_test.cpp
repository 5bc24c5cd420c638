// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "conformance/store/rocksdb_fixture.hpp"

#include <fcntl.h>
#include <sys/mount.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>

// A disk that is full in truth: a small tmpfs. Needs root.

namespace foliot::store {
namespace {

using test::make_row;

/// A tmpfs that only this process can see and that ends with it, however it ends.
class small_disk {
public:
    explicit small_disk(const char* size) {
        const test::temp_directory mount_point;
        const char* path = mount_point.path().c_str();
        const std::string data = std::string("size=") + size;
        if (::mount("tmpfs", path, "tmpfs", 0, data.c_str()) != 0) {
            throw std::runtime_error(std::string("cannot mount a tmpfs (this test needs root): ") +
                                     std::strerror(errno));
        }
        root_ = ::open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        // Out of the tree at once; it lives on behind the open directory.
        const int detached = ::umount2(path, MNT_DETACH);
        if (root_ < 0 || detached != 0) throw std::runtime_error("cannot use the tmpfs");
    }
    ~small_disk() { ::close(root_); }
    small_disk(const small_disk&) = delete;
    small_disk& operator=(const small_disk&) = delete;

    std::string operator/(const std::string& name) const {
        return "/proc/self/fd/" + std::to_string(root_) + "/" + name;
    }

    /// Writes until no more than `room` bytes are free.
    void fill(const char* name, std::uintmax_t room = 0) {
        const std::string path = *this / name;
        {
            std::ofstream out(path, std::ios::binary | std::ios::app);
            const std::string block(4096, 'f');
            while (out.write(block.data(), static_cast<std::streamsize>(block.size())).flush()) {}
        }
        const auto size = std::filesystem::file_size(path);
        std::filesystem::resize_file(path, size > room ? size - room : 0);
    }
    void remove(const char* name) { std::filesystem::remove(*this / name); }

private:
    int root_ = -1;
};

class rocksdb_full_disk : public test::rocksdb_fixture {
protected:
    void SetUp() override {
        options.path = disk / "data";
        options.memtable_bytes = std::size_t{256} << 10;
        open();
    }

    record large_row(std::uint64_t n) {
        record row = make_row(n);
        row.payload.assign(3'000, static_cast<char>('a' + n % 26));
        return row;
    }

    /// Commits batches of three rows until one fails; returns its error.
    store_error commit_until_full() {
        for (;;) {
            const std::uint64_t n = acknowledged + 1;
            const auto committed =
                try_commit(put_near{large_row(3 * n)}, put_near{large_row(3 * n + 1)},
                           put_near{large_row(3 * n + 2)});
            if (!committed) return committed.error();
            acknowledged = n;
            if (n > 100'000) {
                ADD_FAILURE() << "the disk never filled";
                return {};
            }
        }
    }

    /// Every acknowledged batch is there, and at most the one that failed, whole.
    void expect_acknowledged_rows() {
        const auto rows = all_near_rows();
        const std::size_t least = 3 * (acknowledged - dropped);
        ASSERT_TRUE(rows.size() == least || rows.size() == least + 3)
            << rows.size() << " rows, " << least << " were acknowledged";
        for (std::size_t i = 0; i < rows.size(); ++i)
            ASSERT_EQ(rows[i], large_row(3 * dropped + 3 + i));
        acknowledged = dropped + rows.size() / 3;
    }

    /// So that a disk of 16 MB sees many rounds.
    void drop_all_rows() {
        batch removals;
        for (const record& row : all_near_rows()) {
            removals.operations.emplace_back(remove_near{row.seq, true});
        }
        ASSERT_TRUE(store->commit(shard, e, removals));
        dropped = acknowledged;
    }

    std::vector<record> all_near_rows() {
        std::vector<record> all;
        for (;;) {
            auto loaded =
                store->load_near(shard, e, all.empty() ? sequence{} : all.back().seq, 1'000);
            if (!loaded) {
                ADD_FAILURE() << loaded.error().message;
                return all;
            }
            all.insert(all.end(), loaded->rows.begin(), loaded->rows.end());
            if (loaded->end) return all;
        }
    }

    small_disk disk{"16m"};
    std::uint64_t acknowledged = 0;  // batches; the number of the last one
    std::uint64_t dropped = 0;       // those up to this one were removed again
};

TEST_F(rocksdb_full_disk, refuses_commits_and_recovers_when_there_is_space_again) {
    for (int round = 0; round < 4; ++round) {
        disk.fill("filler");
        const store_error full = commit_until_full();
        EXPECT_TRUE(full.code == store_code::no_space) << full.message;
        EXPECT_EQ(try_commit(put_near{make_row(1)}).error().code, store_code::no_space);
        // Still full: this may fail, or do with what the closed files gave back. It loses nothing.
        (void)store->acquire(shard);
        disk.remove("filler");
        acquire();
        expect_acknowledged_rows();
        if (HasFatalFailure()) return;
        // And goes on.
        const std::uint64_t n = acknowledged + 1;
        commit(put_near{large_row(3 * n)}, put_near{large_row(3 * n + 1)},
               put_near{large_row(3 * n + 2)});
        acknowledged = n;
    }
    open();
    expect_acknowledged_rows();
}

TEST_F(rocksdb_full_disk, recovers_when_space_came_back_before_the_first_acquire) {
    for (int round = 0; round < 4; ++round) {
        disk.fill("filler");
        const store_error full = commit_until_full();
        EXPECT_EQ(full.code, store_code::no_space) << full.message;
        disk.remove("filler");
        acquire();
        expect_acknowledged_rows();
        if (HasFatalFailure()) return;
    }
}

TEST_F(rocksdb_full_disk, whatever_fills_it_first_loses_nothing) {
    // The log, a file of rows, or the list of files: it depends on how much room there is.
    std::mt19937_64 random(test::seed_or(1));
    for (int round = 0; round < 12; ++round) {
        disk.fill("filler", random() % 1'500'000);
        const store_error full = commit_until_full();
        EXPECT_EQ(full.code, store_code::no_space) << full.message;
        disk.remove("filler");
        acquire();
        expect_acknowledged_rows();
        if (HasFatalFailure()) return;
        drop_all_rows();
    }
}

TEST_F(rocksdb_full_disk, rows_of_a_full_disk_can_still_be_read) {
    disk.fill("filler");
    (void)commit_until_full();
    const auto rows = all_near_rows();
    EXPECT_EQ(rows.size(), 3 * acknowledged);
}

}  // namespace
}  // namespace foliot::store

// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "store_rocksdb/rocksdb_store.hpp"
#include "support/store/rows.hpp"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

// rocksdb_crash_child DIRECTORY FIRST LAST
//
// Commits FIRST, FIRST + 1, ... and says each number on stdout once it is acknowledged. It dies
// after LAST without closing anything; with LAST = 0 it goes on until it is killed.
// Commit n puts the near rows 2n and 2n+1 and the far row n; it removes those of commit n - 5,
// so that files fill with removals too.

int main(int argc, char** argv) {
    using namespace foliot;
    if (argc != 4) return 2;
    store::rocksdb_options options;
    options.path = argv[1];
    options.memtable_bytes = std::size_t{64} << 10;  // a flush every few hundred commits
    const std::uint64_t first = std::strtoull(argv[2], nullptr, 10);
    const std::uint64_t last = std::strtoull(argv[3], nullptr, 10);
    auto opened = store::open_rocksdb_store(options);
    if (!opened) return 3;
    const auto taken = (*opened)->acquire(store::shard_id{0});
    if (!taken) return 4;
    std::puts("open");
    std::fflush(stdout);
    for (std::uint64_t n = first;; ++n) {
        store::batch b;
        b.meta.pending = n;
        b.operations.emplace_back(store::put_near{test::make_row(2 * n)});
        b.operations.emplace_back(store::put_near{test::make_row(2 * n + 1)});
        b.operations.emplace_back(store::put_far{test::make_row(n, n * 7919 % 1009)});
        if (n > 5) {
            const std::uint64_t old = n - 5;
            b.operations.emplace_back(store::remove_near{{2 * old}, true});
            b.operations.emplace_back(store::remove_near{{2 * old + 1}, true});
            b.operations.emplace_back(test::removal_of_far(test::make_row(old, old * 7919 % 1009)));
        }
        if (!(*opened)->commit(store::shard_id{0}, taken->current, b)) return 5;
        std::printf("%llu\n", static_cast<unsigned long long>(n));
        std::fflush(stdout);
        if (n == last) ::_exit(0);
    }
}

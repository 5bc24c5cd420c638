// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "commit_times.hpp"
#include "contender.hpp"
#include "store/memory_store.hpp"
#include "store_rocksdb/rocksdb_store.hpp"

#include <stdexcept>

namespace bench {

namespace {

using namespace foliot::store;

template <class T>
T must(store_result<T> result) {
    if (!result) throw std::runtime_error(result.error().message);
    return *std::move(result);
}

constexpr std::size_t page_rows = 4096;

std::uint64_t sum_of_near(due_store& store, epoch e) {
    std::uint64_t sum = 0;
    sequence after;
    for (bool end = false; !end;) {
        const page rows = must(store.load_near(shard_id{}, e, after, page_rows));
        for (const record& row : rows.rows) sum += sum_of(row);
        if (!rows.rows.empty()) after = rows.rows.back().seq;
        end = rows.end;
    }
    return sum;
}

std::uint64_t sum_of_far(due_store& store, epoch e) {
    std::uint64_t sum = 0;
    far_position after;
    for (bool end = false; !end;) {
        const page rows = must(
            store.load_far(shard_id{}, e, clock_kind::service, after, {UINT64_MAX}, page_rows));
        for (const record& row : rows.rows) sum += sum_of(row);
        if (!rows.rows.empty()) after = {rows.rows.back().next.at, rows.rows.back().seq};
        end = rows.end;
    }
    return sum;
}

outcome measure(due_store& store, const plan& p, const std::filesystem::path& directory) {
    const epoch e = must(store.acquire(shard_id{})).current;
    batches all(p, e);
    commit_times times;
    for (std::size_t i = 0; i < p.commits; ++i) {
        const batch& one = all.next();
        times.take([&] { must(store.commit(shard_id{}, e, one)); });
    }
    outcome result;
    times.tell(p, directory, result);
    result.checksum = sum_of_near(store, e) + sum_of_far(store, e);
    return result;
}

/// Foliot's, with its defaults.
class rocksdb_contender final : public contender {
public:
    [[nodiscard]] std::string_view name() const override { return "rocksdb_store"; }
    outcome run(const plan& p, const std::filesystem::path& directory) override {
        rocksdb_options options;
        options.path = directory.string();
        return measure(*must(open_rocksdb_store(options)), p, directory);
    }
};

/// What a store costs that writes nothing.
class memory_contender final : public contender {
public:
    [[nodiscard]] std::string_view name() const override { return "memory_store"; }
    outcome run(const plan& p, const std::filesystem::path& directory) override {
        return measure(*make_memory_store(), p, directory);
    }
};

}  // namespace

std::unique_ptr<contender> make_rocksdb() { return std::make_unique<rocksdb_contender>(); }
std::unique_ptr<contender> make_memory() { return std::make_unique<memory_contender>(); }

}  // namespace bench

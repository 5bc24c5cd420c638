// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "store/memory_store.hpp"
#include "store_rocksdb/rocksdb_store.hpp"
#include "support/store/temp_directory.hpp"

#include <memory>
#include <stdexcept>

namespace foliot::test {

/// One store of each kind, as the conformance suite sees it.
class store_under_test {
public:
    virtual ~store_under_test() = default;
    virtual store::due_store& get() = 0;
    virtual void reopen() = 0;  ///< as a restart of the program does; `get` is then another object
};

class memory_under_test final : public store_under_test {
public:
    store::due_store& get() override { return *store_; }
    void reopen() override {}

private:
    std::unique_ptr<store::due_store> store_ = store::make_memory_store();
};

class rocksdb_under_test final : public store_under_test {
public:
    rocksdb_under_test() { reopen(); }
    store::due_store& get() override { return *store_; }
    void reopen() override {
        store_.reset();
        auto opened = store::open_rocksdb_store(options());
        if (!opened) throw std::runtime_error(opened.error().message);
        store_ = *std::move(opened);
    }
    [[nodiscard]] store::rocksdb_options options() const {
        store::rocksdb_options o;
        o.path = directory_ / "data";
        return o;
    }
    void close() { store_.reset(); }

private:
    temp_directory directory_;
    std::unique_ptr<store::due_store> store_;
};

}  // namespace foliot::test

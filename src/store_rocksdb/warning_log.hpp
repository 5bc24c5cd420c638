// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rocksdb/env.h>

#include <cstdarg>
#include <cstdio>
#include <functional>
#include <mutex>
#include <string>

// Internal to store_rocksdb.

namespace foliot::store {

/// RocksDB's warnings, passed on instead of written to its LOG file: that file shares the disk
/// with the rows, and RocksDB as Debian builds it aborts on a write to a LOG after a failed one.
class warning_log final : public rocksdb::Logger {
public:
    using sink = std::function<void(const std::string& line)>;

    explicit warning_log(sink to) : Logger(rocksdb::InfoLogLevel::WARN_LEVEL), to_(std::move(to)) {}

    using Logger::Logv;
    void Logv(const char* format, va_list arguments) override {
        char line[1024];
        std::vsnprintf(line, sizeof line, format, arguments);
        const std::string text = line;
        const std::lock_guard lock(mutex_);
        if (text.find("dropping") != std::string::npos) dropped_ = text;
        if (to_) to_(text);
    }

    /// What RocksDB said when it met damage in a log: the file, which its status leaves out.
    std::string dropped() {
        const std::lock_guard lock(mutex_);
        return dropped_;
    }

private:
    std::mutex mutex_;
    const sink to_;        // called under the mutex: one line at a time
    std::string dropped_;  // guarded by mutex_
};

}  // namespace foliot::store

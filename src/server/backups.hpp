// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.hpp"
#include "protocol/http.hpp"

#include <functional>
#include <future>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

namespace foliot::server {

inline constexpr std::string_view backup_target = "/v1/admin/backup";

/// Carries out POST /v1/admin/backup: one at a time, on a thread of its own.
///
/// Threads: `begin` from any. The destructor waits for a backup that runs.
class backups {
public:
    /// Makes the copy; the error is a sentence.
    using taker = std::function<result<done, std::string>(const std::string& to)>;

    /// Only below `directory`; where that is empty there are no backups.
    backups(std::string directory, taker take)
        : directory_(std::move(directory)), take_(std::move(take)) {}
    ~backups();
    backups(const backups&) = delete;
    backups& operator=(const backups&) = delete;

    /// The answer comes when the backup is made, or at once where it is refused.
    std::shared_future<protocol::http_response> begin(std::string_view method,
                                                      std::string_view body,
                                                      const protocol::limits& limits);

private:
    result<std::string, protocol::problem> check(std::string_view method, std::string_view body,
                                                 const protocol::limits& limits) const;
    protocol::http_response run(const std::string& to) const;

    const std::string directory_;
    const taker take_;
    std::mutex mutex_;
    std::shared_future<protocol::http_response> last_;  // guarded by mutex_
    std::thread worker_;                                // guarded by mutex_
};

}  // namespace foliot::server

// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>

namespace foliot::server {

enum class log_level : std::uint8_t { debug, info, warn, error };

/// text: time, level, message, then key=value pairs. json: one object a line.
enum class log_format : std::uint8_t { text, json };

/// One named value of a log line.
struct log_field {
    log_field(std::string_view k, std::string_view v) : key(k), value(v), quoted(true) {}
    log_field(std::string_view k, const char* v) : log_field(k, std::string_view{v}) {}
    log_field(std::string_view k, const std::string& v) : log_field(k, std::string_view{v}) {}
    log_field(std::string_view k, std::uint64_t v) : key(k), value(std::to_string(v)) {}
    log_field(std::string_view k, std::int64_t v) : key(k), value(std::to_string(v)) {}

    std::string_view key;
    std::string value;
    bool quoted = false;
};

/// The structured log, to standard error.
///
/// Threads: any. Errors: a line that cannot be written is lost; nothing throws.
class logger {
public:
    logger(log_format format, log_level level);
    ~logger();
    logger(const logger&) = delete;
    logger& operator=(const logger&) = delete;

    void log(log_level level, std::string_view message,
             std::initializer_list<log_field> fields = {}) noexcept;

    void debug(std::string_view m, std::initializer_list<log_field> f = {}) noexcept {
        log(log_level::debug, m, f);
    }
    void info(std::string_view m, std::initializer_list<log_field> f = {}) noexcept {
        log(log_level::info, m, f);
    }
    void warn(std::string_view m, std::initializer_list<log_field> f = {}) noexcept {
        log(log_level::warn, m, f);
    }
    void error(std::string_view m, std::initializer_list<log_field> f = {}) noexcept {
        log(log_level::error, m, f);
    }

private:
    class impl;
    std::unique_ptr<impl> impl_;
};

/// The part of a line after time and level, in either format (exposed for tests).
[[nodiscard]] std::string format_log_body(log_format format, std::string_view message,
                                          std::initializer_list<log_field> fields);

}  // namespace foliot::server

// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "server/log.hpp"

#include <spdlog/logger.h>
#include <spdlog/sinks/stdout_color_sinks.h>

#include <algorithm>

namespace foliot::server {
namespace {

std::string json_string(std::string_view text) {
    static constexpr std::string_view hex = "0123456789abcdef";
    std::string out = "\"";
    for (const char c : text) {
        const auto u = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') {
            out += '\\';
            out += c;
        } else if (u < 0x20) {
            out += "\\u00";
            out += hex[u >> 4];
            out += hex[u & 15];
        } else {
            out += c;
        }
    }
    return out += '"';
}

/// A word as it is; anything with spaces, quotes, '=' or control characters in JSON quotes.
std::string text_value(const log_field& field) {
    const bool word =
        !field.value.empty() && std::all_of(field.value.begin(), field.value.end(), [](char c) {
            return c > ' ' && c != '"' && c != '=' && c != '\\' && c != 127;
        });
    return word || !field.quoted ? field.value : json_string(field.value);
}

spdlog::level::level_enum to_spdlog(log_level level) {
    switch (level) {
        case log_level::debug: return spdlog::level::debug;
        case log_level::info: return spdlog::level::info;
        case log_level::warn: return spdlog::level::warn;
        case log_level::error: return spdlog::level::err;
    }
    return spdlog::level::info;
}

}  // namespace

std::string format_log_body(log_format format, std::string_view message,
                            std::initializer_list<log_field> fields) {
    std::string out;
    if (format == log_format::json) {
        out = "\"message\":" + json_string(message);
        for (const auto& f : fields) {
            out += ',' + json_string(f.key) + ':' + (f.quoted ? json_string(f.value) : f.value);
        }
    } else {
        // A message may hold text from outside: it must not be able to start a line of its own.
        for (const char c : message) out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
        for (const auto& f : fields) {
            out += ' ';
            out += f.key;
            out += '=' + text_value(f);
        }
    }
    return out;
}

class logger::impl {
public:
    impl(log_format format, log_level level)
        : format_(format),
          out_("foliotd", std::make_shared<spdlog::sinks::stderr_color_sink_mt>()) {
        out_.set_level(to_spdlog(level));
        out_.set_pattern(format == log_format::json
                             ? R"({"time":"%Y-%m-%dT%H:%M:%S.%eZ","level":"%l",%v})"
                             : "%Y-%m-%dT%H:%M:%S.%eZ %^%l%$ %v",
                         spdlog::pattern_time_type::utc);
        out_.flush_on(spdlog::level::info);
    }

    void log(log_level level, std::string_view message, std::initializer_list<log_field> fields) {
        const auto to = to_spdlog(level);
        if (!out_.should_log(to)) return;
        const auto body = format_log_body(format_, message, fields);
        out_.log(to, spdlog::string_view_t{body.data(), body.size()});
    }

private:
    const log_format format_;
    spdlog::logger out_;
};

logger::logger(log_format format, log_level level) : impl_(std::make_unique<impl>(format, level)) {}
logger::~logger() = default;

void logger::log(log_level level, std::string_view message,
                 std::initializer_list<log_field> fields) noexcept {
    try {
        impl_->log(level, message, fields);
    } catch (...) {
        // A log line is worth less than the work it tells about.
    }
}

}  // namespace foliot::server

// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "server/config.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <optional>
#include <span>
#include <type_traits>

namespace foliot::server {
namespace {

using std::chrono::milliseconds;

constexpr std::uint64_t any = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint64_t any_bytes = std::uint64_t{1} << 40;
constexpr std::uint64_t year_ms = std::uint64_t{366} * 86'400'000;

struct unit_size {
    std::string_view name;
    std::uint64_t factor;
};
constexpr std::array duration_units{unit_size{"ms", 1}, unit_size{"s", 1000},
                                    unit_size{"m", 60'000}, unit_size{"h", 3'600'000},
                                    unit_size{"d", 86'400'000}};
constexpr std::array byte_units{unit_size{"KiB", 1U << 10}, unit_size{"MiB", 1U << 20},
                                unit_size{"GiB", 1U << 30}};

setting text(std::string_view name, std::string& value, std::string_view help,
             std::vector<std::string_view> choices = {}) {
    return {name, &value, help, 0, 0, {}, std::move(choices)};
}
setting count(std::string_view name, std::size_t& value, std::uint64_t min, std::string_view help,
              std::uint64_t max = any) {
    return {name, &value, help, min, max, "count", {}};
}
setting bytes(std::string_view name, std::size_t& value, std::uint64_t min, std::string_view help,
              std::uint64_t max = any_bytes) {
    return {name, &value, help, min, max, "bytes", {}};
}
setting duration(std::string_view name, milliseconds& value, std::uint64_t min,
                 std::string_view help, std::uint64_t max = year_ms) {
    return {name, &value, help, min, max, "ms", {}};
}

void add_general(config& c, std::vector<setting>& all) {
    all.insert(all.end(),
               {
                   text("data", c.data, "directory of the timers; made if it does not exist"),
                   text("listen", c.listen,
                        "address and port; [::1]:7300 for IPv6. Any but a loopback address "
                        "needs auth_token_file"),
                   text("auth_token_file", c.auth_token_file,
                        "file with bearer tokens, one a line; with it "
                        "every request but /healthz and /readyz needs one"),
                   text("backup.directory", c.backup_directory,
                        "existing directory below which POST /v1/admin/backup may write; empty: "
                        "it may not at all"),
                   text("durability", c.durability,
                        "fdatasync: acknowledged means on the disk. os_cache: "
                        "acknowledged survives a kill of foliotd, but not a power loss",
                        {"fdatasync", "os_cache"}),
                   text("log.format", c.log_format_name, "text for people, json for machines",
                        {"text", "json"}),
                   text("log.level", c.log_level_name, "the least important lines to log",
                        {"debug", "info", "warn", "error"}),
                   duration("stop_timeout", c.stop_timeout, 0,
                            "how long a stop may take to finish what was "
                            "accepted"),
                   duration("ready.max_stall", c.ready.max_stall, 500,
                            "not ready when the firing loop makes "
                            "no step, or a store call runs, for longer"),
                   duration("ready.max_overdue", c.ready.max_overdue, 500,
                            "not ready when timers are due and "
                            "unfired, and not fewer, for longer"),
               });
}

void add_engine(config& c, std::vector<setting>& all) {
    auto& e = c.engine;
    all.insert(
        all.end(),
        {
            count("window.max_timers", e.window_max_timers, 1,
                  "timers held in memory; ~250 bytes + "
                  "payload each"),
            bytes("window.max_bytes", e.window_max_bytes, 1024, "ids and payloads held in memory"),
            duration("window.horizon", e.window_horizon, 1000,
                     "timers due later than this from now "
                     "stay on disk"),
            duration("retry.min_backoff", e.retry_min_backoff, 1,
                     "wait before the first redelivery; "
                     "doubles with each failure"),
            duration("retry.max_backoff", e.retry_max_backoff, 1,
                     "the longest wait before a "
                     "redelivery"),
            {"retry.max_attempts",
             &e.retry_max_attempts,
             "deliveries before a timer becomes a dead letter",
             1,
             any,
             "count",
             {}},
            duration("check.interval", e.check_interval, 0,
                     "pause between two rounds of the self-check; 0: there is none"),
            count("check.rows_per_second", e.check_rows_per_second, 1,
                  "rows that the self-check reads in a second at most"),
            duration("retain.idempotent", e.retain_idempotent, 0,
                     "how long the end of a timer that was set with an idempotency key is kept"),
            duration("store.retry_interval", e.store_retry_interval, 10,
                     "pause before a failed store "
                     "is tried again"),
            count("limits.waiting_commands", e.max_waiting_commands, 1,
                  "changes accepted but not yet "
                  "durable; more are answered 503"),
            count("limits.waiting_leases", e.max_waiting_leases, 1,
                  "lease requests waiting for a "
                  "timer; more are answered 503"),
            count("limits.commit_operations", e.commit_operations, 1,
                  "changes written in one commit"),
            duration("limits.store_timeout", e.store_timeout, 10,
                     "a change that takes longer to "
                     "become durable is answered 503"),
            count("limits.in_flight", e.max_in_flight, 1, "live leases; at it consumers wait"),
            bytes("limits.reply_bytes", e.reply_bytes, 1,
                  "ids and payloads in one page or one set of "
                  "deliveries"),
            count("engine.step_firings", e.step_firings, 1, "timers fired in one step of the loop"),
            count("engine.load_rows", e.load_rows, 1, "timers read from disk at a time"),
        });
}

void add_protocol(config& c, std::vector<setting>& all) {
    auto& l = c.limits;
    all.insert(
        all.end(),
        {
            bytes("limits.id_bytes", l.id_bytes, 1, "of a timer's id", 65'535),
            bytes("limits.name_bytes", l.name_bytes, 1, "of the name of a namespace or queue", 255),
            bytes("limits.payload_bytes", l.payload_bytes, 1, "of a payload"),
            bytes("limits.body_bytes", l.body_bytes, 1,
                  "of the body of a request, and of a batch's "
                  "line"),
            bytes("limits.batch_body_bytes", l.batch_body_bytes, 1, "of the body of a batch"),
            count("limits.batch_lines", l.batch_lines, 1, "lines of a batch"),
            count("limits.json_depth", l.json_depth, 1, "nesting of JSON in a body", 1000),
            count("limits.list_page", l.list_page, 1, "timers of one page of a list"),
            count("limits.lease_batch", l.lease_batch, 1, "deliveries of one lease"),
            count("limits.settle_tokens", l.settle_tokens, 1, "tokens of one ack, nack or extend"),
            duration("limits.lease_wait", l.lease_wait, 0, "how long a lease request may wait"),
            duration("limits.lease", l.lease, 1, "length of a lease"),
            duration("limits.max_retain", l.max_retain, 0,
                     "how long the end of a timer may be kept"),
            bytes("limits.idempotency_key_bytes", l.idempotency_key_bytes, 1,
                  "of an idempotency key", 65'535),
            duration("limits.max_delay", l.max_delay, 1, "the longest delay of a timer",
                     std::uint64_t{106'751} * 86'400'000),
        });
}

void add_http(config& c, std::vector<setting>& all) {
    auto& h = c.http;
    all.insert(
        all.end(),
        {
            count("http.threads", h.net_threads, 1, "threads that read and write sockets", 64),
            count("limits.connections", h.max_connections, 1,
                  "open connections; more are answered 503 "
                  "and closed"),
            bytes("limits.header_bytes", h.header_bytes, 256,
                  "request line and header fields of a "
                  "request",
                  1U << 20),
            bytes("limits.body_memory", h.body_memory, 1,
                  "request bodies under way at a time, by their stated lengths"),
            duration("limits.head_timeout", h.head_timeout, 10,
                     "from the first to the last byte of a "
                     "request's header"),
            duration("limits.body_timeout", h.body_timeout, 10, "for the whole body of a request"),
            duration("limits.write_timeout", h.write_timeout, 10,
                     "for a client to take a response"),
            duration("limits.idle_timeout", h.idle_timeout, 10,
                     "a connection without a request is "
                     "closed after it"),
            count("limits.metrics_queues", h.metrics_queues, 0,
                  "queues with metrics of their own; "
                  "the others are summed up as queue \"other\""),
        });
}

std::optional<std::uint64_t> number_with_unit(std::string_view text,
                                              std::span<const unit_size> units) {
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{}) return std::nullopt;
    const std::string_view unit{end, static_cast<std::size_t>(text.data() + text.size() - end)};
    if (unit.empty()) return number;
    const auto found = std::find_if(units.begin(), units.end(),
                                    [&](const unit_size& u) { return u.name == unit; });
    if (found == units.end()) return std::nullopt;
    if (number > std::numeric_limits<std::uint64_t>::max() / found->factor) return std::nullopt;
    return number * found->factor;
}

std::span<const unit_size> units_of(const setting& s) {
    if (s.unit == "ms") return duration_units;
    if (s.unit == "bytes") return byte_units;
    return {};
}

/// In the largest unit that gives a whole number.
std::string with_unit(const setting& s, std::uint64_t number) {
    std::string out = std::to_string(number) + (s.unit == "ms" ? "ms" : "");
    if (number == 0) return out;
    for (const auto& unit : units_of(s)) {
        if (number % unit.factor == 0)
            out = std::to_string(number / unit.factor) + std::string{unit.name};
    }
    return out;
}

std::uint64_t number_of(const setting& s) {
    return std::visit(
        [](auto* p) -> std::uint64_t {
            using value = std::remove_pointer_t<decltype(p)>;
            if constexpr (std::is_same_v<value, std::string>) {
                return 0;
            } else if constexpr (std::is_same_v<value, milliseconds>) {
                return static_cast<std::uint64_t>(p->count());
            } else {
                return *p;
            }
        },
        s.value);
}

void set_number(const setting& s, std::uint64_t number) {
    std::visit(
        [number](auto* p) {
            using value = std::remove_pointer_t<decltype(p)>;
            if constexpr (std::is_same_v<value, milliseconds>) {
                *p = milliseconds{static_cast<std::int64_t>(number)};
            } else if constexpr (!std::is_same_v<value, std::string>) {
                *p = static_cast<value>(number);
            }
        },
        s.value);
}

std::string takes(const setting& s) {
    if (s.unit.empty()) {
        std::string out = "takes one of";
        for (const auto choice : s.choices) out += ' ' + std::string{choice};
        return out;
    }
    const std::string range = with_unit(s, s.min) + " .. " + with_unit(s, s.max);
    if (s.unit == "ms") return "takes a duration like 500ms, 10s, 15m, 2h or 7d; " + range;
    if (s.unit == "bytes") return "takes bytes like 4096, 64KiB, 512MiB or 2GiB; " + range;
    return "takes a whole number; " + range;
}

}  // namespace

std::vector<setting> settings_of(config& c) {
    std::vector<setting> all;
    add_general(c, all);
    add_http(c, all);
    add_engine(c, all);
    add_protocol(c, all);
    return all;
}

result<done, std::string> assign(const setting& s, std::string_view value) {
    const auto refused = [&] {
        return std::string{s.name} + ": \"" + std::string{value} + "\" is no value; it " + takes(s);
    };
    if (auto* const* text = std::get_if<std::string*>(&s.value)) {
        const bool known = s.choices.empty() ||
                           std::find(s.choices.begin(), s.choices.end(), value) != s.choices.end();
        if (!known) return refused();
        **text = value;
        return done{};
    }
    const auto number = number_with_unit(value, units_of(s));
    if (!number || *number < s.min || *number > s.max) return refused();
    set_number(s, *number);
    return done{};
}

std::string value_of(const setting& s) {
    if (auto* const* text = std::get_if<std::string*>(&s.value)) return **text;
    return with_unit(s, number_of(s));
}

std::string flag_of(const setting& s) {
    std::string flag = "--" + std::string{s.name};
    std::replace(flag.begin(), flag.end(), '.', '-');
    std::replace(flag.begin(), flag.end(), '_', '-');
    return flag;
}

std::vector<protocol::named_limit> other_limits(const config& c) {
    config copy = c;
    const auto told = protocol::describe(c.limits);
    std::vector<protocol::named_limit> others;
    for (const auto& s : settings_of(copy)) {
        const bool known = std::any_of(told.begin(), told.end(),
                                       [&](const auto& limit) { return limit.name == s.name; });
        if (!s.unit.empty() && !known) others.push_back({s.name, number_of(s), s.unit});
    }
    return others;
}

}  // namespace foliot::server

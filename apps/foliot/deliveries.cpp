// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
// lease, watch, ack, nack, extend
#include "client/duration_text.hpp"
#include "client/json_text.hpp"
#include "commands.hpp"
#include "output.hpp"
#include "time_text.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <chrono>
#include <optional>
#include <thread>

namespace foliot::cli {

namespace {

using std::chrono::milliseconds;

std::string json_of(const client::delivery& d) {
    json_line line;
    line.text("token", d.token).text("id", d.id).text("generation", d.generation);
    line.raw("fire", std::to_string(d.fire)).number("attempt", std::int64_t{d.attempt});
    line.number("due_ms", d.due_ms).number("lateness_ms", d.lateness_ms);
    line.raw(d.binary ? "payload_base64" : "payload", d.payload);
    return line.str();
}

std::string payload_text(const client::delivery& d) {
    return d.binary ? "base64 " + client::unquote(d.payload) : d.payload;
}

colour lateness_colour(double ms) {
    if (ms < 10) return colour::green;
    return ms < 1000 ? colour::yellow : colour::red;
}

std::string watch_line(const client::delivery& d, bool colours) {
    const auto late = fmt::format("{:>10} late", lateness_text(d.lateness_ms));
    std::string again;
    if (d.attempt > 1) again = fmt::format("  attempt {}", d.attempt);
    return fmt::format("{}  {}  {}{}  {}\n", local_time(d.due_ms),
                       painted(late, lateness_colour(d.lateness_ms), colours),
                       painted(printable(d.id), colour::bold, colours), again,
                       painted(printable(payload_text(d)), colour::dim, colours));
}

/// One round of a watch: waits, prints, acks what was printed. The number of those; fewer than came
/// if stdout failed.
client::client_result<std::uint64_t> watch_once(context& c, const watch_arguments& a,
                                                const client::lease_request& request) {
    auto deliveries = c.server.lease(request);
    if (!deliveries) return std::move(deliveries).error();
    std::vector<std::string> tokens;
    for (const auto& d : deliveries.value()) {
        print(c.json ? json_of(d) : watch_line(d, c.colours));
        if (!flushed()) break;  // half a line at most is out: it is not acked and comes again
        tokens.push_back(d.token);
    }
    if (a.ack && !tokens.empty()) {
        auto acked = c.server.ack(a.queue, tokens);
        if (!acked) return std::move(acked).error();
    }
    return std::uint64_t{tokens.size()};
}

const char* wanted_outcome(settle_verb verb) {
    switch (verb) {
        case settle_verb::ack: return "acked";
        case settle_verb::nack: return "nacked";
        case settle_verb::extend: return "extended";
    }
    return "acked";
}

client::client_result<std::vector<client::settlement>> settle(context& c,
                                                              const settle_arguments& a) {
    if (a.verb == settle_verb::ack && !a.next_delay.empty()) {
        client::next_timer next{.due = client::when::in(a.next_delay)};
        if (!a.next_payload.empty()) next.payload = a.next_payload;
        return c.server.ack(a.queue, a.tokens, next);
    }
    if (a.verb == settle_verb::ack) return c.server.ack(a.queue, a.tokens);
    if (a.verb == settle_verb::extend) {
        auto lease = client::parse_duration(a.lease);
        if (!lease) return std::move(lease).error();
        return c.server.extend(a.queue, a.tokens, *lease);
    }
    std::optional<milliseconds> delay;
    if (!a.delay.empty()) {
        auto parsed = client::parse_duration(a.delay);
        if (!parsed) return std::move(parsed).error();
        delay = *parsed;
    }
    return c.server.nack(a.queue, a.tokens, delay);
}

std::string settled_line(const context& c, const client::settlement& r, bool good) {
    if (c.json) {
        json_line line;
        line.text("token", r.token).text("outcome", r.outcome);
        if (r.next) {
            line.text("next_generation", r.next->generation).number("next_due_ms", r.next->due_ms);
        }
        return line.str();
    }
    const auto next = r.next ? ", next due " + local_time(r.next->due_ms) : std::string{};
    return fmt::format(
        "{} {}{}\n", printable(r.token),
        painted(printable(r.outcome), good ? colour::green : colour::yellow, c.colours), next);
}

}  // namespace

exit_code run(context& c, const lease_arguments& a) {
    const auto wait = client::parse_duration(a.wait);
    if (!wait) return report(c, wait.error());
    const auto lease = client::parse_duration(a.lease);
    if (!lease) return report(c, lease.error());
    const auto deliveries = c.server.lease(
        {.queue = a.queue, .max = a.max, .wait = wait.value(), .lease = lease.value()});
    if (!deliveries) return report(c, deliveries.error());
    table out({"ID", "DUE", "LATE", "ATTEMPT", "TOKEN", "PAYLOAD"});
    for (const auto& d : deliveries.value()) {
        if (c.json) print(json_of(d));
        out.add({d.id,
                 local_time(d.due_ms),
                 {lateness_text(d.lateness_ms), lateness_colour(d.lateness_ms)},
                 table::cell::number(std::to_string(d.attempt)),
                 d.token,
                 {payload_text(d), colour::dim}});
    }
    if (c.json) return exit_code::ok;
    if (out.empty()) {
        std::fputs("nothing is due\n", stderr);
    } else {
        print(out.text(c.colours));
    }
    return exit_code::ok;
}

exit_code run(context& c, const watch_arguments& a) {
    const auto lease = client::parse_duration(a.lease);
    if (!lease) return report(c, lease.error());
    constexpr std::uint64_t most = 100;
    constexpr milliseconds longest_pause{5000};
    client::lease_request request{
        .queue = a.queue, .wait = milliseconds{20000}, .lease = lease.value()};
    milliseconds pause{100};
    bool connected = false;  // once: from then on a lost server is waited for
    for (std::uint64_t seen = 0; !a.count || seen < *a.count;) {
        request.max = a.count ? std::min(most, *a.count - seen) : most;
        const auto got = watch_once(c, a, request);
        if (got) {
            if (!flushed()) return exit_code::no;
            seen += got.value();
            connected = true;
            pause = milliseconds{100};
            continue;
        }
        const auto code = report(c, got.error());
        const bool passing = code == exit_code::try_later || code == exit_code::cannot_connect;
        if (!connected || !passing || !flushed()) return code;
        std::this_thread::sleep_for(pause);
        pause = std::min(pause * 2, longest_pause);
    }
    return exit_code::ok;
}

exit_code run(context& c, const settle_arguments& a) {
    const auto results = settle(c, a);
    if (!results) return report(c, results.error());
    auto code = exit_code::ok;
    for (const auto& r : results.value()) {
        const bool good = r.outcome == wanted_outcome(a.verb);
        if (!good) code = exit_code::no;
        print(settled_line(c, r, good));
    }
    return code;
}

}  // namespace foliot::cli

// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
// set, cancel, get, ls
#include "client/json_text.hpp"
#include "clock.hpp"
#include "commands.hpp"
#include "output.hpp"
#include "time_text.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <optional>

namespace foliot::cli {

namespace {

std::string when_text(std::int64_t due_ms) {
    return fmt::format("{} ({})", local_time(due_ms), relative(due_ms, wall_now_ms()));
}

/// The errno of what failed, or 0.
int read_all(const std::string& file, std::string& out) {
    std::FILE* from = file == "-" ? stdin : std::fopen(file.c_str(), "rb");
    if (from == nullptr) return errno;
    std::array<char, 16384> part;
    errno = 0;
    for (std::size_t got = 0; (got = std::fread(part.data(), 1, part.size(), from)) > 0;) {
        out.append(part.data(), got);
    }
    int failed = 0;
    if (std::ferror(from) != 0) failed = errno == 0 ? EIO : errno;
    if (from != stdin) std::fclose(from);
    return failed;
}

std::string json_of(const client::timer_view& t) {
    json_line line;
    line.text("id", t.id).text("generation", t.generation).text("queue", t.queue);
    line.text("state", t.state).number("attempt", std::int64_t{t.attempt});
    line.number("due_ms", t.due_ms);
    if (t.ended_ms) return line.number("ended_ms", *t.ended_ms).str();
    line.raw(t.binary ? "payload_base64" : "payload", t.payload);
    return line.str();
}

colour state_colour(std::string_view state) {
    if (state == "dead") return colour::red;
    return state == "in_flight" ? colour::yellow : colour::plain;
}

table::cell payload_cell(const client::timer_view& t, std::size_t width) {
    auto text = t.binary ? "base64 " + client::unquote(t.payload) : t.payload;
    if (text.size() > width) {
        std::size_t end = width;
        while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
        text = text.substr(0, end) + "…";
    }
    return {text, colour::dim};
}

table listing(const client::timer_page& page) {
    table out({"ID", "DUE", "", "STATE", "QUEUE", "PAYLOAD"});
    const auto now = wall_now_ms();
    for (const auto& t : page.timers) {
        out.add({t.id,
                 local_time(t.due_ms),
                 {relative(t.due_ms, now), colour::dim},
                 {t.state, state_colour(t.state)},
                 t.queue,
                 payload_cell(t, 40)});
    }
    return out;
}

}  // namespace

exit_code run(context& c, const set_arguments& a) {
    client::set_request request{.id = a.id};
    const bool digits = !a.in.empty() && a.in.find_first_not_of("0123456789") == a.in.npos;
    if (digits)
        return report_usage(c, "--in '" + a.in + "' needs a unit: " + a.in + "s, " + a.in + "ms");
    request.due = a.at.empty() ? client::when::in(a.in) : client::when::at(a.at);
    request.queue = a.queue;
    request.require = {.create_only = a.create_only, .generation = a.if_match};
    request.mode = a.mode;
    request.retain = a.retain;
    request.idempotency_key = a.idempotency_key;
    const auto file = a.payload == "-" ? a.payload : a.payload_file;
    if (!file.empty()) {
        if (const int failed = read_all(file, request.payload.emplace()); failed != 0) {
            return report_usage(
                c, "cannot read " + (file == "-" ? "stdin" : file) + ": " + std::strerror(failed));
        }
    } else if (!a.payload.empty()) {
        request.payload = a.payload;
    }
    if (request.payload && !client::is_json(*request.payload)) {
        return report_usage(c, "the payload is not JSON; a string needs its quotes: '\"text\"'");
    }
    const auto set = c.server.set(request);
    if (!set) return report(c, set.error());
    const auto& s = set.value();
    if (c.json) {
        json_line line;
        line.text("id", s.id).text("generation", s.generation);
        line.raw("previous_generation",
                 s.previous_generation ? client::quote(*s.previous_generation) : "null");
        line.number("due_ms", s.due_ms);
        if (!s.changed) line.raw("changed", "false");
        print(line.str());
        return exit_code::ok;
    }
    const char* done = s.previous_generation ? "replaced" : "set";
    if (!s.changed) done = "left as it is";
    print(fmt::format("{} {}, due {}, generation {}\n",
                      painted(printable(s.id), colour::bold, c.colours), done, when_text(s.due_ms),
                      s.generation));
    return exit_code::ok;
}

exit_code run(context& c, const cancel_arguments& a) {
    auto result = exit_code::ok;
    for (const auto& id : a.ids) {
        const auto outcome = c.server.cancel({.id = id, .generation = a.if_match});
        if (!outcome) {
            const auto code = report(c, outcome.error());
            if (code != exit_code::no) return code;
            result = exit_code::no;
            continue;
        }
        const bool good = outcome.value() == client::cancel_outcome::cancelled;
        if (!good) result = exit_code::no;
        const std::string text = client::name(outcome.value());
        print(c.json
                  ? json_line{}.text("id", id).text("outcome", text).str()
                  : fmt::format("{} {}\n", printable(id),
                                painted(text, good ? colour::green : colour::yellow, c.colours)));
    }
    return result;
}

exit_code run(context& c, const get_arguments& a) {
    const auto timer = c.server.get(a.id);
    if (!timer) return report(c, timer.error());
    const auto& t = timer.value();
    if (c.json) {
        print(json_of(t));
        return exit_code::ok;
    }
    table out({});
    const auto add = [&out](const char* key, table::cell value) {
        out.add({{key, colour::dim}, std::move(value)});
    };
    add("id", {t.id, colour::bold});
    add("due", when_text(t.due_ms));
    add("state", {t.state, state_colour(t.state)});
    add("attempt", std::to_string(t.attempt));
    add("queue", t.queue);
    add("generation", t.generation);
    if (t.ended_ms) add("ended", when_text(*t.ended_ms));
    if (!t.ended_ms) add("payload", t.binary ? "base64 " + client::unquote(t.payload) : t.payload);
    print(out.text(c.colours));
    return exit_code::ok;
}

exit_code run(context& c, const ls_arguments& a) {
    constexpr std::size_t page_size = 500;
    std::size_t left = a.all ? SIZE_MAX : a.limit;
    client::list_request request{.prefix = a.prefix, .from = a.from, .to = a.to};
    std::size_t shown = 0;
    for (;;) {
        request.limit = std::min(left, page_size);
        const auto page = c.server.list(request);
        if (!page) return report(c, page.error());
        const auto& timers = page.value().timers;
        if (c.json) {
            for (const auto& t : timers) print(json_of(t));
        } else if (!timers.empty()) {
            print(listing(page.value()).text(c.colours));
        }
        shown += timers.size();
        left -= std::min(left, timers.size());
        request.cursor = page.value().cursor;
        if (!flushed()) return exit_code::no;
        if (left == 0 || request.cursor.empty()) break;
    }
    if (!c.json && shown == 0) std::fputs("no timers\n", stderr);
    if (!c.json && !request.cursor.empty()) {
        std::fputs("there are more: --limit N or --all\n", stderr);
    }
    return exit_code::ok;
}

}  // namespace foliot::cli

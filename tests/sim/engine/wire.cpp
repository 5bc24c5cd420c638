// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "sim/engine/wire.hpp"

#include "client/json_text.hpp"
#include "client/wire.hpp"

#include <cstdio>
#include <cstdlib>

namespace foliot::sim {

namespace {

using client::member;
using client::unquote;
namespace wire = client::detail;
using namespace std::chrono_literals;

std::string text(std::uint64_t n) { return std::to_string(n); }

std::string timer_path(const timer_name& name) {
    return "/v1/" + name.first + "/timers/" + wire::percent_encode(name.second);
}
std::string queue_path(const std::string& space, const std::string& queue, const char* what) {
    return "/v1/" + space + "/queues/" + queue + what;
}

/// The same duration in one of its spellings. Whole milliseconds.
std::string duration(ns d, random_source& r) {
    const auto millis = static_cast<std::uint64_t>(d / 1ms);
    switch (r.below(4)) {
        case 0: return text(millis);
        case 1: return '"' + text(millis) + "ms\"";
        case 2: {
            char buffer[64];
            std::snprintf(buffer, sizeof buffer, "\"PT%llu.%03lluS\"",
                          static_cast<unsigned long long>(millis / 1000),
                          static_cast<unsigned long long>(millis % 1000));
            return buffer;
        }
        default: {
            char buffer[64];
            std::snprintf(buffer, sizeof buffer, "\"%llu.%03llus\"",
                          static_cast<unsigned long long>(millis / 1000),
                          static_cast<unsigned long long>(millis % 1000));
            return buffer;
        }
    }
}

std::string date(tick at, random_source& r) {
    if (r.coin()) return text(at.count);
    const std::chrono::sys_time<ms> when{ms{static_cast<std::int64_t>(at.count)}};
    const auto day = std::chrono::floor<std::chrono::days>(when);
    const std::chrono::year_month_day ymd{day};
    const std::chrono::hh_mm_ss time{when - day};
    char buffer[64];
    std::snprintf(buffer, sizeof buffer, "\"%04d-%02u-%02uT%02d:%02d:%02d.%03dZ\"",
                  static_cast<int>(ymd.year()), static_cast<unsigned>(ymd.month()),
                  static_cast<unsigned>(ymd.day()), static_cast<int>(time.hours().count()),
                  static_cast<int>(time.minutes().count()),
                  static_cast<int>(time.seconds().count()),
                  static_cast<int>(time.subseconds().count()));
    return buffer;
}

/// The fields of a set, without braces.
std::string set_fields(const set_intent& s, random_source& r) {
    std::string out = s.clock == store::clock_kind::service ? "\"delay\":" + duration(s.delay, r)
                                                            : "\"due\":" + date(s.due_ms, r);
    if (s.queue != "default" || r.coin()) out += ",\"queue\":" + client::quote(s.queue);
    const bool binary = s.payload.starts_with('"');
    out += binary ? ",\"payload_base64\":" : ",\"payload\":";
    return out + s.payload;
}

http_text write_one(const set_intent& s, random_source& r) {
    http_text t{"PUT", timer_path(s.name), '{' + set_fields(s, r) + '}', {}, {}};
    if (s.require.absent) t.if_none_match = "*";
    if (s.require.is) t.if_match = r.coin() ? '"' + text(*s.require.is) + '"' : text(*s.require.is);
    return t;
}
http_text write_one(const cancel_intent& c, random_source&) {
    http_text t{"DELETE", timer_path(c.name), {}, {}, {}};
    if (c.require.is) t.if_match = '"' + text(*c.require.is) + '"';
    return t;
}
http_text write_one(const get_intent& g, random_source&) {
    return {"GET", timer_path(g.name), {}, {}, {}};
}
http_text write_one(const list_intent& l, random_source& r) {
    return write_list(l, r.between(1, 50), {});
}
http_text write_one(const dead_intent& d, random_source&) {
    return {"GET", queue_path(d.space, d.queue, "/dead?limit=1000"), {}, {}, {}};
}
http_text write_one(const lease_intent& l, random_source&) {
    client::lease_request q;
    q.max = l.max;
    q.wait = l.wait;
    q.lease = l.lease;
    return {"POST", queue_path(l.space, l.queue, ":lease"), wire::lease_body(q), {}, {}};
}
http_text write_one(const settle_intent& s, random_source& r) {
    std::vector<std::string> tokens;
    for (const auto& d : s.what) tokens.push_back(d.token);
    std::string extra;
    if (s.how == verb::nack && s.delay) extra = "\"delay\":" + duration(*s.delay, r);
    if (s.how == verb::extend) extra = "\"lease\":" + duration(s.lease, r);
    constexpr const char* verbs[]{":ack", ":nack", ":extend"};
    return {"POST",
            queue_path(s.space, s.queue, verbs[static_cast<std::size_t>(s.how)]),
            wire::settle_body(tokens, extra),
            {},
            {}};
}
http_text write_one(const wrong_intent&, random_source& r) {
    switch (r.below(4)) {
        case 0: return {"PUT", "/v1/a/timers/w", "{\"delay\":-1}", {}, {}};
        case 1: return {"PUT", "/v1/a/timers/w", "{\"delay\":1,\"dealy\":2}", {}, {}};
        case 2: return {"POST", "/v1/a/queues/default:lease", "{\"max\":100000}", {}, {}};
        default: return {"PUT", "/v1/a/timers/w", "{\"delay\":", {}, {}};
    }
}

generation number(const std::string& s) { return std::strtoull(s.c_str(), nullptr, 10); }

nonsense no_sense(const client::client_error& e) { return {e.message}; }

seen_timer seen(const client::timer_view& v) {
    return {v.id, number(v.generation), v.queue, v.state, v.attempt, v.due_ms, v.payload};
}

answer_seen read_set(const client::timer_set& s, unsigned status) {
    set_answer a;
    a.created = status == 201;
    a.gen = number(s.generation);
    if (s.previous_generation) a.previous = number(*s.previous_generation);
    a.due_ms = s.due_ms;
    if (a.created == a.previous.has_value()) return nonsense{"201 with a previous generation"};
    return a;
}

answer_seen read_refusal(unsigned status, std::string_view body) {
    if (!client::is_json(body)) return nonsense{std::string(body)};
    refusal f{status, unquote(member(body, "code")), {}};
    const auto current = unquote(member(body, "generation"));
    if (!current.empty()) f.current = number(current);
    if (f.code.empty()) return nonsense{std::string(body)};
    return f;
}

struct reader {
    const std::string& body;
    unsigned status;

    answer_seen operator()(const set_intent&) const {
        auto s = wire::read_set(body);
        if (!s) return no_sense(s.error());
        return read_set(*s, status);
    }
    answer_seen operator()(const cancel_intent&) const {
        auto c = wire::read_cancel(body);
        if (!c) return no_sense(c.error());
        return cancel_answer{client::name(*c)};
    }
    answer_seen operator()(const get_intent&) const {
        auto v = wire::read_view(body);
        if (!v) return no_sense(v.error());
        return seen(*v);
    }
    answer_seen operator()(const list_intent&) const { return pages(); }
    answer_seen operator()(const dead_intent&) const { return pages(); }
    answer_seen pages() const {
        auto p = wire::read_page(body);
        if (!p) return no_sense(p.error());
        page_answer a;
        for (const auto& v : p->timers) a.timers.push_back(seen(v));
        a.cursor = p->cursor;
        return a;
    }
    answer_seen operator()(const lease_intent& l) const {
        auto all = wire::read_deliveries(body);
        if (!all) return no_sense(all.error());
        lease_answer a;
        for (const auto& d : *all) {
            a.given.push_back(
                {{{l.space, d.id}, l.queue, d.token, number(d.generation), d.attempt, 0},
                 d.due_ms,
                 d.lateness_ms,
                 d.payload});
        }
        return a;
    }
    answer_seen operator()(const settle_intent& s) const {
        auto all = wire::read_settlements(body);
        if (!all) return no_sense(all.error());
        settle_answer a;
        for (std::size_t i = 0; i < all->size(); ++i) {
            if (i >= s.what.size() || (*all)[i].token != s.what[i].token) {
                return nonsense{"results of other tokens"};
            }
            a.outcomes.push_back((*all)[i].outcome);
        }
        if (a.outcomes.size() != s.what.size()) return nonsense{"results are missing"};
        return a;
    }
    answer_seen operator()(const wrong_intent&) const {
        return nonsense{"a wrong request was taken"};
    }
};

answer_seen read_line(const intent& meant, std::string_view line) {
    if (!client::is_json(line)) return nonsense{std::string(line)};
    const auto status = static_cast<unsigned>(number(std::string(member(line, "status"))));
    if (status >= 300) return read_refusal(status, member(line, "error"));
    auto b = wire::read_batch_line(line);
    if (!b) return no_sense(b.error());
    if (const auto* s = std::get_if<client::timer_set>(&*b)) {
        if (!std::holds_alternative<set_intent>(meant)) return nonsense{"a set for a cancel"};
        return read_set(*s, status);
    }
    if (!std::holds_alternative<cancel_intent>(meant)) return nonsense{"a cancel for a set"};
    return cancel_answer{client::name(std::get<client::cancel_outcome>(*b))};
}

}  // namespace

http_text write(const intent& what, random_source& r) {
    return std::visit([&](const auto& w) { return write_one(w, r); }, what);
}

http_text write_batch(const std::vector<intent>& lines, random_source& r) {
    std::string body;
    std::string space;
    for (const auto& l : lines) {
        if (const auto* s = std::get_if<set_intent>(&l)) {
            space = s->name.first;
            body +=
                "{\"op\":\"set\",\"id\":" + client::quote(s->name.second) + ',' + set_fields(*s, r);
            if (s->require.absent) body += ",\"if_none_match\":\"*\"";
            if (s->require.is) body += ",\"if_match\":\"" + text(*s->require.is) + '"';
        } else {
            const auto& c = std::get<cancel_intent>(l);
            space = c.name.first;
            body += "{\"op\":\"cancel\",\"id\":" + client::quote(c.name.second);
            if (c.require.is) body += ",\"if_match\":\"" + text(*c.require.is) + '"';
        }
        body += "}\n";
    }
    return {"POST", "/v1/" + space + "/timers:batch", body, {}, {}};
}

http_text write_list(const list_intent& what, std::size_t limit, const std::string& cursor) {
    std::string target = "/v1/" + what.space + "/timers?limit=" + text(limit);
    if (!what.prefix.empty()) target += "&prefix=" + wire::percent_encode(what.prefix);
    if (!cursor.empty()) target += "&cursor=" + cursor;
    return {"GET", target, {}, {}, {}};
}

std::vector<answer_seen> read(const std::vector<intent>& meant, bool batch,
                              const protocol::http_response& response) {
    std::vector<answer_seen> all;
    if (!batch || response.status >= 300) {
        for (const auto& m : meant) {
            if (response.status >= 300) {
                all.push_back(read_refusal(response.status, response.body));
            } else {
                all.push_back(std::visit(reader{response.body, response.status}, m));
            }
        }
        return all;
    }
    std::string_view rest = response.body;
    for (const auto& m : meant) {
        const auto end = rest.find('\n');
        all.push_back(read_line(m, rest.substr(0, end)));
        rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    }
    if (!rest.empty()) all.back() = nonsense{"more lines than were asked"};
    return all;
}

}  // namespace foliot::sim

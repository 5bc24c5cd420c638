// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "protocol/json.hpp"
#include "protocol/names.hpp"
#include "protocol/token.hpp"

#include "requests.hpp"

#include <array>

namespace foliot::protocol {
namespace {

struct sample {
    std::string method;
    std::string target;
    std::string body;
    std::string if_match;
    std::string if_none_match;
};

std::vector<sample> samples() {
    const auto token = encode_token({"ns", "x", {4711}, 1});
    const auto tokens = R"({"tokens":[")" + token + R"(","AQ"])";
    return {
        {"PUT", "/v1/ns/timers/a%2Fb", R"({"delay":"1h30m","payload":{"a":[1.10,"\u00e9"]}})",
         "\"4711\"", ""},
        {"PUT", "/v1/ns/timers/x", R"({"due":"2027-01-01T02:00:02.5+02:00","queue":"q"})", "", "*"},
        {"PUT", "/v1/ns/timers/x", R"({"delay":1.5e3,"payload_base64":"AP8K"})", "", ""},
        {"PUT", "/v1/ns/timers/x", R"({"delay":"P1DT2H"})", "", ""},
        {"GET",
         "/v1/ns/timers?prefix=a&from=2027-01-01T00:00:02Z&to=5&limit=7&cursor=" +
             encode_list_cursor({{5}, {6}}),
         "", "", ""},
        {"GET", "/v1/ns/queues/q/dead?limit=7&cursor=" + encode_dead_cursor({6}), "", "", ""},
        {"POST", "/v1/ns/timers:batch",
         "{\"op\":\"set\",\"id\":\"x\",\"delay\":\"2s\"}\n{\"op\":\"cancel\",\"id\":\"y\"}\n", "",
         ""},
        {"POST", "/v1/ns/queues/q:lease", R"({"max":10,"wait":"20s","lease":"30s"})", "", ""},
        {"POST", "/v1/ns/queues/q:ack", tokens + "}", "", ""},
        {"POST", "/v1/ns/queues/q:nack", tokens + R"(,"delay":"1s"})", "", ""},
        {"POST", "/v1/ns/queues/q:extend", R"({"tokens":[")" + token + R"("],"lease":1})", "", ""},
        {"GET", "/v1/limits", "", "", ""},
    };
}

void mutate(std::string& text, std::mt19937_64& random) {
    constexpr std::string_view alphabet = "{}[]\",:\\/%?&=+-.eE0123456789abcPTZ \n\xc3\xa9\xff\0";
    const auto letter = [&] { return alphabet[random() % alphabet.size()]; };
    switch (random() % 6) {
        case 0:
            text.insert(text.begin() + static_cast<std::ptrdiff_t>(random() % (text.size() + 1)),
                        letter());
            break;
        case 1:
            if (!text.empty()) text.erase(random() % text.size(), 1 + random() % 4);
            break;
        case 2:
            if (!text.empty()) text[random() % text.size()] = letter();
            break;
        case 3:
            if (!text.empty())
                text[random() % text.size()] ^= static_cast<char>(1U << (random() % 8));
            break;
        case 4: text.resize(random() % (text.size() + 1)); break;
        default:
            const auto from = random() % (text.size() + 1);
            text.insert(random() % (text.size() + 1), text.substr(from, random() % 20));
    }
}

void check_error(const std::string& body) {
    ASSERT_FALSE(check_json_object(body, {})) << body;
    ASSERT_TRUE(body.starts_with("{\"code\":\"")) << body;
}

/// What any command must hold, however strange the request.
void check_command(const engine::command& what, const limits& l) {
    const auto& ns = std::visit([](const auto& c) -> const std::string& { return c.ns; }, what);
    ASSERT_FALSE(check_name(ns, "ns", l));
    if (const auto* set = std::get_if<engine::set_timer>(&what)) {
        ASSERT_FALSE(check_id(set->id, "id", l));
        ASSERT_FALSE(check_name(set->queue, "queue", l));
        ASSERT_LE(set->payload.size(), l.payload_bytes);
        if (const auto* at = std::get_if<engine::at>(&set->when)) {
            ASSERT_LE(at->wall_ms.count, max_due_ms);
        } else {
            const auto delay = std::get<engine::after>(set->when).delay;
            ASSERT_GE(delay.count(), 0);
            ASSERT_LE(delay, l.max_delay);
        }
        if (set->kind == engine::payload_kind::json) {
            ASSERT_FALSE(check_json_object("{\"p\":" + set->payload + "}", {})) << set->payload;
        }
    } else if (const auto* lease = std::get_if<engine::lease_timers>(&what)) {
        ASSERT_TRUE(lease->max >= 1 && lease->max <= l.lease_batch);
        ASSERT_TRUE(lease->wait.count() >= 0 && lease->wait <= l.lease_wait);
        ASSERT_TRUE(lease->lease.count() >= 1 && lease->lease <= l.lease);
    } else if (const auto* settle = std::get_if<engine::settle>(&what)) {
        ASSERT_FALSE(settle->tokens.empty());
        for (const auto& token : settle->tokens) ASSERT_EQ(token.ns, ns);
    } else if (const auto* list = std::get_if<engine::list_timers>(&what)) {
        ASSERT_TRUE(list->limit >= 1 && list->limit <= l.list_page);
    }
}

TEST(mutation, any_request_gives_a_legal_command_or_a_clear_error) {
    std::mt19937_64 random{test::seed()};
    const limits l;
    const auto originals = samples();
    std::size_t taken = 0;
    std::size_t refused = 0;
    for (int i = 0; i < 60'000; ++i) {
        auto s = originals[random() % originals.size()];
        for (auto n = random() % 4; n > 0; --n) {
            std::array<std::string*, 8> parts{&s.target,   &s.target,        &s.body, &s.body,
                                              &s.if_match, &s.if_none_match, &s.body, &s.method};
            mutate(*parts[random() % parts.size()], random);
        }
        const auto header = [](const std::string& value) {
            return value.empty() ? std::nullopt : std::optional<std::string_view>{value};
        };
        const auto parsed = parse_http(
            {s.method, s.target, s.body, header(s.if_match), header(s.if_none_match)}, l);
        if (const auto* r = std::get_if<http_response>(&parsed)) {
            ++refused;
            if (r->status == 200) continue;  // nothing to do
            ASSERT_TRUE(r->status >= 400 && r->status < 500) << r->status;
            ASSERT_NO_FATAL_FAILURE(check_error(r->body)) << s.target << '\n' << s.body;
            ASSERT_EQ(r->allow.empty(), r->status != 405);
        } else if (const auto* c = std::get_if<call>(&parsed)) {
            ++taken;
            ASSERT_NO_FATAL_FAILURE(check_command(c->what, l)) << s.target << '\n' << s.body;
        } else if (const auto* b = std::get_if<batch>(&parsed)) {
            ASSERT_FALSE(b->lines.empty());
            for (const auto& line : b->lines) {
                if (const auto* one = std::get_if<call>(&line)) {
                    ++taken;
                    ASSERT_NO_FATAL_FAILURE(check_command(one->what, l)) << s.body;
                } else {
                    const auto& text = std::get<std::string>(line);
                    ASSERT_FALSE(check_json_object(text, {})) << text;
                    ASSERT_EQ(text.find('\n'), text.size() - 1);
                }
            }
        }
    }
    EXPECT_GT(taken, 5'000U);  // the mutations leave enough of both
    EXPECT_GT(refused, 5'000U);
}

TEST(mutation, random_bytes_are_refused) {
    std::mt19937_64 random{test::seed()};
    for (int i = 0; i < 20'000; ++i) {
        std::string noise(random() % 200, '\0');
        for (char& c : noise) c = static_cast<char>(random());
        const auto put = test::send("PUT", "/v1/ns/timers/x", noise);
        ASSERT_TRUE(std::holds_alternative<http_response>(put));
        const auto at = test::send("GET", noise);
        ASSERT_TRUE(std::holds_alternative<http_response>(at));
    }
}

}  // namespace
}  // namespace foliot::protocol

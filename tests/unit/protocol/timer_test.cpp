// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "requests.hpp"

#include <vector>

namespace foliot::protocol {
namespace {

using namespace std::chrono_literals;
using test::command_of;
using test::refused;
using test::send;
using test::summary;

constexpr std::string_view target = "/v1/ns/timers/x";

engine::set_timer set(std::string_view body, const limits& l = {}) {
    return command_of<engine::set_timer>(send("PUT", target, body, l));
}

std::string error(std::string_view body, const limits& l = {}) {
    return summary(send("PUT", target, body, l));
}

std::chrono::nanoseconds delay_of(const engine::set_timer& s) {
    return std::get<engine::after>(s.when).delay;
}

TEST(put, needs_no_more_than_a_delay) {
    const auto parsed = send("PUT", target, R"({"delay":"2s"})");
    const auto s = command_of<engine::set_timer>(parsed);
    EXPECT_EQ(s.ns, "ns");
    EXPECT_EQ(s.id, "x");
    EXPECT_EQ(s.queue, "default");
    EXPECT_EQ(delay_of(s), 2s);
    EXPECT_EQ(s.payload, "null");
    EXPECT_EQ(s.kind, engine::payload_kind::json);
    EXPECT_EQ(s.require.require, engine::precondition::kind::none);
    EXPECT_EQ(test::made(parsed).how.from, route::set);
    EXPECT_EQ(test::made(parsed).how.id, "x");
}

TEST(put, takes_every_form_of_delay_and_due) {
    EXPECT_EQ(delay_of(set(R"({"delay":1500})")), 1500ms);
    EXPECT_EQ(delay_of(set(R"({"delay":0})")), 0ns);
    EXPECT_EQ(delay_of(set(R"({"delay":1.0000001})")), 1'000'001ns);  // a fraction rounds up
    EXPECT_EQ(delay_of(set(R"({"delay":"P1DT2H"})")), 26h);
    EXPECT_EQ(delay_of(set(R"({"delay":"36500d"})")), 36'500 * 24h);
    EXPECT_EQ(delay_of(set(R"({"d\u0065lay":"2\u0073"})")), 2s);
    const auto due = [](std::string_view body) {
        return std::get<engine::at>(set(body).when).wall_ms.count;
    };
    EXPECT_EQ(due(R"({"due":"2027-01-01T02:00:02+02:00"})"), 1'798'761'602'000U);
    EXPECT_EQ(due(R"({"due":1798761602000})"), 1'798'761'602'000U);
    EXPECT_EQ(due(R"({"due":1798761602000.5})"), 1'798'761'602'001U);
    EXPECT_EQ(due(R"({"due":0})"), 0U);
    EXPECT_EQ(due(R"({"due":"9999-12-31T23:59:59.999Z"})"), max_due_ms);
    EXPECT_EQ(due(R"({"due":253402300799999})"), max_due_ms);
}

TEST(put, far_delays_and_dues_are_taken_or_refused_by_name) {
    EXPECT_EQ(delay_of(set(R"({"delay":"365d"})")), 365 * 24h);
    EXPECT_EQ(delay_of(set(R"({"delay":"18262d"})")), 18'262 * 24h);  // 50 years
    EXPECT_EQ(delay_of(set(R"({"delay":2147483648000})")), 2'147'483'648s);
    EXPECT_EQ(delay_of(set(R"({"delay":4294967295})")), 4'294'967'295ms);
    EXPECT_EQ(delay_of(set(R"({"delay":4294967297})")), 4'294'967'297ms);
    for (const std::string_view body :
         {R"({"delay":9007199254740992})", R"({"delay":"36501d"})", R"({"delay":1e999})",
          R"({"delay":18446744073709551616})", R"({"delay":"36500d1ms"})",
          R"({"delay":3153600000000.000001})", R"({"delay":"99999999999999999999d"})"}) {
        const auto r = refused(send("PUT", target, body));
        EXPECT_EQ(summary(r), "400 due_too_far delay") << body;
        EXPECT_TRUE(test::has(r.body, "36500d (limits.max_delay)")) << r.body;
        EXPECT_TRUE(test::has(r.body, "\"limit\":3153600000000")) << r.body;
    }
    for (const std::string_view body :
         {R"({"due":253402300800000})", R"({"due":253402300799999.5})", R"({"due":1e999})",
          R"({"due":18446744073709551616})", R"({"due":"9999-12-31T23:59:59.9999Z"})",
          R"({"due":"9999-12-31T23:59:59-01:00"})"}) {
        const auto r = refused(send("PUT", target, body));
        EXPECT_EQ(summary(r), "400 due_too_far due") << body;
        EXPECT_TRUE(test::has(r.body, "limits.max_due")) << r.body;
        EXPECT_TRUE(test::has(r.body, "\"limit\":253402300799999")) << r.body;
    }
}

TEST(put, wrong_fields_are_named) {
    const std::pair<std::string_view, std::string_view> samples[] = {
        {R"({})", "400 missing_field delay"},
        {R"({"payload":1})", "400 missing_field delay"},
        {R"({"delay":1,"due":1})", "400 conflicting_fields due"},
        {R"({"delay":1,"payload":1,"payload_base64":""})", "400 conflicting_fields payload_base64"},
        {R"({"delay":null})", "400 wrong_type delay"},
        {R"({"delay":true})", "400 wrong_type delay"},
        {R"({"delay":[1]})", "400 wrong_type delay"},
        {R"({"delay":{"ms":1}})", "400 wrong_type delay"},
        {R"({"due":false})", "400 wrong_type due"},
        {R"({"delay":-1})", "400 out_of_range delay"},
        {R"({"delay":"-1s"})", "400 out_of_range delay"},
        {R"({"delay":-1e999})", "400 out_of_range delay"},
        {R"({"due":-1})", "400 out_of_range due"},
        {R"({"due":"1969-12-31T23:59:59Z"})", "400 out_of_range due"},
        {R"({"due":"0001-01-01T00:00:00Z"})", "400 out_of_range due"},
        {R"({"delay":"2"})", "400 bad_duration delay"},
        {R"({"delay":""})", "400 bad_duration delay"},
        {R"({"delay":"NaN"})", "400 bad_duration delay"},
        {R"({"delay":"P1M"})", "400 bad_duration delay"},
        {R"({"due":"2027-01-01T00:00:00"})", "400 bad_date due"},
        {R"({"due":"2027-02-29T00:00:00Z"})", "400 bad_date due"},
        {R"({"due":"1798761602000"})", "400 bad_date due"},
        {R"({"delay":1,"queue":7})", "400 wrong_type queue"},
        {R"({"delay":1,"queue":""})", "400 bad_name queue"},
        {R"({"delay":1,"queue":"a b"})", "400 bad_name queue"},
        {R"({"delay":1,"payload_base64":7})", "400 wrong_type payload_base64"},
        {R"({"delay":1,"payload_base64":"a"})", "400 bad_base64 payload_base64"},
        {R"({"delay":1,"dealy":2})", "400 unknown_field dealy"},
        {R"({"delay":1,"Delay":2})", "400 unknown_field Delay"},
        {R"({"delay":1,"":2})", "400 unknown_field"},
        {R"({"delay":1,"delay":1})", "400 duplicate_field delay"},
        {R"({"delay":1,"d\u0065lay":1})", "400 duplicate_field delay"},
        {R"({"payload":1,"delay":1,"payload":1})", "400 duplicate_field payload"},
        {R"([{"delay":1}])", "400 wrong_type"},
        {R"("2s")", "400 wrong_type"},
        {"", "400 empty_body"},
        {R"({"delay":NaN})", "400 bad_json"},
        {R"({"delay":1)", "400 bad_json"},
        {R"(delay=2s)", "400 bad_json"},
        {"{\"delay\":\"2\xff\"}", "400 bad_utf8"},
    };
    for (const auto& [body, expected] : samples) EXPECT_EQ(error(body), expected) << body;
}

TEST(put, fields_of_later_versions_are_refused_not_ignored) {
    for (const std::string field :
         {"every", "cron", "tz", "webhook", "retry", "priority", "tag", "spread", "missed"}) {
        EXPECT_EQ(error(R"({"delay":1,")" + field + R"(":"x"})"), "400 unsupported_field " + field);
    }
}

TEST(put, takes_a_retention) {
    EXPECT_FALSE(set(R"({"delay":1})").retain);
    EXPECT_EQ(set(R"({"delay":1,"retain":"1d"})").retain, 24h);
    EXPECT_EQ(set(R"({"delay":1,"retain":0})").retain, 0ms);
    EXPECT_EQ(set(R"({"delay":1,"retain":0.5})").retain, 1ms);
    EXPECT_EQ(error(R"({"delay":1,"retain":"31d"})"), "400 over_limit retain");
    EXPECT_EQ(error(R"({"delay":1,"retain":-1})"), "400 out_of_range retain");
    EXPECT_EQ(error(R"({"delay":1,"retain":true})"), "400 wrong_type retain");
}

TEST(put, takes_an_idempotency_key_as_a_header) {
    const auto with = [](std::string_view key, const limits& l = {}) {
        http_request r{"PUT", target, R"({"delay":1})", {}, {}};
        r.idempotency_key = key;
        return parse_http(r, l);
    };
    EXPECT_EQ(set(R"({"delay":1})").key, "");
    EXPECT_EQ(command_of<engine::set_timer>(with("7f2c")).key, "7f2c");
    EXPECT_EQ(command_of<engine::set_timer>(with("\"7f2c\"")).key, "7f2c");
    EXPECT_EQ(command_of<engine::set_timer>(with(std::string(255, 'k'))).key.size(), 255U);
    EXPECT_EQ(summary(with(std::string(256, 'k'))), "400 bad_idempotency_key Idempotency-Key");
    for (const std::string_view wrong : {"", "\"\"", "a\tb", "\xff"}) {
        EXPECT_EQ(summary(with(wrong)), "400 bad_idempotency_key Idempotency-Key") << wrong;
    }
    EXPECT_EQ(error(R"({"delay":1,"idempotency_key":"x"})"), "400 unknown_field idempotency_key");
}

TEST(put, only_a_set_takes_an_idempotency_key) {
    const auto with = [](std::string_view method, std::string_view path) {
        http_request r{method, path, R"({"tokens":[]})", {}, {}};
        r.idempotency_key = "k";
        return parse_http(r, {});
    };
    const std::string expected = "400 bad_idempotency_key Idempotency-Key";
    EXPECT_EQ(summary(with("DELETE", target)), expected);
    EXPECT_EQ(summary(with("POST", "/v1/ns/timers:batch")), expected);
    EXPECT_EQ(summary(with("POST", "/v1/ns/queues/q:ack")), expected);
    EXPECT_EQ(test::made(with("GET", target)).how.from, route::get);
}

TEST(put, takes_a_mode) {
    using engine::set_mode;
    EXPECT_EQ(set(R"({"delay":1})").mode, set_mode::replace);
    EXPECT_EQ(set(R"({"delay":1,"mode":"replace"})").mode, set_mode::replace);
    EXPECT_EQ(set(R"({"delay":1,"mode":"create"})").mode, set_mode::create);
    EXPECT_EQ(set(R"({"delay":1,"mode":"extend"})").mode, set_mode::extend);
    EXPECT_EQ(set(R"({"mode":"advance","due":1})").mode, set_mode::advance);
    EXPECT_EQ(error(R"({"delay":1,"mode":"later"})"), "400 bad_mode mode");
    EXPECT_EQ(error(R"({"delay":1,"mode":"Extend"})"), "400 bad_mode mode");
    EXPECT_EQ(error(R"({"delay":1,"mode":null})"), "400 wrong_type mode");
}

TEST(put, mode_create_and_a_generation_exclude_each_other) {
    const auto with = [](std::string_view mode) {
        const auto body = R"({"delay":1,"mode":")" + std::string{mode} + "\"}";
        return parse_http({"PUT", target, body, "4711", {}}, {});
    };
    EXPECT_EQ(summary(with("create")), "400 conflicting_fields mode");
    EXPECT_EQ(command_of<engine::set_timer>(with("extend")).require.generation.value, 4711U);
}

TEST(put, payload_keeps_its_bytes) {
    for (const std::string_view payload :
         {"1.10", "1152921504606846976", "123456789012345678901234567890", "1e999", "-0.0", "null",
          "true", "\"\"", "\"a\\u0041\\/\xc3\xa9\"", R"({"b":1,  "a":[ 1,2 ],"b":2})", "[]",
          "{\"x\" :\n1.0}", R"("}{][\"")", R"("\u0000")"}) {
        const auto body = R"({"payload": )" + std::string{payload} + R"( ,"delay":1})";
        EXPECT_EQ(set(body).payload, payload);
        const auto last = R"({"delay":1,"payload":)" + std::string{payload} + "}";
        EXPECT_EQ(set(last).payload, payload);
    }
}

TEST(put, payload_may_be_binary) {
    const auto s = set(R"({"delay":1,"payload_base64":"AP8K"})");
    EXPECT_EQ(s.payload, std::string("\0\xff\n", 3));
    EXPECT_EQ(s.kind, engine::payload_kind::binary);
    EXPECT_EQ(set(R"({"delay":1,"payload_base64":""})").payload, "");
    EXPECT_EQ(set(R"({"delay":1,"payload_base64":"\/\u002b8="})").payload, "\xff\xef");
}

TEST(put, payload_at_the_limit_is_taken_and_one_byte_over_is_413) {
    const auto body = [](std::size_t bytes) {
        return R"({"delay":1,"payload":")" + std::string(bytes - 2, 'p') + "\"}";
    };
    EXPECT_EQ(set(body(65'536)).payload.size(), 65'536U);
    const auto over = refused(send("PUT", target, body(65'537)));
    EXPECT_EQ(over.status, 413U);
    EXPECT_EQ(
        over.body,
        R"({"code":"payload_too_large","message":"payload is 65537 bytes; the limit is 65536 )"
        R"-((limits.payload_bytes)","field":"payload","limit":65536})-");

    limits l;
    l.payload_bytes = 4;
    EXPECT_EQ(set(R"({"delay":1,"payload_base64":"AAAAAA=="})", l).payload.size(), 4U);
    EXPECT_EQ(error(R"({"delay":1,"payload_base64":"AAAAAAA="})", l),
              "413 payload_too_large payload_base64");
}

TEST(put, deep_payloads_name_the_limit) {
    const auto body = [](std::size_t depth) {
        return R"({"delay":1,"payload":)" + std::string(depth, '[') + std::string(depth, ']') + "}";
    };
    EXPECT_EQ(set(body(63)).payload.size(), 126U);
    const auto r = refused(send("PUT", target, body(64)));
    EXPECT_EQ(summary(r), "400 json_too_deep");
    EXPECT_TRUE(test::has(r.body, "limits.json_depth"));
}

/// In these tests "" stands for a header that is not there.
std::optional<std::string_view> given(std::string_view header) {
    return header.empty() ? std::nullopt : std::optional{header};
}

TEST(preconditions, empty_headers_are_wrong_and_not_missing) {
    const std::string_view body = R"({"delay":1})";
    EXPECT_EQ(summary(parse_http({"PUT", target, body, "", {}}, limits{})),
              "400 bad_precondition If-Match");
    EXPECT_EQ(summary(parse_http({"DELETE", target, "", "", {}}, limits{})),
              "400 bad_precondition If-Match");
    EXPECT_EQ(summary(parse_http({"PUT", target, body, {}, ""}, limits{})),
              "400 bad_precondition If-None-Match");
}

TEST(preconditions, are_read_from_the_headers) {
    const auto require = [](std::string_view method, std::string_view match,
                            std::string_view none_match) {
        const auto parsed = parse_http(
            {method, target, R"({"delay":1})", given(match), given(none_match)}, limits{});
        const auto c = test::made(parsed);
        const auto* s = std::get_if<engine::set_timer>(&c.what);
        return s != nullptr ? s->require : std::get<engine::cancel_timer>(c.what).require;
    };
    using kind = engine::precondition::kind;
    EXPECT_EQ(require("PUT", "\"4711\"", "").require, kind::generation);
    EXPECT_EQ(require("PUT", "\"4711\"", "").generation.value, 4711U);
    EXPECT_EQ(require("PUT", "4711", "").generation.value, 4711U);
    EXPECT_EQ(require("DELETE", "\"18446744073709551615\"", "").generation.value, ~0ULL);
    EXPECT_EQ(require("PUT", "", "*").require, kind::absent);
    EXPECT_EQ(require("DELETE", "", "").require, kind::none);
}

TEST(preconditions, wrong_ones_are_refused) {
    const auto error_of = [](std::string_view method, std::string_view at, std::string_view match,
                             std::string_view none_match) {
        return summary(
            parse_http({method, at, R"({"delay":1})", given(match), given(none_match)}, limits{}));
    };
    for (const std::string_view bad :
         {"W/\"4711\"", "*", "\"\"", "\"", "\"4711", "4711\"", "\"1\", \"2\"", "-1", "x", " 4711",
          "\"18446744073709551616\"", "1.0"}) {
        EXPECT_EQ(error_of("PUT", target, bad, ""), "400 bad_precondition If-Match") << bad;
        EXPECT_EQ(error_of("DELETE", target, bad, ""), "400 bad_precondition If-Match") << bad;
    }
    EXPECT_EQ(error_of("PUT", target, "", "\"4711\""), "400 bad_precondition If-None-Match");
    EXPECT_EQ(error_of("PUT", target, "1", "*"), "400 bad_precondition If-None-Match");
    EXPECT_EQ(error_of("DELETE", target, "", "*"), "400 bad_precondition If-None-Match");
    EXPECT_EQ(error_of("POST", "/v1/ns/timers:batch", "1", ""), "400 bad_precondition If-Match");
    EXPECT_EQ(error_of("POST", "/v1/ns/queues/q:lease", "", "*"),
              "400 bad_precondition If-None-Match");
}

TEST(get_and_delete, name_the_timer) {
    const auto get = send("GET", target, "a body that has no meaning");
    EXPECT_EQ(command_of<engine::get_timer>(get).id, "x");
    EXPECT_EQ(test::made(get).how.from, route::get);
    const auto cancel = send("DELETE", target);
    EXPECT_EQ(command_of<engine::cancel_timer>(cancel).ns, "ns");
    EXPECT_EQ(command_of<engine::cancel_timer>(cancel).id, "x");
    EXPECT_EQ(test::made(cancel).how.from, route::cancel);
}

}  // namespace
}  // namespace foliot::protocol

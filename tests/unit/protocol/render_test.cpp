// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "requests.hpp"

#include "protocol/json.hpp"
#include "protocol/token.hpp"

#include <array>

namespace foliot::protocol {
namespace {

using namespace std::chrono_literals;
using engine::failure_code;

call_context from(route r, std::string id = {}) { return {r, std::move(id), {}, 0}; }

TEST(render, set_is_201_created_or_200_replaced_with_its_generation_as_etag) {
    const auto created = render(from(route::set, "x"),
                                engine::timer_set{"x", {4711}, std::nullopt, {1'798'761'602'000}});
    EXPECT_EQ(created.status, 201U);
    EXPECT_EQ(created.body, R"({"id":"x","generation":"4711","previous_generation":null,)"
                            R"("due":"2027-01-01T00:00:02.000Z","due_ms":1798761602000})");
    EXPECT_EQ(created.etag, "\"4711\"");
    EXPECT_EQ(created.content_type, "application/json");
    const auto replaced =
        render(from(route::set), engine::timer_set{"a\"b", {~0ULL}, engine::sequence{4711}, {0}});
    EXPECT_EQ(replaced.status, 200U);
    EXPECT_EQ(replaced.body,
              R"({"id":"a\"b","generation":"18446744073709551615","previous_generation":"4711",)"
              R"("due":"1970-01-01T00:00:00.000Z","due_ms":0})");
}

TEST(render, a_due_past_the_calendar_has_no_date) {
    const auto r =
        render(from(route::set), engine::timer_set{"x", {1}, std::nullopt, {max_due_ms + 1}});
    EXPECT_TRUE(test::has(r.body, R"("due":null,"due_ms":253402300800000)"));
}

TEST(render, get_shows_the_timer) {
    engine::timer_view view{"x",
                            {4711},
                            "q",
                            engine::timer_state::in_flight,
                            2,
                            {1'798'761'602'000},
                            R"({"n": 1.10})",
                            engine::payload_kind::json};
    const auto r = render(from(route::get), view);
    EXPECT_EQ(r.status, 200U);
    EXPECT_EQ(r.etag, "\"4711\"");
    EXPECT_EQ(r.body,
              R"({"id":"x","generation":"4711","queue":"q","due":"2027-01-01T00:00:02.000Z",)"
              R"("due_ms":1798761602000,"state":"in_flight","attempt":2,"payload":{"n": 1.10}})");
    view.kind = engine::payload_kind::binary;
    view.payload = std::string("\0\xff", 2);
    view.state = engine::timer_state::dead;
    EXPECT_TRUE(test::has(render(from(route::get), view).body,
                          R"("state":"dead","attempt":2,"payload_base64":"AP8="})"));
}

TEST(render, cancel_tells_the_outcome) {
    using engine::cancel_outcome;
    const std::pair<cancel_outcome, std::string_view> all[] = {
        {cancel_outcome::cancelled, R"({"outcome":"cancelled"})"},
        {cancel_outcome::in_flight, R"({"outcome":"in_flight"})"},
        {cancel_outcome::gone, R"({"outcome":"gone"})"}};
    for (const auto& [outcome, body] : all) {
        const auto r = render(from(route::cancel), engine::timer_cancelled{"x", outcome});
        EXPECT_EQ(r.status, 200U);
        EXPECT_EQ(r.body, body);
        EXPECT_EQ(r.etag, "");
    }
}

TEST(render, pages_carry_the_cursor_of_their_own_list) {
    EXPECT_EQ(render(from(route::list), engine::timer_page{}).body,
              R"({"timers":[],"cursor":null})");
    engine::timer_page page;
    page.timers.resize(2);
    page.timers[0].payload = page.timers[1].payload = "null";
    page.next = engine::list_cursor{{1}, {2}};
    const auto list = render(from(route::list), page).body;
    EXPECT_TRUE(test::has(list, R"(null},{"id":)")) << list;
    EXPECT_TRUE(test::has(list, "],\"cursor\":\"" + encode_list_cursor(*page.next) + "\"}"));
    EXPECT_TRUE(test::has(render(from(route::dead), page).body, encode_dead_cursor({2})));
    EXPECT_FALSE(check_json_object(list, {}));
}

TEST(render, deliveries) {
    EXPECT_EQ(render(from(route::lease), engine::deliveries{}).body, R"({"deliveries":[]})");
    const engine::delivery_token token{"ns", "x", {4711}, 3};
    engine::deliveries list;
    list.items.push_back({token, 1, {1'798'761'602'000}, 600us, "[1]", engine::payload_kind::json});
    list.items.push_back({token, 2, {0}, 1s, "", engine::payload_kind::binary});
    const auto r = render(from(route::lease), list);
    EXPECT_EQ(r.status, 200U);
    EXPECT_EQ(r.body, R"({"deliveries":[{"token":")" + encode_token(token) +
                          R"(","id":"x","generation":"4711","fire":1,"attempt":3,)"
                          R"("due":"2027-01-01T00:00:02.000Z","due_ms":1798761602000,)"
                          R"("lateness_ms":0.6,"payload":[1]},{"token":")" +
                          encode_token(token) +
                          R"(","id":"x","generation":"4711","fire":2,"attempt":3,)"
                          R"("due":"1970-01-01T00:00:00.000Z","due_ms":0,"lateness_ms":1000,)"
                          R"("payload_base64":""}]})");
}

TEST(render, lateness_has_at_most_three_decimals) {
    const std::pair<std::chrono::nanoseconds, std::string_view> samples[] = {
        {0ns, "0"},     {999ns, "0"},     {1us, "0.001"}, {10us, "0.01"},   {1'234'567ns, "1.234"},
        {100ms, "100"}, {1'500us, "1.5"}, {-5ms, "0"},    {24h, "86400000"}};
    for (const auto& [lateness, text] : samples) {
        engine::deliveries list;
        list.items.push_back({{"ns", "x", {1}, 1}, 1, {}, lateness, "1", {}});
        const auto body = render(from(route::lease), list).body;
        EXPECT_TRUE(test::has(body, "\"lateness_ms\":" + std::string{text} + ",")) << body;
    }
}

TEST(render, a_set_that_changed_nothing_says_so_and_is_200) {
    const auto r = render(from(route::set, "x"),
                          engine::timer_set{"x", {4711}, engine::sequence{4711}, {2000}, false});
    EXPECT_EQ(r.status, 200U);
    EXPECT_EQ(r.etag, "\"4711\"");
    EXPECT_EQ(r.body, R"({"id":"x","generation":"4711","previous_generation":"4711",)"
                      R"("due":"1970-01-01T00:00:02.000Z","due_ms":2000,"changed":false})");
}

TEST(render, a_timer_that_has_ended_shows_when_and_no_payload) {
    engine::timer_view v{"x", {4711}, "q",       engine::timer_state::acked, 2, {2000},
                         "",  {},     tick{3000}};
    EXPECT_EQ(render(from(route::get, "x"), v).body,
              R"({"id":"x","generation":"4711","queue":"q","due":"1970-01-01T00:00:02.000Z",)"
              R"("due_ms":2000,"state":"acked","attempt":2,"ended":"1970-01-01T00:00:03.000Z",)"
              R"("ended_ms":3000})");
    v.state = engine::timer_state::cancelled;
    EXPECT_TRUE(test::has(render(from(route::get, "x"), v).body, R"("state":"cancelled")"));
}

TEST(render, an_ack_tells_what_it_has_set) {
    auto how = from(route::ack);
    how.tokens = {"a", "b"};
    engine::settled all{{engine::settle_outcome::acked, engine::settle_outcome::acked}};
    all.next.resize(2);
    all.next[0] = engine::timer_set{"x", {2}, engine::sequence{1}, {0}};
    EXPECT_EQ(render(how, all).body,
              R"({"results":[{"token":"a","outcome":"acked","next":{"id":"x","generation":"2",)"
              R"("previous_generation":"1","due":"1970-01-01T00:00:00.000Z","due_ms":0}},)"
              R"({"token":"b","outcome":"acked"}]})");
}

TEST(render, a_key_that_was_used_is_422) {
    const engine::failure f{engine::failure_code::key_reused, "used", {}, 0, {}};
    EXPECT_EQ(test::summary(render(from(route::set), f)), "422 idempotency_key_reused");
}

TEST(render, settled_repeats_each_token_with_its_outcome) {
    using engine::settle_outcome;
    const call_context how{route::nack, {}, {"a", "b", "c", "d", "e"}, 0};
    const engine::settled all{{settle_outcome::acked, settle_outcome::nacked,
                               settle_outcome::extended, settle_outcome::stale,
                               settle_outcome::unknown}};
    EXPECT_EQ(render(how, all).body,
              R"({"results":[{"token":"a","outcome":"acked"},{"token":"b","outcome":"nacked"},)"
              R"({"token":"c","outcome":"extended"},{"token":"d","outcome":"stale"},)"
              R"({"token":"e","outcome":"unknown"}]})");
}

TEST(render, failures_have_their_status) {
    const auto render_failure = [](failure_code code) {
        engine::failure f;
        f.code = code;
        f.message = "why";
        return render(from(route::get), f);
    };
    const std::tuple<failure_code, unsigned, std::string_view> all[] = {
        {failure_code::not_found, 404, "not_found"},
        {failure_code::precondition_failed, 412, "precondition_failed"},
        {failure_code::overloaded, 503, "overloaded"},
        {failure_code::not_ready, 503, "not_ready"},
        {failure_code::store_unavailable, 503, "store_unavailable"},
        {failure_code::stopping, 503, "stopping"}};
    for (const auto& [code, status, name] : all) {
        const auto r = render_failure(code);
        EXPECT_EQ(r.status, status);
        EXPECT_EQ(r.body, R"({"code":")" + std::string{name} + R"(","message":"why"})");
        EXPECT_EQ(r.retry_after_s.has_value(), status == 503) << name;
        EXPECT_EQ(r.etag, "");
    }
}

TEST(render, overload_names_its_limit) {
    const engine::failure f{failure_code::overloaded, "too many changes wait",
                            "limits.waiting_commands", 100'000, std::nullopt};
    EXPECT_EQ(
        render(from(route::set), f).body,
        R"-({"code":"overloaded","message":"too many changes wait (limits.waiting_commands)",)-"
        R"("limit":100000})");
}

TEST(render, a_failed_precondition_tells_the_generation_there_is) {
    const engine::failure f{failure_code::precondition_failed, "is another", "", 0,
                            engine::sequence{4711}};
    EXPECT_EQ(render(from(route::set), f).body,
              R"({"code":"precondition_failed","message":"is another","generation":"4711"})");
    EXPECT_EQ(render_batch_line({route::set, "x", {}, 7}, f),
              R"({"op":"set","id":"x","line":7,"status":412,"error":)"
              R"({"code":"precondition_failed","message":"is another","generation":"4711"}})"
              "\n");
}

TEST(render, lines_of_a_batch) {
    EXPECT_EQ(
        render_batch_line({route::set, "x", {}, 1}, engine::timer_set{"x", {2}, std::nullopt, {0}}),
        R"({"op":"set","line":1,"status":201,"id":"x","generation":"2",)"
        R"("previous_generation":null,"due":"1970-01-01T00:00:00.000Z","due_ms":0})"
        "\n");
    EXPECT_EQ(render_batch_line({route::cancel, "a\n", {}, 2},
                                engine::timer_cancelled{"a\n", engine::cancel_outcome::gone}),
              R"({"op":"cancel","id":"a\u000a","line":2,"status":200,"outcome":"gone"})"
              "\n");
    const auto r = batch_response("{}\n");
    EXPECT_EQ(r.content_type, "application/x-ndjson");
    EXPECT_EQ(r.body, "{}\n");
}

TEST(render, a_reply_that_does_not_fit_is_a_500) {
    const std::array<engine::reply, 6> replies{engine::timer_set{},  engine::timer_cancelled{},
                                               engine::timer_view{}, engine::timer_page{},
                                               engine::deliveries{}, engine::settled{}};
    const std::array fits{route::set,  route::cancel, route::get,
                          route::list, route::lease,  route::ack};
    for (std::size_t i = 0; i < replies.size(); ++i) {
        for (const auto r : {route::set, route::get, route::cancel, route::list, route::lease,
                             route::ack, route::nack, route::extend, route::dead}) {
            const bool page = i == 3 && r == route::dead;
            const bool settle = i == 5 && (r == route::nack || r == route::extend);
            const bool good = r == fits[i] || page || settle;
            EXPECT_EQ(render(from(r), replies[i]).status == 500, !good);
        }
    }
    EXPECT_EQ(render({route::ack, {}, {"a"}, 0}, engine::settled{}).status, 500U);
}

TEST(render, errors_of_the_server_have_the_same_shape) {
    const auto r = error_response({401, "unauthorized", "say who you are"});
    EXPECT_EQ(r.status, 401U);
    EXPECT_EQ(r.body, R"({"code":"unauthorized","message":"say who you are"})");
    EXPECT_FALSE(r.retry_after_s);
}

TEST(render, limits_are_listed_by_name) {
    limits l;
    const std::array others{named_limit{"window.max_timers", 7, "count"}};
    const auto body = limits_response(l, others).body;
    EXPECT_FALSE(check_json_object(body, l)) << body;
    for (const std::string_view part : {R"("limits.payload_bytes":{"value":65536,"unit":"bytes"})",
                                        R"("limits.lease_wait":{"value":60000,"unit":"ms"})",
                                        R"("limits.max_delay":{"value":3153600000000,"unit":"ms"})",
                                        R"("limits.max_due":{"value":253402300799999,"unit":"ms"})",
                                        R"("window.max_timers":{"value":7,"unit":"count"})"}) {
        EXPECT_TRUE(test::has(body, part)) << body;
    }
}

}  // namespace
}  // namespace foliot::protocol

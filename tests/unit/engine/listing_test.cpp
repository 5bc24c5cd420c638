// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "store/memory_store.hpp"
#include "support/engine/engine_world.hpp"

#include <gtest/gtest.h>

namespace foliot::test {
namespace {

using namespace foliot::engine;
using namespace std::chrono_literals;

struct listing : testing::Test {
    std::unique_ptr<store::due_store> store = store::make_memory_store();
    engine_world w{*store};

    /// Both clocks, in memory and on disk; in due order by number.
    std::vector<std::string> fill(int count) {
        std::vector<std::string> ids;
        for (int i = 0; i < count; ++i) {
            const auto delay = 1min * (i + 1);
            std::string id = "t" + std::to_string(i);
            if (i % 2 == 0) {
                w.set(id, after{delay});
            } else {
                w.set_at(id, tick{w.wall_ms().count + static_cast<std::uint64_t>(delay / 1ms)});
            }
            ids.push_back(std::move(id));
        }
        return ids;
    }
};

TEST_F(listing, pages_of_any_size_give_every_timer_once_in_due_order) {
    const auto ids = fill(60);
    for (const std::size_t page : {1u, 7u, 60u, 100u}) EXPECT_EQ(w.list_ids(page), ids);
    w.restart();
    for (const std::size_t page : {1u, 7u, 60u, 100u}) EXPECT_EQ(w.list_ids(page), ids);
}

TEST_F(listing, prefix_and_namespace_filter) {
    fill(30);
    EXPECT_EQ(w.list_ids(3, "t2").size(), 11u);  // t2, t20 .. t29
    EXPECT_TRUE(
        w.ask<timer_page>(list_timers{"other", "", tick{0}, tick::max(), 10, {}}).timers.empty());
}

TEST_F(listing, rows_of_other_namespaces_do_not_end_a_listing_early) {
    for (int i = 0; i < 200; ++i) {
        w.ask<timer_set>(set_timer{"m", std::to_string(i), "q", after{24h}, "1", {}, {}});
    }
    w.set("last", after{25h});
    EXPECT_EQ(w.list_ids(2), std::vector<std::string>{"last"});
}

TEST_F(listing, time_range_is_half_open) {
    const auto base = w.wall_ms().count;
    fill(40);
    const auto page = w.ask<timer_page>(
        list_timers{"n", "", tick{base + 2 * 60'000}, tick{base + 31 * 60'000}, 100, {}});
    ASSERT_EQ(page.timers.size(), 29u);
    EXPECT_EQ(page.timers.front().id, "t1");
    EXPECT_EQ(page.timers.back().id, "t29");
    EXPECT_FALSE(page.next);
}

TEST_F(listing, page_stops_at_the_bytes_of_one_reply) {
    options o;
    o.reply_bytes = 250;
    engine_world small{*store, o};
    for (int i = 0; i < 10; ++i) small.set(std::to_string(i), after{1min}, std::string(99, '7'));
    EXPECT_EQ(
        small.ask<timer_page>(list_timers{"n", "", tick{0}, tick::max(), 10, {}}).timers.size(),
        3u);
    EXPECT_EQ(small.list_ids(10).size(), 10u);
}

TEST_F(listing, many_timers_of_one_millisecond_are_paged_through) {
    const tick due{w.wall_ms().count + 3'600'000};
    for (int i = 0; i < 300; ++i) w.set_at(std::to_string(i), due);
    EXPECT_EQ(w.list_ids(7).size(), 300u);
}

}  // namespace
}  // namespace foliot::test

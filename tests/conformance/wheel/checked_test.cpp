// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
//
// What a caller must not do ends the process with a message, in release builds too.
#include "conformance/wheel/queue_driver.hpp"

namespace foliot::test {
namespace {

template <class Queue>
class wheel_checked_death : public testing::Test {};
TYPED_TEST_SUITE(wheel_checked_death, queues);

TYPED_TEST(wheel_checked_death, scheduling_an_armed_hook) {
    entry e;
    TypeParam queue;
    queue.schedule(e, tick{5});
    EXPECT_DEATH(queue.schedule(e, tick{6}), "armed already");
}

TYPED_TEST(wheel_checked_death, cancelling_in_another_queue) {
    entry e;
    TypeParam queue;
    TypeParam other;
    queue.schedule(e, tick{5});
    EXPECT_DEATH(other.cancel(e), "armed in another queue");
}

TYPED_TEST(wheel_checked_death, destroying_an_armed_hook) {
    TypeParam queue;
    EXPECT_DEATH(
        {
            entry e;
            queue.schedule(e, tick{1'000'000});
        },
        "destroyed while armed");
}

TYPED_TEST(wheel_checked_death, advancing_from_the_sink) {
    entry e;
    TypeParam queue;
    queue.schedule(e, tick{1});
    const auto nothing = [](timer_hook&) {};
    const auto nested = [&](timer_hook&) { (void)queue.advance(tick{9}, 1, nothing); };
    EXPECT_DEATH((void)queue.advance(tick{5}, 1, nested), "called from its own sink");
}

TYPED_TEST(wheel_checked_death, clearing_from_the_sink) {
    entry e;
    TypeParam queue;
    queue.schedule(e, tick{1});
    EXPECT_DEATH((void)queue.advance(tick{5}, 1, [&](timer_hook&) { queue.clear(); }),
                 "called from a sink");
}

}  // namespace
}  // namespace foliot::test

// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "crash/foliotd/foliotd_fixture.hpp"

#include <gtest/gtest.h>

#include <signal.h>
#include <string>
#include <vector>

// What becomes of one timer when foliotd dies at a certain point of its life: is it delivered again?

namespace foliot::crash_test {
namespace {

using namespace std::chrono_literals;

/// What is under way when foliotd dies. All but `set` begin with a timer that is due, and all after
/// `lease` with a delivery of it.
enum class during { set, lease, ack, nack, end_of_lease, extend, cancel, stop };

struct outcome {
    const char* point;
    during what;
    unsigned attempt;     ///< of the delivery after the restart; 0: none comes
    const char* old_ack;  ///< what an ack of the delivery before says after the restart
};

/// The table of docs/guarantees.md, "The exact points".
constexpr outcome outcomes[] = {
    {"before_commit:2", during::set, 0, ""},  // the first commit writes the clocks
    {"after_commit:2", during::set, 1, ""},
    {"before_answer", during::set, 1, ""},
    {"after_answer", during::set, 1, ""},
    {"before_delivery", during::lease, 1, ""},
    {"after_delivery", during::lease, 1, "acked"},
    {"before_end", during::ack, 1, "acked"},
    {"after_end", during::ack, 0, "unknown"},
    {"before_answer:2", during::ack, 0, "unknown"},
    {"after_answer:2", during::ack, 0, "unknown"},
    {"before_failure", during::nack, 1, "acked"},
    {"after_failure", during::nack, 2, "stale"},
    {"before_failure", during::end_of_lease, 1, "acked"},
    {"after_failure", during::end_of_lease, 2, "stale"},
    {"after_answer:2", during::extend, 1, "acked"},
    {"before_end", during::cancel, 1, "acked"},
    {"after_end", during::cancel, 0, "unknown"},
    {"stop_begun", during::stop, 1, "acked"},
    {"before_leases", during::stop, 1, "acked"},
    {"after_leases", during::stop, 2, "acked"},
    {"stop_written", during::stop, 2, "acked"},
};

const char* name_of(during what) {
    constexpr const char* names[] = {"set",          "lease",  "ack",    "nack",
                                     "end_of_lease", "extend", "cancel", "stop"};
    return names[static_cast<std::size_t>(what)];
}

class dying : public foliotd_fixture, public ::testing::WithParamInterface<outcome> {
protected:
    static constexpr std::chrono::milliseconds lease_time = 1500ms;

    void SetUp() override {
        die_at_point(GetParam().point);
        start(flags());
        bring_about_its_end();
        EXPECT_EQ(foliotd.wait_for_end(20s), killed) << "it did not come by this point";
        foliotd.set_environment({});
        start(flags());
    }

    static std::vector<std::string> flags() {
        return {"--retry-min-backoff", "10ms", "--retry-max-backoff", "10ms"};
    }

    void bring_about_its_end() {
        auto server = connect();
        const auto what = GetParam().what;
        const auto set = server.set({.id = "x", .due = client::when::in(0ms)});
        if (what == during::set) return;
        ASSERT_TRUE(set.has_value()) << set.error().message;
        const bool long_lease = what != during::end_of_lease && what != during::stop;
        leased_at_us_ = wall_us();
        const auto got =
            server.lease({.max = 1, .wait = 5000ms, .lease = long_lease ? 1h : lease_time});
        if (got && got.value().size() == 1) token_ = got.value()[0].token;
        if (what == during::lease) return;
        ASSERT_FALSE(token_.empty()) << "x did not come";
        const std::vector tokens{token_};
        switch (what) {
            case during::ack: (void)server.ack("default", tokens); break;
            case during::nack: (void)server.nack("default", tokens, 10ms); break;
            case during::extend: (void)server.extend("default", tokens, 1h); break;
            case during::cancel: (void)server.cancel({.id = "x"}); break;
            case during::stop: ::kill(foliotd.pid(), SIGTERM); break;
            default: break;
        }
    }

    std::string token_;  ///< of the delivery before the end, where its client got it
    std::int64_t leased_at_us_ = 0;
};

TEST_P(dying, offers_the_timer_again_or_not) {
    auto server = connect();
    const auto got = take(server, "default", 1, GetParam().attempt == 0 ? 500ms : 10s);
    if (GetParam().attempt == 0) {
        EXPECT_TRUE(got.empty());
        return;
    }
    ASSERT_EQ(got.size(), 1U);
    EXPECT_EQ(got[0].what.attempt, GetParam().attempt);
    if (GetParam().what == during::stop && GetParam().attempt == 2) {
        EXPECT_GE(got[0].at_us, leased_at_us_ + lease_time / 1us) << "it came while it was leased";
    }
    EXPECT_TRUE(take(server, "default", 1, 300ms).empty()) << "it came a third time";
}

TEST_P(dying, tells_the_truth_to_an_ack_of_the_delivery_before) {
    const std::string expected = GetParam().old_ack;
    if (expected.empty()) {
        EXPECT_TRUE(token_.empty()) << "a delivery came, but the table says nothing of its ack";
        return;
    }
    ASSERT_FALSE(token_.empty());
    auto server = connect();
    const auto acked = server.ack("default", std::vector{token_});
    ASSERT_TRUE(acked.has_value()) << acked.error().message;
    EXPECT_EQ(acked.value().at(0).outcome, expected);
    EXPECT_EQ(server.get("x").has_value(), expected == "stale");
}

INSTANTIATE_TEST_SUITE_P(at, dying, ::testing::ValuesIn(outcomes), [](const auto& tested) {
    std::string point = tested.param.point;
    if (point.find(':') != point.npos) point.resize(point.find(':'));
    return point + "_during_" + name_of(tested.param.what);
});

class first_start : public foliotd_fixture, public ::testing::WithParamInterface<const char*> {};

TEST_P(first_start, can_be_made_again) {
    die_at_point(GetParam());
    foliotd.launch();
    EXPECT_EQ(foliotd.wait_for_end(20s), killed) << "it did not come by this point";
    foliotd.set_environment({});
    start();
    auto server = connect();
    EXPECT_TRUE(server.set({.id = "x", .due = client::when::in(0ms)}).has_value());
    EXPECT_EQ(take(server, "default", 1, 10s).size(), 1U);
}

INSTANTIATE_TEST_SUITE_P(that_dies, first_start,
                         ::testing::Values("epoch_written", "near_page_read", "before_facts",
                                           "after_facts"),
                         [](const auto& tested) { return std::string(tested.param); });

}  // namespace
}  // namespace foliot::crash_test

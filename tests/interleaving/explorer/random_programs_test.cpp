// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
//
// The reduced search against all interleavings: in programs made at random both must see the same
// outcomes.
#include "support/environment.hpp"
#include "support/interleaving/explore.hpp"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <mutex>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace foliot::interleaving {
namespace {

using namespace std::chrono_literals;

struct instruction {
    enum class kind : unsigned {
        load,
        store,
        increment,
        compare_exchange,
        section,
        try_section,
        section_with_load,
        timed_wait,
        change_and_notify,
        notify,
        look_at_clock,
    };
    static constexpr unsigned kinds = 11;

    kind what;
    std::size_t object;  // 0 or 1
    int value;           // 0 or 1
};
using program = std::vector<std::vector<instruction>>;

program make_program(std::uint64_t seed) {
    std::mt19937_64 random(seed);
    program p(2 + random() % 2);
    const std::size_t most = p.size() == 2 ? 4 : 2;
    for (auto& thread : p) {
        for (std::size_t left = 1 + random() % most; left > 0; --left) {
            thread.push_back({static_cast<instruction::kind>(random() % instruction::kinds),
                              random() % 2, static_cast<int>(random() % 2)});
        }
    }
    return p;
}

// One execution of it, and what its threads saw.
class machine {
public:
    std::string run(const program& p) {
        seen_.resize(p.size());
        std::vector<thread> threads;
        for (std::size_t i = 0; i < p.size(); ++i) {
            threads.emplace_back([this, &p, i] {
                for (const instruction& in : p[i]) execute(in, static_cast<int>(i), seen_[i]);
            });
        }
        for (thread& t : threads) t.join();
        std::string all;
        for (const std::string& s : seen_) all += s + "|";
        for (const auto& v : values_) all += std::to_string(v.load()) + ",";
        for (const int f : flags_) all += std::to_string(f) + ",";
        return all + std::to_string((now() - 1s) / 1ms);
    }

private:
    void execute(const instruction& in, int me, std::string& seen) {
        auto& value = values_[in.object];
        auto& flag = flags_[in.object];
        mutex& m = mutexes_[in.object];
        condition_variable& c = conditions_[in.object];
        using kind = instruction::kind;
        switch (in.what) {
            case kind::load: seen += std::to_string(value.load()); break;
            case kind::store: value = 10 * me + in.value; break;
            case kind::increment: seen += std::to_string(value++) + ","; break;
            case kind::compare_exchange: {
                int expected = in.value;
                seen += value.compare_exchange_strong(expected, 7) ? "y" : "n";
                break;
            }
            case kind::section: {
                const std::lock_guard held(m);
                seen += std::to_string(flag);
                flag = me + 1;
                break;
            }
            case kind::try_section:
                if (m.try_lock()) {
                    flag += 10;
                    m.unlock();
                    seen += "t";
                } else {
                    seen += "f";
                }
                break;
            case kind::section_with_load: {
                const std::lock_guard held(m);
                seen += std::to_string(values_[1 - in.object].load());
                value = 5;
                break;
            }
            case kind::timed_wait: {
                std::unique_lock held(m);
                if (flag == 0) {
                    const auto how = c.wait_for(held, 1ms * (1 + in.value));
                    seen += how == std::cv_status::timeout ? "T" : "W";
                }
                seen += std::to_string(flag);
                break;
            }
            case kind::change_and_notify: {
                {
                    const std::lock_guard held(m);
                    flag += 3;
                }
                in.value == 0 ? c.notify_one() : c.notify_all();
                break;
            }
            case kind::notify: c.notify_one(); break;
            case kind::look_at_clock: seen += "@" + std::to_string((now() - 1s) / 1ms); break;
        }
    }

    std::array<atomic<int>, 2> values_;
    std::array<mutex, 2> mutexes_;
    std::array<condition_variable, 2> conditions_;
    std::array<int, 2> flags_{};
    std::vector<std::string> seen_;
};

struct explored {
    std::set<std::string> outcomes;
    report of;
};

explored explore_all(exploration how, const program& p) {
    explored e;
    how.quiet = true;
    e.of = explore(how, [&] {
        machine m;
        e.outcomes.insert(m.run(p));
    });
    return e;
}

TEST(random_programs, have_the_same_outcomes_in_the_reduced_search_as_in_all_interleavings) {
    const std::uint64_t first = seed_or(1);
    std::uint64_t all = 0;
    std::uint64_t few = 0;
    std::uint64_t compared = 0;
    for (std::uint64_t seed = first; seed < first + 150 * depth(); ++seed) {
        const program p = make_program(seed);
        for (unsigned mode = 0; mode < 3; ++mode) {
            exploration how;
            how.name = std::to_string(seed);
            if (mode == 1) how.time = time_passes::at_any_moment;
            if (mode == 2) how.spurious = 1;
            const explored reduced = explore_all(how, p);
            how.how = search::bounded;
            how.preemptions = 1'000'000;
            how.executions = 20'000;
            const explored full = explore_all(how, p);
            if (!full.of.complete) continue;  // too many
            ++compared;
            all += full.of.executions;
            few += reduced.of.executions;
            ASSERT_TRUE(reduced.of.complete);
            ASSERT_EQ(reduced.outcomes, full.outcomes) << "FOLIOT_SEED=" << seed << ", " << mode;
            ASSERT_LE(reduced.of.executions, full.of.executions);
        }
    }
    std::printf("%llu programs, %llu interleavings, %llu in the reduced search\n",
                static_cast<unsigned long long>(compared), static_cast<unsigned long long>(all),
                static_cast<unsigned long long>(few));
    EXPECT_GT(compared, 300U);
}

}  // namespace
}  // namespace foliot::interleaving

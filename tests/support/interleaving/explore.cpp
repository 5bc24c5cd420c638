// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "support/interleaving/explore.hpp"

#include "support/interleaving/schedule.hpp"

#include <foliot/time/detail/contract.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <malloc.h>

namespace foliot::interleaving {

namespace {

execution_rules rules_of(const exploration& how) {
    return {.time = how.time, .spurious = how.spurious, .max_steps = how.max_steps};
}

std::unique_ptr<strategy> strategy_of(const exploration& how) {
    switch (how.how) {
        case search::reduced: return reduced_strategy();
        case search::bounded: return bounded_strategy(how.preemptions);
        case search::random: return random_strategy(how.executions, how.seed);
    }
    return nullptr;
}

std::string text_of(const exploration& how) {
    switch (how.how) {
        case search::reduced: return "all";
        case search::bounded:
            return "all with up to " + std::to_string(how.preemptions) + " preemptions";
        case search::random: return "at random, FOLIOT_SEED=" + std::to_string(how.seed);
    }
    return {};
}

// FOLIOT_SCHEDULE, of any exploration.
struct asked {
    std::string name;
    std::string schedule;
};
const std::optional<asked>& asked_for() {
    static const std::optional<asked> of_environment = []() -> std::optional<asked> {
        const char* const text = std::getenv("FOLIOT_SCHEDULE");
        if (text == nullptr) return std::nullopt;
        const std::string_view all = text;
        const auto at = all.rfind('@');
        foliot::detail::require(at != std::string_view::npos,
                                "FOLIOT_SCHEDULE is <name>@<schedule>");
        return asked{std::string(all.substr(0, at)), std::string(all.substr(at + 1))};
    }();
    return of_environment;
}

// The last steps are what counts.
std::string lines(const std::vector<std::string>& all) {
    constexpr std::size_t most = 600;
    std::string text = all.size() > most ? "      ...\n" : "";
    for (std::size_t i = all.size() > most ? all.size() - most : 0; i < all.size(); ++i) {
        std::string number = std::to_string(i + 1);
        number.insert(0, number.size() < 4 ? 4 - number.size() : 0, ' ');
        text += number + "  " + all[i] + "\n";
    }
    return text;
}

// The execution with these choices, step by step.
void trace(execution& e, const exploration& how, const std::function<void()>& scenario,
           const std::vector<std::uint8_t>& choices, report& r) {
    const auto decides = known_strategy(choices);
    const execution::result once = e.run(scenario, *decides, rules_of(how), true);
    r.failure = once.failure;
    r.schedule = to_text(choices);
    r.trace = lines(once.trace);
}

void search_all(execution& e, const exploration& how, const std::function<void()>& scenario,
                report& r) {
    const auto decides = strategy_of(how);
    do {
        execution::result once = e.run(scenario, *decides, rules_of(how), false);
        ++r.executions;
        r.choices += once.choices.size();
        r.longest = std::max(r.longest, once.steps);
        r.cut = decides->cut();
        if (!once.failure.empty()) {
            trace(e, how, scenario, once.choices, r);
            if (r.failure != once.failure) {
                r.failure = once.failure + " (and when it was run again: " + r.failure + ")";
            }
            return;
        }
        if (r.executions >= how.executions && how.how != search::random) return;
    } while (decides->next());
    r.complete = true;
}

// What one execution gives back the next one takes: the system need not be asked each time.
void keep_memory() {
    constexpr int most = 32 << 20;
    mallopt(M_MMAP_THRESHOLD, most);
    mallopt(M_TRIM_THRESHOLD, 1 << 30);
    mallopt(M_TOP_PAD, most);
}

}  // namespace

report replay(const exploration& how, const std::string& schedule,
              const std::function<void()>& scenario) {
    const auto choices = from_text(schedule);
    foliot::detail::require(choices.has_value(), "that is no schedule");
    report r;
    r.name = how.name;
    r.executions = 1;
    execution e;
    trace(e, how, scenario, *choices, r);
    return r;
}

unsigned depth() {
    const char* const text = std::getenv("FOLIOT_INTERLEAVINGS");
    const unsigned long n = text == nullptr ? 1 : std::strtoul(text, nullptr, 10);
    return static_cast<unsigned>(std::clamp(n, 1UL, 1'000'000UL));
}

report explore(const exploration& how, const std::function<void()>& scenario) {
    keep_memory();
    report r;
    r.name = how.name;
    r.asked = text_of(how);
    const auto& only = asked_for();
    if (only && only->name != how.name) {
        r.complete = true;
        return r;
    }
    if (only) {
        r = replay(how, only->schedule, scenario);
        r.complete = true;
    } else {
        execution e;
        search_all(e, how, scenario, r);
    }
    if (!how.quiet) std::cout << r << std::endl;
    return r;
}

std::ostream& operator<<(std::ostream& out, const report& r) {
    out << "[ explored ] " << r.name << ": " << r.executions << " executions";
    if (r.cut > 0) out << " (" << r.cut << " cut)";
    out << ", " << r.choices << " choices, longest " << r.longest << " steps, "
        << (r.failed()   ? std::string("FAILED")
            : r.complete ? r.asked
                         : std::string("not all"));
    if (!r.schedule.empty()) {
        if (r.failed()) out << "\n" << r.failure;
        out << "\nFOLIOT_SCHEDULE='" << r.name << "@" << r.schedule << "'\n" << r.trace;
    }
    return out;
}

void fail(const std::string& why) {
    if (execution::inside()) execution::now().fail(why);
    execution::now().has_failed(why);
}

std::chrono::nanoseconds now() noexcept {
    execution& e = execution::now();
    if (!execution::inside()) return e.time();
    operation op("reads");
    op.on(execution::clock_object, access::read);
    e.await_turn(request(op));
    const auto t = e.time();
    e.happened(op);
    return t;
}

void advance(std::chrono::nanoseconds by) noexcept {
    execution& e = execution::now();
    operation op("advances");
    op.on(execution::clock_object, access::write);
    e.await_turn(request(op));
    e.set_time(e.time() + by);
    e.happened(op);
}

}  // namespace foliot::interleaving

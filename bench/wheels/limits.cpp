// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "limits.hpp"

#include <algorithm>
#include <optional>

namespace bench {

namespace {

constexpr std::uint64_t thousand = 1'000;
constexpr std::uint64_t hundred_thousand = 100'000;
constexpr std::uint64_t million = 1'000'000;
constexpr std::uint64_t ten_million = 10'000'000;

/// One side of a comparison.
struct side {
    std::string model;
    std::string metric = "ns_per_op";
};

const side ours{"hierarchical_wheel"};
const side bucket_queue{"bucket_queue_wheel"};
const side hashed{"hashed_wheel"};
const side textbook{"textbook_list_wheel"};
const side heap{"priority_queue"};
const side line{"probe_line"};

struct bound_at {
    std::uint64_t n;
    double bound;
};

class list {
public:
    /// `what` takes at most so many times what `than` takes.
    list& at_most(const std::string& workload, const side& what, const side& than,
                  const std::vector<bound_at>& bounds) {
        return add(workload, what, than, true, bounds);
    }
    /// `what` takes at least so many times what `than` takes: `than` is so much faster.
    list& at_least(const std::string& workload, const side& what, const side& than,
                   const std::vector<bound_at>& bounds) {
        return add(workload, what, than, false, bounds);
    }
    list& value(const std::string& workload, const side& what,
                const std::vector<bound_at>& bounds) {
        return add(workload, what, std::nullopt, true, bounds);
    }

    std::vector<limit> lines;

private:
    list& add(const std::string& workload, const side& what, const std::optional<side>& than,
              bool at_most, const std::vector<bound_at>& bounds) {
        for (const auto [n, bound] : bounds) {
            limit one{workload + " " + size_name(n) + ": " + what.model + " " + what.metric,
                      {workload, n, what.metric, what.model},
                      {},
                      at_most,
                      bound};
            if (than) {
                one.text +=
                    " / " + (than->model == what.model ? "" : than->model + " ") + than->metric;
                one.than = {{workload, n, than->metric, than->model}};
            }
            lines.push_back(std::move(one));
        }
        return *this;
    }
};

std::vector<limit> make_limits() {
    list all;
    all.at_most("W1u", ours, textbook,
                {{thousand, 1.2}, {hundred_thousand, 1.75}, {million, 1.15}, {ten_million, 1.0}});
    all.at_most("W1l", ours, textbook, {{million, 0.85}, {ten_million, 0.6}});
    for (const char* workload : {"W1u", "W1l", "W2"}) {
        for (const char* peer : {"asio", "libuv", "libevent"}) {
            all.at_least(workload, side{peer}, ours, {{million, 8}});
        }
    }
    all.at_least("W1u", heap, ours, {{million, 1.5}, {ten_million, 1.3}});
    all.at_most("W2", ours, line,
                {{thousand, 1.2}, {hundred_thousand, 1.2}, {million, 1.2}, {ten_million, 1.7}});
    const side fire{ours.model, "ns_fire"};
    all.at_most("W3", fire, {heap.model, "ns_fire"}, {{million, 0.25}, {ten_million, 0.2}});
    all.at_most("W3", fire, line, {{million, 3}, {ten_million, 3}});
    all.at_most("W3", {ours.model, "busiest_tick_entries"}, {ours.model, "mean_tick_entries"},
                {{million, 20}, {ten_million, 20}});
    all.at_most("W3", {ours.model, "p999_tick_us"}, {ours.model, "median_tick_us"},
                {{million, 10}, {ten_million, 15}});
    all.value("W4", {ours.model, "total_us"}, {{10, 15}});
    all.value("W4", {ours.model, "wakeups"}, {{10, 60}});
    for (const char* workload : {"W4b", "W4b_level_2"}) {
        all.value(workload, {ours.model, "busiest_tick_entries"}, {{million, 5000}});
    }
    for (const char* workload : {"W5", "W5_churned"}) {
        all.value(workload, {ours.model, "bytes_per_timer"}, {{million, 32}, {ten_million, 32}});
    }
    all.at_most("hashed_one_lap", hashed, textbook, {{million, 1.2}});
    all.at_most("hashed_100_laps", hashed, line, {{million, 3}});
    all.at_most("W1u", bucket_queue, textbook, {{million, 2}});
    all.value("W4", {bucket_queue.model, "total_us"}, {{10, 20}});
    return all.lines;
}

bool is(const quantity& q, const std::string& workload, std::uint64_t n, std::string_view model) {
    return q.workload == workload && q.n == n && q.model == model;
}

}  // namespace

const std::vector<limit>& limits() {
    static const std::vector<limit> all = make_limits();
    return all;
}

bool needed_by_limits(const std::string& workload, std::uint64_t n, std::string_view model) {
    return std::any_of(limits().begin(), limits().end(), [&](const limit& l) {
        return is(l.what, workload, n, model) ||
               std::any_of(l.than.begin(), l.than.end(),
                           [&](const quantity& q) { return is(q, workload, n, model); });
    });
}

}  // namespace bench

// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
// A real foliotd, many timers, most of them cancelled, and a kill -9 in the middle: does every timer
// that was promised come, and no other, and none too soon?
#include "ledger.hpp"
#include "support/process/foliotd_process.hpp"
#include "workers.hpp"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <fmt/format.h>
#include <unistd.h>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <thread>
#include <vector>

namespace {

using namespace foliot::demo;
using namespace std::chrono_literals;
using foliot::test_support::foliotd_process;
using foliot::test_support::temp_dir;

struct arguments {
    std::size_t timers = 100'000;
    double seconds = 20;
    std::uint64_t seed = 1;
    std::string foliotd;
};

/// A bar on a terminal; a line now and then elsewhere.
class progress_display {
public:
    explicit progress_display(std::size_t timers)
        : timers_(timers), terminal_(::isatty(STDOUT_FILENO) == 1) {}

    void show(const ledger::progress& p, const char* note, bool last = false) {
        const auto settled = std::min(timers_, p.cancelled + p.fired);
        const auto counts = fmt::format("set {:>6}  cancelled {:>6}  fired {:>6}  {}", p.set,
                                        p.cancelled, p.fired, note);
        if (terminal_) {
            constexpr std::size_t width = 30;
            const auto full = width * settled / timers_;
            fmt::print("\r[{}{}] {:>3}%  {}\x1b[K{}", std::string(full, '#'),
                       std::string(width - full, '.'), 100 * settled / timers_, counts,
                       last ? "\n" : "");
        } else if (last || shown_++ % 10 == 0) {
            fmt::print("{:>3}%  {}\n", 100 * settled / timers_, counts);
        }
        std::fflush(stdout);
    }

private:
    std::size_t timers_;
    bool terminal_;
    unsigned shown_ = 0;
};

/// Kills foliotd half-way through the sets and starts it again; empty if that worked.
std::string kill_and_restart(foliotd_process& server, shared_state& shared) {
    ++shared.incarnation;
    const auto killed = now();
    server.kill_nine();
    const auto failed = server.start();
    shared.book.outage(killed, now());
    return failed;
}

/// Until all is set, cancelled, due and delivered, or `patience` after the last due.
std::string run_to_the_end(foliotd_process& server, shared_state& shared, std::size_t timers) {
    constexpr std::int64_t settle_us = 500'000;  // for what should not come
    constexpr std::int64_t patience_us = 30'000'000;
    progress_display display(timers);
    bool killed = false;
    const char* note = "";
    for (;;) {
        std::this_thread::sleep_for(100ms);
        const auto p = shared.book.seen();
        if (!shared.failure().empty()) return shared.failure();
        if (!killed && p.set * 2 >= timers) {
            if (auto failed = kill_and_restart(server, shared); !failed.empty()) return failed;
            killed = true;
            note = "(killed -9 and started again)";
        }
        if (!server.running()) return "foliotd ended by itself";
        const auto past_due = now().wall_us - p.last_due_ms * 1000;
        const bool all_asked = shared.producing == 0 && p.set == timers;
        const bool over = all_asked && past_due > (p.still_due == 0 ? settle_us : patience_us);
        display.show(p, note, over);
        if (over) return {};
    }
}

std::string spread_text(const ledger::spread& s) {
    return fmt::format("{:.1f} / {:.1f} / {:.1f} ms  ({} firings)", s.p50_ms, s.p99_ms, s.max_ms,
                       s.count);
}

void print_verdict(const ledger::verdict& v) {
    fmt::print("\nset           {}\ncancelled     {}\nfired         {}\n", v.set, v.cancelled,
               v.fired);
    if (v.untold > 0) {
        fmt::print("untold        {}  (a cancel's answer, or the delivery, died in the kill)\n",
                   v.untold);
    }
    fmt::print("early         {}\nlost          {}\nafter-cancel  {}\nduplicates    {}\n", v.early,
               v.lost, v.after_cancel, v.duplicates);
    fmt::print("lateness p50/p99/max             {}\n", spread_text(v.lateness));
    fmt::print("  of those due by the restart    {}  foliotd was away {:.0f} ms\n",
               spread_text(v.outage_lateness), v.outage_ms);
    for (const auto& c : v.complaints) fmt::print("WRONG  {}\n", c);
    fmt::print("{}\n", v.good() ? "all is well: nothing early, nothing lost, nothing after a cancel"
                                : "NOT WELL");
}

int run_demo(const arguments& a) {
    const temp_dir folder;
    foliotd_process server({.binary = a.foliotd,
                            .data = folder.path() / "data",
                            .log = folder.path() / "foliotd.log"});
    if (auto failed = server.start(); !failed.empty()) {
        fmt::print(stderr, "foliot_demo: {}\n", failed);
        return 2;
    }
    fmt::print("foliotd runs at {}, data in {}\n", server.url(), folder.path().string());
    fmt::print(
        "{} timers, due in 0.2 s to {} s; for 90 % a cancel is sent; kill -9 half-way; seed {}\n",
        a.timers, a.seconds, a.seed);

    const auto length_us = static_cast<std::int64_t>(a.seconds * 1e6);
    ledger book({.timers = a.timers,
                 .setting_us = length_us / 2,
                 .min_delay_ms = 200,
                 .max_delay_ms = std::max<std::int64_t>(length_us / 1000, 200)},
                a.seed);
    constexpr unsigned producers = 2;
    constexpr unsigned consumers = 4;
    shared_state shared(book, server.url());
    shared.producing = producers;
    std::vector<std::jthread> threads;
    for (unsigned i = 0; i < producers; ++i) {
        threads.emplace_back([&shared, i] { produce(shared, i, producers); });
    }
    for (unsigned i = 0; i < consumers; ++i) threads.emplace_back([&shared] { consume(shared); });
    const auto failed = run_to_the_end(server, shared, a.timers);
    shared.stop = true;
    threads.clear();

    if (!failed.empty()) {
        fmt::print(stderr, "foliot_demo: {}\n", failed);
        return 2;
    }
    const auto verdict = book.judge();
    print_verdict(verdict);
    return verdict.good() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    arguments a;
    const auto here = std::filesystem::canonical("/proc/self/exe").parent_path();
    a.foliotd = (here / ".." / "apps" / "foliotd" / "foliotd").lexically_normal().string();
    CLI::App app{"Sets timers in a real foliotd, cancels most, kills it half-way, counts.",
                 "foliot_demo"};
    app.add_option("--timers", a.timers, "how many")
        ->capture_default_str()
        ->check(CLI::Range(std::size_t{10}, std::size_t{10'000'000}));
    app.add_option("--seconds", a.seconds, "the longest delay")
        ->capture_default_str()
        ->check(CLI::Range(0.2, 3600.0));
    app.add_option("--seed", a.seed, "of delays and cancels")->capture_default_str();
    app.add_option("--foliotd", a.foliotd, "the server to start")->capture_default_str();
    CLI11_PARSE(app, argc, argv);
    return run_demo(a);
}

// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "server/clock.hpp"
#include "server/config.hpp"
#include "server/log.hpp"
#include "server/server.hpp"
#include "store_rocksdb/backup.hpp"
#include "store_rocksdb/rocksdb_store.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace {

namespace fs = foliot::server;
namespace store = foliot::store;
using namespace std::chrono_literals;

enum exit_code : int { ok = 0, failed = 1, usage = 2, locked = 3, stop_timed_out = 4 };

void print(std::FILE* to, const std::string& text) { std::fwrite(text.data(), 1, text.size(), to); }

/// Each connection needs a descriptor; the default soft limit of 1024 is for programs with select().
void raise_file_limit(fs::logger& log, const fs::config& c) {
    rlimit limit{};
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
    getrlimit(RLIMIT_NOFILE, &limit);
    constexpr rlim_t for_the_store = 1024;
    if (limit.rlim_cur < c.http.max_connections + for_the_store) {
        log.warn("fewer file descriptors than limits.connections may need",
                 {{"descriptors", std::uint64_t{limit.rlim_cur}},
                  {"connections", std::uint64_t{c.http.max_connections}}});
    }
}

sigset_t stop_signals() {
    sigset_t set;
    sigemptyset(&set);
    for (const int s : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&set, s);
    return set;
}

/// From here on a stop signal ends the process at once. It loses nothing acknowledged.
void die_at_next_signal(const sigset_t& signals) {
    struct sigaction action {};
    action.sa_handler = [](int) { _exit(failed); };
    for (const int s : {SIGTERM, SIGINT, SIGHUP}) sigaction(s, &action, nullptr);
    pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
}

/// For the log, beside the error itself.
std::string what_to_do(store::store_code code) {
    switch (code) {
        case store::store_code::corrupt:
            return "nothing was changed: keep a copy of the directory, then see docs/operating.md, "
                   "Damage";
        case store::store_code::unsupported:
            return "start the foliotd that wrote it, or a newer one";
        case store::store_code::no_space: return "free some space on that disk";
        case store::store_code::locked: return "stop the other one, or give another --data";
        default: return "is the directory there and writable? see docs/operating.md, Damage";
    }
}

std::variant<std::unique_ptr<store::due_store>, exit_code> open_store(const fs::config& c,
                                                                      fs::logger& log) {
    store::rocksdb_options options;
    options.path = c.data;
    options.durability = c.durable() ? store::durability::fdatasync : store::durability::os_cache;
    options.on_warning = [&log](const std::string& line) {
        log.warn("the store's own log", {{"line", line}});
    };
    auto opened = store::open_rocksdb_store(options);
    if (opened) return std::move(*opened);
    const bool is_locked = opened.error().code == store::store_code::locked;
    log.error(is_locked ? "another foliotd uses this data directory" : "the store does not open",
              {{"data", c.data},
               {"error", opened.error().message},
               {"do", what_to_do(opened.error().code)}});
    return is_locked ? locked : failed;
}

std::uint64_t ms_since(std::chrono::nanoseconds began) {
    return static_cast<std::uint64_t>((fs::boot_time() - began) / 1ms);
}

std::string shown_path(const std::string& data) {
    return std::filesystem::path{data}.is_absolute() || data.starts_with(".") ? data : "./" + data;
}

/// Waits for a stop signal; says meanwhile when the server gets ready.
void wait_for_signal(fs::server& server, fs::logger& log, const fs::config& c,
                     const sigset_t& signals, std::chrono::nanoseconds began) {
    constexpr timespec step{.tv_sec = 0, .tv_nsec = 20'000'000};
    auto next_warning = began + 5s;
    while (!server.wait_ready(0ms)) {
        if (sigtimedwait(&signals, nullptr, &step) > 0) return;
        if (fs::boot_time() < next_warning) continue;
        log.warn("still not ready; GET /readyz tells why", {{"after_ms", ms_since(began)}});
        next_warning += 10s;
    }
    const auto pending = server.pending();
    log.info("foliotd is ready on " + server.url() + " (data " + shown_path(c.data) + ", " +
                 std::to_string(pending) + " timers pending)",
             {{"ready_ms", ms_since(began)}});
    int received = 0;
    sigwait(&signals, &received);
}

exit_code serve(const fs::config& c, std::chrono::nanoseconds began) {
    fs::logger log(c.format(), c.level());
    if (auto checked = fs::check_listening(c); !checked) {
        log.error(checked.error());
        return usage;
    }
    log.info("foliotd starts", {{"version", fs::version()},
                                {"data", c.data},
                                {"listen", c.listen},
                                {"durability", c.durability}});
    raise_file_limit(log, c);
    const auto signals = stop_signals();
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);  // the threads to come inherit it
    auto opened = open_store(c, log);
    if (auto* code = std::get_if<exit_code>(&opened)) return *code;
    auto taken = std::move(*std::get_if<0>(&opened));
    const auto take_backup = [raw = taken.get()](const std::string& to) {
        auto copied = store::back_up(*raw, to);
        return copied ? foliot::result<foliot::done, std::string>{foliot::done{}}
                      : foliot::result<foliot::done, std::string>{copied.error().message};
    };
    auto server = std::make_unique<fs::server>(c, std::move(taken), log, take_backup);
    if (auto started = server->start(); !started) {
        log.error(started.error());
        return failed;
    }
    wait_for_signal(*server, log, c, signals, began);
    die_at_next_signal(signals);
    if (server->stop() == fs::stop_outcome::clean) return ok;
    std::_Exit(stop_timed_out);  // a store call hangs: no thread can be waited for
}

}  // namespace

int main(int argc, char** argv) {
    const auto began = fs::boot_time();
    std::signal(SIGPIPE, SIG_IGN);
    auto parsed = fs::parse_command_line({argv + 1, argv + argc});
    if (auto* exit = std::get_if<fs::early_exit>(&parsed)) {
        print(stdout, exit->out);
        print(stderr, exit->err);
        return exit->code;
    }
    return serve(*std::get_if<fs::config>(&parsed), began);
}

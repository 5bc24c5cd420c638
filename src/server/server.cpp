// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "server/server.hpp"

#include "protocol/http.hpp"
#include "server/auth.hpp"
#include "server/clock.hpp"
#include "server/crash_point.hpp"
#include "server/engine_loop.hpp"
#include "server/http_server.hpp"
#include "server/metrics.hpp"
#include "server/readiness.hpp"
#include "server/store_workers.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <utility>

namespace foliot::server {
namespace {

constexpr std::chrono::milliseconds ready_poll{5};

/// A token that others can read is no secret; say so, but leave the decision to the operator.
void warn_if_readable(const std::string& path, logger& log) {
    struct stat info {};
    if (!path.empty() && stat(path.c_str(), &info) == 0 &&
        (info.st_mode & (S_IRGRP | S_IROTH)) != 0) {
        log.warn("the token file is readable by other users", {{"file", path}});
    }
}

engine::options with_boot(engine::options o) {
    o.boot = boot_number();
    return o;
}

std::string url_of(const std::string& host, std::uint16_t port) {
    const bool v6 = host.find(':') != std::string::npos;
    return "http://" + (v6 ? '[' + host + ']' : host) + ':' + std::to_string(port);
}

result<token_list, std::string> load_tokens(const config& c) {
    return c.auth_token_file.empty() ? token_list{} : token_list::load(c.auth_token_file);
}

}  // namespace

result<done, std::string> check_listening(const config& c) {
    const auto address = parse_listen(c.listen);
    if (!address) return address.error();
    const auto tokens = load_tokens(c);
    if (!tokens) return "auth_token_file: " + tokens.error();
    if (address->loopback || !tokens->empty()) return done{};
    return "listen: " + address->host +
           " can be reached from other machines, and no token guards "
           "it; give --auth-token-file FILE, or listen on 127.0.0.1";
}

class server::impl {
public:
    impl(const config& c, std::unique_ptr<store::due_store> store, logger& log,
         backups::taker take_backup)
        : config_(c),
          log_(log),
          store_(std::move(store)),
          process_start_(read_clocks().wall),
          copies_(c.backup_directory, std::move(take_backup)),
          workers_(
              *store_, [this](engine::io_done r) { loop_.io_finished(std::move(r)); }, log),
          loop_(with_boot(c.engine),
                [this](engine::io request) { workers_.run(std::move(request)); }) {}

    ~impl() {
        stop();
        // The order matters: sessions, then the loop that their calls are in, then the workers,
        // which may have to wait for the store and bring a last result to the (joined) loop.
        if (http_) http_->shutdown();
        loop_.join();
        workers_.stop();
    }

    result<done, std::string> start() {
        if (auto checked = check_listening(config_); !checked) return checked;
        const auto address = parse_listen(config_.listen);
        if (auto tokens = load_tokens(config_)) tokens_ = std::move(*tokens);
        warn_if_readable(config_.auth_token_file, log_);
        http_ = std::make_unique<http_server>(environment());
        auto port = http_->listen(*address);
        if (!port) return port.error();
        port_ = *port;
        url_ = url_of(address->host, port_);
        workers_.start();
        loop_.start();
        http_->start();
        started_ = true;
        return done{};
    }

    bool wait_ready(std::chrono::milliseconds timeout) {
        const auto until = boot_time() + timeout;
        while (!readiness().ready) {
            if (boot_time() >= until) return false;
            std::this_thread::sleep_for(ready_poll);
        }
        return true;
    }

    stop_outcome stop() {
        if (stopped_ || !started_) return stop_outcome::clean;
        stopped_ = true;
        stopping_ = true;
        const auto until = boot_time() + config_.stop_timeout;
        const auto left = [until] {
            return std::max<std::chrono::nanoseconds>(until - boot_time(), {});
        };
        http_->begin_stop();
        FOLIOT_CRASH_POINT("stop_begun");
        loop_.request_stop();
        const bool written = loop_.wait_stopped(left());
        FOLIOT_CRASH_POINT("stop_written");
        const bool idle = written && http_->wait_idle(left());
        log_stop(written, idle);
        loop_.join();
        // Answers that the join gave out get a moment to leave.
        if (!idle) http_->wait_idle(std::chrono::milliseconds{100});
        http_->shutdown();
        if (!written) return stop_outcome::timed_out;  // a store call may hang: do not wait here
        workers_.stop();
        return stop_outcome::clean;
    }

    [[nodiscard]] std::uint16_t port() const { return port_; }
    [[nodiscard]] const std::string& url() const { return url_; }
    [[nodiscard]] std::uint64_t pending() const { return loop_.stats()->engine.pending; }
    void post_task(std::function<void()> task) { loop_.post_task(std::move(task)); }

private:
    http_environment environment() {
        return {loop_,
                tokens_,
                config_.http,
                config_.limits,
                config_.engine.store_timeout,
                counters_,
                log_,
                copies_,
                [this](protocol::operational p) { return page(p); }};
    }

    verdict readiness() const {
        const auto now = loop_.stats();
        const auto store = workers_.health();
        vital_signs signs;
        signs.since_step = loop_.since_step();
        signs.backlog_stuck = now->backlog_stuck;
        signs.overdue = now->engine.overdue;
        signs.behind = now->engine.behind;
        signs.loaded = now->engine.ready;
        signs.stopping = stopping_;
        signs.store_failing = store.failing;
        signs.store_call = store.longest_call;
        signs.store_error = store.last_error;
        signs.read_error = store.read_error;
        signs.disagreements = now->engine.disagreements;
        signs.first_disagreement = now->engine.first_disagreement;
        return judge(signs, config_.ready);
    }

    protocol::http_response page(protocol::operational which) const {
        switch (which) {
            case protocol::operational::limits:
                return protocol::limits_response(config_.limits, other_limits(config_));
            case protocol::operational::healthz: return text_page("{\"status\":\"ok\"}\n");
            case protocol::operational::readyz: return ready_page();
            case protocol::operational::metrics: return metrics_page();
        }
        return {};
    }

    static protocol::http_response text_page(std::string body) {
        protocol::http_response r;
        r.body = std::move(body);
        return r;
    }

    protocol::http_response ready_page() const {
        const auto now = readiness();
        if (now.ready) return text_page("{\"status\":\"ready\"}\n");
        auto r = protocol::error_response({503, now.reason, now.message});
        r.retry_after_s = 1;
        return r;
    }

    protocol::http_response metrics_page() const {
        const auto now = loop_.stats();
        auto r = text_page(
            render_metrics({now->engine, counters_, workers_.commit_latency(), readiness().ready,
                            workers_.health().failing, loop_.since_step(), process_start_,
                            config_.http.metrics_queues}));
        r.content_type = "text/plain; version=0.0.4; charset=utf-8";
        return r;
    }

    void log_stop(bool written, bool idle) {
        const auto s = loop_.stats();
        if (!written) {
            log_.error(
                "the store did not finish within stop_timeout; what was acknowledged is safe",
                {{"uncommitted", s->engine.uncommitted}});
        } else if (!idle) {
            log_.warn("some connections did not end within stop_timeout",
                      {{"connections", counters_.connections.load()}});
        }
        log_.info("foliotd stops", {{"pending", s->engine.pending},
                                    {"in_flight", s->engine.in_flight},
                                    {"dead", s->engine.dead}});
    }

    const config config_;
    logger& log_;
    const std::unique_ptr<store::due_store> store_;
    const std::chrono::nanoseconds process_start_;
    backups copies_;
    token_list tokens_;
    http_counters counters_;
    std::atomic<bool> stopping_{false};
    bool started_ = false;
    bool stopped_ = false;
    std::uint16_t port_ = 0;
    std::string url_;

    store_workers workers_;
    engine_loop loop_;
    std::unique_ptr<http_server> http_;
};

server::server(const config& c, std::unique_ptr<store::due_store> store, logger& log,
               backups::taker take_backup)
    : impl_(std::make_unique<impl>(c, std::move(store), log, std::move(take_backup))) {}
server::~server() = default;

result<done, std::string> server::start() { return impl_->start(); }
bool server::wait_ready(std::chrono::milliseconds timeout) { return impl_->wait_ready(timeout); }
stop_outcome server::stop() { return impl_->stop(); }
std::uint16_t server::port() const { return impl_->port(); }
std::string server::url() const { return impl_->url(); }
std::uint64_t server::pending() const { return impl_->pending(); }
void server::post_task(std::function<void()> task) { impl_->post_task(std::move(task)); }

}  // namespace foliot::server

// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "workers.hpp"

#include "client/client.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <queue>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

namespace foliot::demo {

namespace {

using namespace std::chrono_literals;

constexpr std::size_t batch_size = 1000;

struct job {
    std::int64_t at_us = 0;  ///< steady
    std::size_t timer = 0;
    bool cancel = false;

    friend bool operator>(const job& a, const job& b) { return a.at_us > b.at_us; }
};

class producer {
public:
    producer(shared_state& s, std::size_t first, std::size_t step)
        : shared_(s), server_({.url = s.url}) {
        for (std::size_t i = first; i < s.book.size(); i += step) {
            jobs_.push({s.begin.steady_us + s.book.plan_of(i).set_at_us, i, false});
        }
    }

    void run() {
        while (!jobs_.empty() && !shared_.stop) {
            const auto batch = take_due();
            if (!batch.empty()) send(batch);
            if (batch.size() < batch_size) std::this_thread::sleep_for(5ms);
        }
    }

private:
    std::vector<job> take_due() {
        std::vector<job> batch;
        const auto current = now().steady_us;
        while (!jobs_.empty() && jobs_.top().at_us <= current && batch.size() < batch_size) {
            batch.push_back(jobs_.top());
            jobs_.pop();
        }
        return batch;
    }

    client::batch_request request_of(const job& j) const {
        if (j.cancel) return client::cancel_request{.id = id_of(j.timer)};
        const std::chrono::milliseconds delay{shared_.book.plan_of(j.timer).delay_ms};
        return client::set_request{.id = id_of(j.timer),
                                   .due = client::when::in(delay),
                                   .queue = "demo",
                                   .payload = "{\"n\":" + std::to_string(j.timer) + "}"};
    }

    void send(const std::vector<job>& batch) {
        std::vector<client::batch_request> requests;
        for (const auto& j : batch) requests.push_back(request_of(j));
        const auto sent = now();
        const unsigned incarnation = shared_.incarnation;
        std::size_t answered = 0;
        const auto whole = server_.batch(requests, [&](std::size_t i, client::batch_result r) {
            ++answered;
            take_answer(batch[i], r, sent, incarnation);
        });
        if (whole) return;
        for (auto i = answered; i < batch.size(); ++i) repeat(batch[i], whole.error());
        std::this_thread::sleep_for(20ms);
    }

    void take_answer(const job& j, const client::batch_result& r, moment sent,
                     unsigned incarnation) {
        if (!r) return repeat(j, r.error());
        if (const auto* outcome = std::get_if<client::cancel_outcome>(&r.value())) {
            return shared_.book.cancel_answered(j.timer, *outcome, now(), incarnation);
        }
        shared_.book.set_acknowledged(j.timer, std::get<client::timer_set>(r.value()), sent);
        if (const auto after = shared_.book.plan_of(j.timer).cancel_after_us) {
            jobs_.push({now().steady_us + *after, j.timer, true});
        }
    }

    /// A set or cancel whose answer was lost may or may not have been made: it is noted as unknown
    /// and asked for again until there is an answer.
    void repeat(const job& j, const client::client_error& e) {
        if (e.outcome_unknown() && j.cancel) shared_.book.cancel_unknown(j.timer);
        const bool passing =
            e.outcome_unknown() || e.try_later() || e.kind == client::error_kind::cannot_connect;
        if (!passing) shared_.fail("foliotd refused " + id_of(j.timer) + ": " + e.message);
        jobs_.push({now().steady_us, j.timer, j.cancel});
    }

    shared_state& shared_;
    client::client server_;
    std::priority_queue<job, std::vector<job>, std::greater<>> jobs_;
};

}  // namespace

void shared_state::fail(const std::string& why) {
    const std::lock_guard lock(mutex_);
    if (failure_.empty()) failure_ = why;
    stop = true;
}

std::string shared_state::failure() const {
    const std::lock_guard lock(mutex_);
    return failure_;
}

void produce(shared_state& s, std::size_t first, std::size_t step) {
    producer(s, first, step).run();
    --s.producing;
}

void consume(shared_state& s) {
    client::client server({.url = s.url});
    const client::lease_request lease{.queue = "demo", .max = 200, .wait = 500ms, .lease = 5000ms};
    while (!s.stop) {
        const unsigned incarnation = s.incarnation;
        const auto deliveries = server.lease(lease);
        const auto received = now();
        if (!deliveries) {
            std::this_thread::sleep_for(20ms);
            continue;
        }
        std::vector<std::string> tokens;
        for (const auto& d : deliveries.value()) {
            s.book.delivered(d, received, incarnation);
            tokens.push_back(d.token);
        }
        // An ack that is lost with the server means a second delivery, counted as a duplicate.
        if (!tokens.empty()) (void)server.ack("demo", tokens);
    }
}

}  // namespace foliot::demo

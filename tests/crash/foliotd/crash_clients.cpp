// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "crash/foliotd/crash_clients.hpp"

#include "client/client.hpp"

#include <algorithm>
#include <chrono>
#include <random>
#include <set>
#include <thread>
#include <variant>

namespace foliot::crash_test {

namespace {

using namespace std::chrono_literals;
using client::client_error;

crash_ledger::generation number_of(const std::string& generation) {
    return std::stoull(generation);
}

class dice {
public:
    explicit dice(std::uint64_t seed) : random_(seed) {}
    std::int64_t between(std::int64_t low, std::int64_t high) {
        return std::uniform_int_distribution<std::int64_t>(low, high)(random_);
    }
    bool percent(int share) { return between(0, 99) < share; }

private:
    std::mt19937_64 random_;
};

/// A change that will be asked for until it is answered.
struct intent {
    std::string id;
    bool cancel = false;
    bool absolute = false;
    std::int64_t delay_ms = 0;
    bool repeated = false;
};

class writer {
public:
    writer(arena& a, unsigned number)
        : arena_(a),
          name_("w" + std::to_string(number) + "-"),
          dice_(a.seed * 1000 + number),
          server_({.url = a.url, .connect_timeout = 1000ms, .request_timeout = 5000ms}) {}

    void run() {
        while (!arena_.stop_writing) {
            auto intents = choose();
            while (!intents.empty() && arena_.failures().empty()) intents = attempt(intents);
        }
    }

private:
    static constexpr std::int64_t ids = 300;

    std::vector<intent> choose() {
        const std::size_t many =
            dice_.percent(50) ? 1 : static_cast<std::size_t>(dice_.between(2, 40));
        std::set<std::string> used;
        std::vector<intent> out;
        while (out.size() < many) {
            intent next{.id = name_ + std::to_string(dice_.between(0, ids - 1))};
            if (!used.insert(next.id).second) continue;
            next.cancel = dice_.percent(35);
            next.absolute = dice_.percent(20);
            next.delay_ms = delay();
            out.push_back(std::move(next));
        }
        return out;
    }

    /// Mostly up to three seconds; some at once or long past; some minutes to months away.
    std::int64_t delay() {
        if (dice_.percent(10)) return dice_.between(600'000, 100LL * 86'400'000);
        if (dice_.percent(10)) return dice_.between(0, 3);
        return dice_.between(0, 3000);
    }

    client::batch_request request_of(const intent& i) const {
        if (i.cancel) return client::cancel_request{.id = i.id};
        client::set_request set{.id = i.id, .queue = queue_name, .payload = "\"" + i.id + "\""};
        set.due = i.absolute ? client::when::at_ms(now().wall_us / 1000 + i.delay_ms)
                             : client::when::in(std::chrono::milliseconds(i.delay_ms));
        return set;
    }

    /// Returns what is still to be asked for.
    std::vector<intent> attempt(const std::vector<intent>& intents) {
        std::vector<client::batch_request> requests;
        for (const auto& i : intents) requests.push_back(request_of(i));
        std::vector<intent> left;
        const auto sent = now();
        if (intents.size() == 1) {
            take(intents[0], send_single(requests[0]), sent, left);
            return left;
        }
        std::size_t answered = 0;
        const auto whole = server_.batch(requests, [&](std::size_t i, client::batch_result r) {
            ++answered;
            take(intents[i], r, sent, left);
        });
        for (auto i = answered; i < intents.size() && !whole; ++i) {
            take(intents[i], whole.error(), sent, left);
        }
        return left;
    }

    client::batch_result send_single(const client::batch_request& request) {
        using success = std::variant<client::timer_set, client::cancel_outcome>;
        if (const auto* set = std::get_if<client::set_request>(&request)) {
            auto reply = server_.set(*set);
            if (!reply) return std::move(reply).error();
            return success(*std::move(reply));
        }
        auto reply = server_.cancel(std::get<client::cancel_request>(request));
        if (!reply) return std::move(reply).error();
        return success(*reply);
    }

    void take(const intent& i, const client::batch_result& r, moment sent,
              std::vector<intent>& left) {
        if (!r) return keep(i, r.error(), left);
        if (const auto* outcome = std::get_if<client::cancel_outcome>(&r.value())) {
            arena_.ledger.cancelled(i.id,
                                    {.heard = now(), .outcome = *outcome, .repeated = i.repeated});
            return;
        }
        const auto& set = std::get<client::timer_set>(r.value());
        crash_ledger::set_event e{.sent = sent,
                                  .heard = now(),
                                  .gen = number_of(set.generation),
                                  .previous = {},
                                  .due_ms = set.due_ms,
                                  .delay_ms = {},
                                  .repeated = i.repeated};
        if (set.previous_generation) e.previous = number_of(*set.previous_generation);
        if (!i.absolute) e.delay_ms = i.delay_ms;
        arena_.ledger.set(i.id, e);
    }

    void keep(intent i, const client_error& e, std::vector<intent>& left) {
        const bool passing =
            e.outcome_unknown() || e.try_later() || e.kind == client::error_kind::cannot_connect;
        if (!passing) arena_.fail("refused " + i.id + ": " + e.code + ": " + e.message);
        i.repeated = i.repeated || e.outcome_unknown();
        left.push_back(std::move(i));
        if (left.size() == 1) std::this_thread::sleep_for(3ms);
    }

    arena& arena_;
    std::string name_;
    dice dice_;
    client::client server_;
};

class consumer {
public:
    consumer(arena& a, unsigned number)
        : arena_(a),
          dice_(a.seed * 1000 + 500 + number),
          server_({.url = a.url, .connect_timeout = 1000ms, .request_timeout = 5000ms}) {}

    void run() {
        while (!arena_.stop_consuming) {
            if (!lease_some()) std::this_thread::sleep_for(3ms);
        }
    }

private:
    using verb = crash_ledger::verb;

    bool lease_some() {
        const bool draining = arena_.draining;
        const bool short_lease = !draining && dice_.percent(20);
        const client::lease_request request{.queue = queue_name,
                                            .max = static_cast<std::size_t>(dice_.between(1, 30)),
                                            .wait = std::chrono::milliseconds(dice_.between(0, 40)),
                                            .lease = short_lease ? 300ms : 3000ms};
        const auto asked = now();
        const unsigned asked_life = arena_.life;
        const auto got = server_.lease(request);
        if (!got) {
            const auto& e = got.error();
            const bool passing = e.outcome_unknown() || e.try_later() ||
                                 e.kind == client::error_kind::cannot_connect;
            if (!passing) arena_.fail("lease refused: " + e.code + ": " + e.message);
            return false;
        }
        const auto received = now();
        for (const auto& d : got.value()) {
            arena_.ledger.delivered({.id = d.id,
                                     .gen = number_of(d.generation),
                                     .due_ms = d.due_ms,
                                     .asked = asked,
                                     .received = received,
                                     .lease_ms = request.lease.count(),
                                     .asked_life = asked_life,
                                     .received_life = arena_.life});
        }
        settle(got.value(), draining, short_lease);
        return true;
    }

    void settle(const std::vector<client::delivery>& all, bool draining, bool short_lease) {
        std::vector<client::delivery> to_ack;
        std::vector<client::delivery> to_nack;
        std::vector<client::delivery> to_extend;
        for (const auto& d : all) {
            if (draining) {
                to_ack.push_back(d);
            } else if (dice_.percent(15)) {
                to_nack.push_back(d);
            } else if (short_lease && dice_.percent(40)) {
                continue;  // forgotten: it comes back when the lease ends
            } else {
                if (dice_.percent(15)) to_extend.push_back(d);
                to_ack.push_back(d);
            }
        }
        send(verb::extend, to_extend);
        send(verb::nack, to_nack);
        send(verb::ack, to_ack);
    }

    void send(verb what, const std::vector<client::delivery>& deliveries) {
        if (deliveries.empty()) return;
        std::vector<std::string> tokens;
        const auto sent = now();
        for (const auto& d : deliveries) {
            tokens.push_back(d.token);
            arena_.ledger.settling(d.id, number_of(d.generation), sent);
        }
        const auto delay = std::chrono::milliseconds(dice_.between(0, 300));
        const auto reply = what == verb::ack    ? server_.ack(queue_name, tokens)
                           : what == verb::nack ? server_.nack(queue_name, tokens, delay)
                                                : server_.extend(queue_name, tokens, 3000ms);
        const auto heard = now();
        for (std::size_t i = 0; i < deliveries.size(); ++i) {
            crash_ledger::settle_event e{.id = deliveries[i].id,
                                         .gen = number_of(deliveries[i].generation),
                                         .what = what,
                                         .sent = sent,
                                         .heard = heard,
                                         .outcome = {},
                                         .delay_ms = delay.count()};
            if (reply && i < reply.value().size()) e.outcome = reply.value()[i].outcome;
            arena_.ledger.settled(e);
        }
    }

    arena& arena_;
    dice dice_;
    client::client server_;
};

}  // namespace

void arena::fail(const std::string& why) {
    const std::lock_guard lock(mutex_);
    failures_.push_back(why);
}

std::vector<std::string> arena::failures() const {
    const std::lock_guard lock(mutex_);
    return failures_;
}

void write_timers(arena& a, unsigned number) { writer(a, number).run(); }

void consume_timers(arena& a, unsigned number) { consumer(a, number).run(); }

}  // namespace foliot::crash_test

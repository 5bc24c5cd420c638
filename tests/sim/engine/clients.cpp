// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "sim/engine/clients.hpp"

#include "protocol/base64.hpp"
#include "sim/engine/machine.hpp"

#include <array>
#include <memory>
#include <numeric>

namespace foliot::sim {

using namespace std::chrono_literals;

namespace {

constexpr ns patience = 4s;  ///< of a client, for an answer
constexpr unsigned most_tries = 3;

/// An index, drawn by weight.
template <std::size_t N>
std::size_t draw(random_source& r, const std::array<unsigned, N>& weights) {
    auto at = r.below(std::accumulate(weights.begin(), weights.end(), 0U));
    for (std::size_t i = 0; i < N; ++i) {
        if (at < weights[i]) return i;
        at -= weights[i];
    }
    return 0;
}

}  // namespace

clients::clients(const plan& p, agenda& a, random_source r, network& n)
    : plan_(p), agenda_(a), random_(r), network_(n) {}

void clients::start() {
    working_ = true;
    next_request();
    for (unsigned i = 0; i < plan_.consumers; ++i) poll(i);
}

// --- requests -----------------------------------------------------------------------------------

void clients::next_request() {
    agenda_.after(random_.up_to(plan_.pace), [this] {
        if (!working_) return;
        one_request();
        next_request();
    });
}

void clients::one_request() {
    ++requests_;
    if (random_.one_in(plan_.burst_share)) return burst();
    const auto& c = plan_.commands;
    switch (draw<7>(random_, {c.set, c.cancel, c.get, c.list, c.dead, c.batch, c.wrong})) {
        case 0: return request(make_set());
        case 1: return request(make_cancel());
        case 2: return request(get_intent{some_name()});
        case 3: return list();
        case 4: return request(dead_intent{some_name().first, some_queue()});
        case 5: return batch();
        default: return request(wrong_intent{});
    }
}

timer_name clients::some_name() {
    const auto i = random_.below(plan_.ids);
    std::string id = "t" + std::to_string(i);
    if (i % 7 == 3) id += "/\xc3\xa4 %+";  // what a path must escape
    return {i % 5 == 4 ? "b" : "a", id};
}

std::string clients::some_queue() {
    const auto i = random_.below(plan_.queues);
    return i == 0 ? "default" : "q" + std::to_string(i);
}

condition clients::some_condition(const timer_name& n) {
    if (!random_.one_in(plan_.conditions)) return {};
    const auto known = generations_.find(n);
    if (known == generations_.end() || random_.coin()) return {true, {}};
    return {false, known->second};
}

set_intent clients::make_set() {
    set_intent s;
    s.name = some_name();
    s.queue = some_queue();
    const auto pad = std::string(random_.below(plan_.padding + 1), 'x');
    const auto number = std::to_string(++payloads_);
    s.payload = "{\"n\": " + number + ", \"x\":1.10,\"pad\":\"" + pad + "\"}";
    if (random_.one_in(8)) {
        s.payload =
            '"' +
            protocol::base64_encode("bytes " + number + pad, protocol::base64_form::standard) + '"';
    }
    const bool far = random_.one_in(plan_.far_share);
    s.delay = ms{random_.up_to(far ? plan_.far_delay : plan_.near_delay) / 1ms};
    if (random_.one_in(plan_.wall_share)) {
        s.clock = store::clock_kind::wall;
        const ns due = network_.wall() + s.delay - (random_.one_in(10) ? 1h : 0h);
        s.due_ms = tick{static_cast<std::uint64_t>(due / 1ms)};
    }
    s.require = some_condition(s.name);
    return s;
}

cancel_intent clients::make_cancel() {
    cancel_intent c{some_name(), {}};
    c.require = some_condition(c.name);
    c.require.absent = false;
    return c;
}

void clients::burst() {
    const auto first = make_set();
    for (auto n = random_.between(5, 40); n > 0; --n) {
        auto s = make_set();
        s.clock = first.clock;
        s.delay = first.delay;
        s.due_ms = first.due_ms;
        request(std::move(s));
    }
}

void clients::batch() {
    std::vector<intent> lines;
    const auto ns_name = some_name().first;
    for (auto n = random_.between(1, 12); n > 0; --n) {
        if (random_.one_in(4)) {
            auto c = make_cancel();
            c.name.first = ns_name;
            lines.emplace_back(std::move(c));
        } else {
            auto s = make_set();
            s.name.first = ns_name;
            lines.emplace_back(std::move(s));
        }
    }
    auto text = write_batch(lines, random_);
    send(std::move(text), std::move(lines), true, 1);
}

void clients::list() {
    list_intent l{some_name().first, random_.coin() ? "" : "t1", true};
    auto text = write_list(l, random_.between(1, 60), {});
    network_.send(std::move(text), {l}, false, [this, l](const auto* all) { follow(l, all, 1); });
}

void clients::follow(const list_intent& l, const std::vector<answer_seen>* all, unsigned pages) {
    const auto* page = all ? std::get_if<page_answer>(&all->front()) : nullptr;
    if (!page || page->cursor.empty() || pages > 20) return;
    list_intent next = l;
    next.first_page = false;
    network_.send(write_list(next, random_.between(1, 60), page->cursor), {next}, false,
                  [this, l, pages](const auto* more) { follow(l, more, pages + 1); });
}

void clients::request(intent what) {
    auto text = write(what, random_);
    send(std::move(text), {std::move(what)}, false, 1);
}

/// Who hears nothing, or that the store failed, says it again, in the same words.
void clients::send(http_text text, std::vector<intent> meant, bool batch, unsigned tries) {
    auto answered = std::make_shared<bool>(false);
    const auto again = [this, text, meant, batch, tries, answered] {
        if (*answered) return;
        *answered = true;
        if (tries < most_tries && working_) send(text, meant, batch, tries + 1);
    };
    network_.send(text, meant, batch, [=, this](const auto* all) {
        const auto* f = all ? std::get_if<refusal>(&all->front()) : nullptr;
        if (!all || (f && f->open())) return again();
        *answered = true;
        remember(meant, *all);
    });
    agenda_.after(patience, again);
}

void clients::remember(const std::vector<intent>& meant, const std::vector<answer_seen>& all) {
    for (std::size_t i = 0; i < meant.size(); ++i) {
        const auto* s = std::get_if<set_intent>(&meant[i]);
        const auto* a = std::get_if<set_answer>(&all[i]);
        if (s && a) generations_[s->name] = a->gen;
    }
}

// --- consumers ----------------------------------------------------------------------------------

void clients::poll(unsigned consumer) {
    if (!working_) return;
    const lease_intent l{random_.one_in(4) ? "b" : "a", some_queue(),
                         random_.between(1, plan_.lease_max), plan_.lease,
                         ms{random_.up_to(plan_.wait) / 1ms}};
    auto over = std::make_shared<bool>(false);
    const auto next = [this, consumer, over] {
        if (*over) return;
        *over = true;
        agenda_.after(ms{1} + random_.up_to(300ms), [this, consumer] { poll(consumer); });
    };
    const auto number = network_.send(write(l, random_), {l}, false, [this, next](const auto* all) {
        if (const auto* a = all ? std::get_if<lease_answer>(&all->front()) : nullptr) {
            for (const auto& d : a->given) work(d.what);
        }
        next();
    });
    // Some leave before the answer.
    const ns stays = random_.one_in(6) ? random_.up_to(l.wait) : ns{l.wait} + patience;
    agenda_.after(stays, [this, over, next, number] {
        if (*over) return;
        network_.give_up(number);
        next();
    });
}

void clients::work(const held_delivery& d) {
    const auto& f = plan_.deliveries;
    const ns quick = random_.up_to(100ms);
    const ns lease = plan_.lease;
    switch (draw<7>(random_, {f.ack, f.slow, f.dies, f.nack, f.extend, f.old_token, f.late})) {
        case 0: agenda_.after(quick, [=, this] { settle(verb::ack, d); }); break;
        case 1: agenda_.after(random_.up_to(lease), [=, this] { settle(verb::ack, d); }); break;
        case 2: break;
        case 3: agenda_.after(quick, [=, this] { settle(verb::nack, d); }); break;
        case 4:
            agenda_.after(random_.up_to(lease), [=, this] {
                settle(verb::extend, d);
                if (random_.coin()) {
                    agenda_.after(random_.up_to(lease), [=, this] { settle(verb::ack, d); });
                }
            });
            break;
        case 5:
            agenda_.after(quick, [=, this] {
                if (!old_.empty()) settle(verb::ack, old_[random_.below(old_.size())]);
            });
            break;
        default:
            agenda_.after(lease + random_.up_to(lease * 2), [=, this] { settle(verb::ack, d); });
    }
    if (old_.size() < 50) {
        old_.push_back(d);
    } else {
        old_[random_.below(old_.size())] = d;
    }
}

void clients::settle(verb how, const held_delivery& d) {
    settle_intent s{d.name.first, d.queue, how, {d}, {}, plan_.lease};
    // Several at once, if they are of the same queue.
    for (auto n = random_.below(3); n > 0; --n) {
        const auto& other = old_[random_.below(old_.size())];
        const bool fits = other.name.first == s.space && other.queue == s.queue &&
                          other.token != d.token && how == verb::ack;
        if (fits && s.what.size() < 2 && plan_.deliveries.old_token > 0) s.what.push_back(other);
    }
    if (how == verb::nack && random_.coin()) s.delay = ms{random_.up_to(plan_.near_delay) / 1ms};
    auto text = write(s, random_);
    send(std::move(text), {std::move(s)}, false, 1);
}

}  // namespace foliot::sim

// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "sim/engine/server.hpp"

#include <stdexcept>
#include <utility>

namespace foliot::sim {

void server::arrives(exchange e) {
    const auto number = e.number;
    protocol::http_request request{e.text.method, e.text.target, e.text.body, {}, {}};
    if (e.text.if_match) request.if_match = *e.text.if_match;
    if (e.text.if_none_match) request.if_none_match = *e.text.if_none_match;
    auto parsed = protocol::parse_http(request, limits_);
    open_.emplace(number, std::move(e));
    const auto ask = [&](protocol::call& c, std::size_t line) {
        parts_.emplace(++last_request_, part{number, line, std::move(c.how)});
        inbox_.emplace_back(engine::request{last_request_, std::move(c.what)});
    };
    if (auto* one = std::get_if<protocol::call>(&parsed)) {
        ask(*one, 0);
    } else if (auto* many = std::get_if<protocol::batch>(&parsed)) {
        auto& l = batches_[number];
        l.done.resize(many->lines.size());
        for (std::size_t i = 0; i < many->lines.size(); ++i) {
            if (auto* c = std::get_if<protocol::call>(&many->lines[i])) {
                ++l.missing;
                ask(*c, i);
            } else {
                l.done[i] = std::get<std::string>(many->lines[i]);
            }
        }
        if (l.missing == 0) throw std::runtime_error("no line of a batch was right");
    } else if (auto* refused = std::get_if<protocol::http_response>(&parsed)) {
        finish(number, *refused);
    } else {
        throw std::runtime_error("an operational page was asked for");
    }
}

void server::leaves(std::uint64_t number) {
    for (const auto& [request, p] : parts_) {
        if (p.exchange == number) inbox_.emplace_back(engine::abandon{request});
    }
}

void server::store_answers(engine::io_done d) { inbox_.emplace_back(std::move(d)); }

void server::stops() { inbox_.emplace_back(engine::stop{}); }

std::size_t server::waiting() const {
    std::size_t n = 0;
    for (const auto& [number, e] : open_)
        n += std::holds_alternative<lease_intent>(e.meant.front());
    return n;
}

engine::outputs server::step(engine::instant now) {
    auto inputs = std::exchange(inbox_, {});
    auto out = engine_.step(now, inputs);
    // An abandoned long poll is over, unless its answer is in this step.
    std::vector<std::uint64_t> left;
    for (const auto& i : inputs) {
        if (const auto* a = std::get_if<engine::abandon>(&i)) left.push_back(a->id);
    }
    for (auto& a : out.answers) answer(a);
    for (const auto id : left) {
        const auto at = parts_.find(id);
        if (at == parts_.end()) continue;
        if (!std::holds_alternative<lease_intent>(open_.at(at->second.exchange).meant.front())) {
            continue;
        }
        open_.erase(at->second.exchange);
        parts_.erase(at);
    }
    return out;
}

void server::answer(engine::answer& a) {
    auto node = parts_.extract(a.to);
    if (node.empty()) throw std::runtime_error("an answer to nobody, or a second one");
    part p = std::move(node.mapped());
    const auto batch = batches_.find(p.exchange);
    if (batch == batches_.end()) return finish(p.exchange, protocol::render(p.how, a.what));
    batch->second.done[p.line] = protocol::render_batch_line(p.how, a.what);
    if (--batch->second.missing > 0) return;
    std::string joined;
    for (const auto& l : batch->second.done) joined += l;
    batches_.erase(batch);
    finish(p.exchange, protocol::batch_response(std::move(joined)));
}

void server::finish(std::uint64_t number, const protocol::http_response& r) {
    auto node = open_.extract(number);
    if (!node.empty()) respond_(std::move(node.mapped()), r);
}

}  // namespace foliot::sim

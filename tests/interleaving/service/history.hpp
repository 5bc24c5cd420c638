// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "support/interleaving/explore.hpp"
#include "support/interleaving/linearizable.hpp"

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

namespace foliot {

/// The end of what may have happened at any time.
inline constexpr std::uint32_t never = 0xFFFF'FFF0;

/// What the threads of one execution called, and what came back, in the order in which it did. That
/// a call ends before another begins is something that threads can notice, so both are steps of the
/// execution: each touches the timers that it is about.
template <class Model, class Step>
class history {
public:
    using position = std::uint32_t;

    /// A call begins.
    position begins(const std::string& call, std::initializer_list<unsigned> timers) {
        return mark("calls", interleaving::access::invoke, call, timers);
    }
    /// It ends, and was these steps.
    void ends(position from, const std::string& call, std::initializer_list<unsigned> timers,
              std::initializer_list<Step> was) {
        const position to = mark("has", interleaving::access::respond, call, timers);
        for (const Step& s : was) calls_.push_back({s, from, to});
    }
    /// A callback begins, at a time of the clock; its start was between `from` and now.
    void started(position from, const std::string& call, unsigned timer, Step start) {
        interleaving::operation op("has");
        op.on(objects_[timer].number(), interleaving::access::respond)
            .on(interleaving::execution::clock_object, interleaving::access::read);
        take(op, call);
        start.time = interleaving::execution::now().time();
        calls_.push_back({start, from, position_});
    }
    /// A step within what is known of it.
    void was(position from, position to, const Step& s) { calls_.push_back({s, from, to}); }

    /// Whether it is one that the model can have.
    template <class Accept>
    [[nodiscard]] bool linearizable(const Model& begin, Accept accept) const {
        const auto apply = [](Model& m, const Step& s) { return m.apply(s); };
        return interleaving::linearizable<Model, Step>(
            std::span<const interleaving::call<Step>>(calls_), begin, apply, accept);
    }

private:
    position mark(const char* what, interleaving::access how, const std::string& call,
                  std::initializer_list<unsigned> timers) {
        interleaving::operation op(what);
        for (const unsigned t : timers) op.on(objects_[t].number(), how);
        return take(op, call);
    }
    position take(const interleaving::operation& op, const std::string& call) {
        auto& e = interleaving::execution::now();
        e.await_turn(interleaving::request(op));
        e.happened(op, call);
        return ++position_;
    }

    position position_ = 0;
    std::vector<interleaving::call<Step>> calls_;
    std::array<interleaving::identity, interleaving::operation::most_touches> objects_;
};

}  // namespace foliot

// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/engine.hpp"
#include "store/due_store.hpp"

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace foliot::test {

/// An engine on a store and clocks that the test moves by hand. No thread: store requests run when
/// the test says so, at once by default.
class engine_world {
public:
    using ms = std::chrono::milliseconds;
    using ns = std::chrono::nanoseconds;

    /// 2027-01-15T08:00:00Z, far from any boundary that matters.
    static constexpr ns start_of_time = std::chrono::seconds{1'800'000'000};

    explicit engine_world(store::due_store& store, engine::options o = {});

    /// A new engine on the same store, as after a crash: all that was in memory is gone. Or on a
    /// machine that booted anew: its steady clock starts over.
    void restart();
    void reboot();

    void pass(ns d);           ///< both clocks go on; then steps until nothing is left to do
    void pass_in_steps(ns d);  ///< the same, with a step at each wake-up on the way
    void step_wall(ns by) { wall_ += by; }
    void settle();  ///< step and run io until the engine asks for nothing at once

    engine::request_id send(engine::command c);
    [[nodiscard]] bool answered(engine::request_id id) const { return answers_.contains(id); }
    template <class T>
    [[nodiscard]] T take(engine::request_id id);
    [[nodiscard]] std::optional<engine::reply> try_take(engine::request_id id);
    void give(engine::input i);

    /// Send, settle, and take the answer, which must be of this kind.
    template <class T>
    T ask(engine::command c) {
        const auto id = send(std::move(c));
        settle();
        return take<T>(id);
    }

    /// Shorthands; namespace "n", queue "q".
    engine::timer_set set(std::string id, engine::after delay, std::string payload = "null");
    engine::timer_set set_at(std::string id, tick wall_ms);
    engine::cancel_outcome cancel(std::string id);
    std::vector<engine::delivery> lease(std::size_t max = 10, ms lease = ms{30000});
    engine::settle_outcome settle_token(engine::settlement how, const engine::delivery& d,
                                        std::optional<ns> delay = {}, ms lease = ms{30000});
    engine::settle_outcome ack(const engine::delivery& d) {
        return settle_token(engine::settlement::ack, d);
    }
    std::optional<engine::timer_view> get(std::string id);
    std::vector<std::string> list_ids(std::size_t page = 100, std::string prefix = {});

    [[nodiscard]] engine::stats stats() const { return engine_->snapshot(); }
    [[nodiscard]] engine::instant now() const { return {steady_, wall_}; }
    [[nodiscard]] tick wall_ms() const { return {static_cast<std::uint64_t>(wall_ / ms{1})}; }

    bool hold_io = false;  ///< store requests wait in `held` for run_io()
    std::deque<engine::io> held;
    using held_io = std::deque<engine::io>::iterator;
    void run_io() { give(execute(held.begin())); }  ///< run the first of `held`
    engine::io_done execute(held_io which);  ///< run one; its result is given to the engine later
    bool stopped = false;

private:
    void step();
    engine::store_reply call_store(engine::store_request& r);

    store::due_store& store_;
    engine::options options_;
    std::optional<engine::engine> engine_;
    ns steady_ = std::chrono::hours{1};
    ns wall_ = start_of_time;
    engine::request_id last_request_ = 0;
    std::vector<engine::input> inbox_;
    std::map<engine::request_id, engine::reply> answers_;
    std::optional<ns> wake_at_;
};

template <class T>
T engine_world::take(engine::request_id id) {
    auto node = answers_.extract(id);
    if (node.empty()) throw std::runtime_error("no answer yet");
    if (auto* f = std::get_if<engine::failure>(&node.mapped());
        f && !std::is_same_v<T, engine::failure>) {
        throw std::runtime_error("failure: " + f->message);
    }
    return std::get<T>(std::move(node.mapped()));
}

}  // namespace foliot::test

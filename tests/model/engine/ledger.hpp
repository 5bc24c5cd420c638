// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/engine.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace foliot::test {

/// What clients may believe about one timer id, from the answers they got. Where an answer was lost
/// or said "unknown", several states are possible at once.
struct belief {
    struct state {
        bool present = false;
        std::optional<store::sequence> generation;  ///< absent: set without an answer
        store::due_point due;                       ///< on the engine's clocks
        std::size_t since = 0;  ///< how many readings of the wall clock there were when it was set

        friend bool operator==(const state&, const state&) = default;
    };
    std::vector<state> possible{state{}};

    void know(state s) { possible = {s}; }
    void add(state s);
    [[nodiscard]] bool certainly_present() const;
    [[nodiscard]] bool certainly_absent() const;
    /// The state that a delivery or a view of this generation proves; null if it contradicts all.
    [[nodiscard]] const state* match(store::sequence generation) const;
};

/// The oracle of the engine: it hears every command and answer, and every delivery, and says what
/// is wrong. An empty string means nothing.
class ledger {
public:
    /// The clocks stand here now. A wall-clock timer that came due stays due when that clock is
    /// stepped back afterwards.
    void wall_is(tick now) { wall_.push_back(now); }
    [[nodiscard]] std::size_t readings() const { return wall_.size(); }

    belief& of(const std::string& id) { return beliefs_[id]; }

    /// A delivery at these clocks. Wrong: early, of a timer that is certainly gone, of an older
    /// generation, or while another lease of the same generation lives. `undecided`: a command on
    /// this id has no answer yet, so what the delivery shows may be over by now.
    std::string delivered(const engine::delivery& d, tick service_now, tick lease_end,
                          bool undecided);

    /// The lease of this delivery is over: settled, or the consumer gave up.
    void lease_over(const std::string& id) { leases_.erase(id); }
    /// The engine forgot leases that were only in its memory.
    void crashed() { leases_.clear(); }
    [[nodiscard]] bool lease_lives(const engine::delivery& d, tick service_now) const;

    [[nodiscard]] std::vector<std::string> ids_possibly_present() const;
    [[nodiscard]] const std::map<std::string, belief>& all() const { return beliefs_; }

private:
    [[nodiscard]] tick latest_wall(const belief::state& s) const;

    struct live_lease {
        store::sequence generation;
        std::uint32_t attempt = 0;
        tick end;
    };
    std::vector<tick> wall_;
    std::map<std::string, belief> beliefs_;
    std::map<std::string, live_lease> leases_;
};

}  // namespace foliot::test

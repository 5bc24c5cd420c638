// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/engine.hpp"
#include "sim/engine/agenda.hpp"
#include "sim/engine/disk.hpp"
#include "sim/engine/plan.hpp"
#include "sim/engine/trace.hpp"

#include <deque>
#include <functional>
#include <optional>
#include <vector>

namespace foliot::sim {

/// The store and its threads, in simulated time. Writes are made one after the other, each at one
/// instant between its request and its answer. Reads see the disk at one instant of theirs, and are
/// answered in any order.
///
/// Under fdatasync a commit that was answered stays whatever happens; under os_cache the machine's
/// end may take the commits since the last sync away, the latest first.
class sim_store {
public:
    struct listener {
        std::function<void(store::epoch)> acquired;
        std::function<void(const engine::commit_request&)> committed;
    };

    sim_store(const plan& p, agenda& a, trace& t, random_source r, listener l);

    /// `done` is called once, at a later time; not at all if the process ends before that.
    void submit(engine::io request, std::function<void(engine::io_done)> done);

    /// The process is gone: nothing is answered any more. Writes that it had begun may be made yet.
    void process_ends();
    /// The machine is gone too. Returns since when commits are lost, if any are.
    std::optional<ns> machine_ends();

    void faults(bool on) { faults_ = on; }
    [[nodiscard]] bool idle() const { return open_ == 0; }
    [[nodiscard]] const disk& now() const { return disk_; }
    [[nodiscard]] std::uint64_t failures() const { return failures_; }

private:
    enum class fate : std::uint8_t { good, before, after };
    struct job {
        engine::io request;
        std::function<void(engine::io_done)> done;
        std::uint64_t process = 0;
        std::uint64_t machine = 0;
    };

    void next_write();
    void begin_write(job j);
    void write_late(job j);
    fate draw_fate();
    ns draw_delay();
    engine::store_reply carry_out(const engine::store_request& r, fate f);
    engine::store_reply commit(const engine::commit_request& c);
    void answer(const job& j, engine::store_reply what);

    const plan& plan_;
    agenda& agenda_;
    trace& trace_;
    random_source random_;
    listener listener_;
    disk disk_;
    disk synced_;
    std::vector<std::pair<ns, store::batch>> unsynced_;  ///< os_cache only
    std::deque<job> writes_;
    bool writing_ = false;
    bool faults_ = true;
    bool broken_ = false;  ///< until it is acquired
    std::uint64_t process_ = 1;
    std::uint64_t machine_ = 1;
    std::size_t open_ = 0;
    std::uint64_t failures_ = 0;
    std::uint64_t starting_ = 0;
};

}  // namespace foliot::sim

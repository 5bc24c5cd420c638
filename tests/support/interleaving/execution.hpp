// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "support/interleaving/fiber.hpp"
#include "support/interleaving/operation.hpp"
#include "support/interleaving/strategy.hpp"
#include "support/interleaving/vector_clock.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace foliot::interleaving {

class mutex;
class condition_variable;

/// When a timed wait may end because its time is over, and the clock goes on with it.
enum class time_passes : std::uint8_t {
    when_all_wait,  // only when no thread can do anything else: machines are fast
    at_any_moment,  // as one more thing that may happen: machines are slow
};

/// How an execution is made.
struct execution_rules {
    time_passes time = time_passes::when_all_wait;
    unsigned spurious = 0;  // wake-ups for no reason that each thread may have
    std::size_t max_steps = 20'000;
};

/// What a thread is about to do, and when it can.
struct request {
    request() = default;
    explicit request(const operation& op) noexcept : what(op) {}

    operation what;
    mutex* free = nullptr;                // this has to be free
    condition_variable* waits = nullptr;  // and it must have been notified, or ends by itself
    operation woken;                      // what it does if it was notified
    std::optional<unsigned> ended;        // this thread must have ended
};

/// One execution of a scenario: its threads, of which one runs at a time, and who is next. The
/// objects by which they meet (objects.hpp) ask it for their turn before each step.
class execution {
public:
    /// The one under way.
    [[nodiscard]] static execution& now() noexcept { return *current; }
    /// Whether the caller is a thread of one.
    [[nodiscard]] static bool inside() noexcept { return current != nullptr && current->inside_; }

    execution();
    execution(const execution&) = delete;
    execution& operator=(const execution&) = delete;
    ~execution();

    struct result {
        std::string failure;                // empty: none
        std::vector<std::uint8_t> choices;  // all that were made
        std::size_t steps = 0;
        std::vector<std::string> trace;  // if asked for
    };
    result run(const std::function<void()>& scenario, strategy& decides,
               const execution_rules& rules, bool trace);

    // ---- for the objects ----------------------------------------------------------------------

    [[nodiscard]] unsigned self() const noexcept { return self_; }
    [[nodiscard]] std::uint32_t add_object() {
        ended_.push_back(false);
        return static_cast<std::uint32_t>(ended_.size() - 1);
    }
    void end_object(std::uint32_t object) { ended_[object] = true; }
    [[nodiscard]] unsigned start(std::function<void()> body);

    /// Returns when it is this thread's turn to do it; then it is done.
    void await_turn(const request& r);
    void happened(const operation& what, const std::string& note = {});
    void has_joined(unsigned ended);
    [[nodiscard]] std::uint32_t events() const { return decides_->events(); }
    [[nodiscard]] unsigned pick(unsigned count);

    /// Ends the execution here and now, which has failed. Nothing is unwound.
    [[noreturn]] void fail(const std::string& why);
    /// The same for at_end.
    void has_failed(const std::string& why);

    // ---- waits --------------------------------------------------------------------------------

    void begins_wait(std::optional<std::chrono::nanoseconds> until);
    void notified(unsigned thread);
    [[nodiscard]] bool is_notified(unsigned thread) const { return threads_[thread]->notified; }
    struct woken {
        bool notified;
        bool time_over;  // of itself, and not notified
        std::uint32_t by;
    };
    woken ends_wait();
    /// Whether the wait that has begun may end without a notify.
    [[nodiscard]] bool may_end_early() const {
        return threads_[self_]->timed || threads_[self_]->for_no_reason;
    }
    /// Whether the end of a wait, and not only of all waits, changes the time.
    [[nodiscard]] bool waits_change_time() const noexcept {
        return rules_.time == time_passes::at_any_moment;
    }
    [[nodiscard]] std::chrono::nanoseconds time() const noexcept { return time_; }
    void set_time(std::chrono::nanoseconds t) noexcept { time_ = t; }
    /// The clock's number, for those who touch it.
    static constexpr std::uint32_t clock_object = 0;

    void name_this_thread(const char* name) { threads_[self_]->name = name; }
    void at_end(std::function<void()> check) { at_end_.push_back(std::move(check)); }

private:
    struct thread_state {
        fiber stack{std::size_t{256} * 1024};
        const request* wants = nullptr;  // on its own stack; null when it has ended
        const char* name = "";
        bool ended = false;
        std::optional<unsigned> starts_for;  // who waits for its first request
        // Its wait.
        bool notified = false;
        bool expired = false;  // its time was over when all waited
        bool timed = false;
        std::chrono::nanoseconds until{};
        std::uint32_t notified_by = operation::none;
        unsigned spurious = 0;       // wake-ups that it had
        bool for_no_reason = false;  // this wait will end so, if not otherwise

        [[nodiscard]] bool waits_for_time() const noexcept {
            return !ended && wants->waits != nullptr && timed && !notified && !expired;
        }
    };

    void body_of(unsigned thread, const std::function<void()>& body);
    void pass_on();
    void go_on_elsewhere();
    [[nodiscard]] std::optional<unsigned> choose();
    [[nodiscard]] bool possible(const thread_state& t) const;
    [[nodiscard]] bool is_too_late(const request& r) const;
    [[nodiscard]] bool may_end_by_itself(const thread_state& t) const;
    [[nodiscard]] std::optional<std::chrono::nanoseconds> first_end_of_a_wait() const;
    void let_time_pass(std::chrono::nanoseconds end);
    [[nodiscard]] std::string who_waits_for_what() const;
    [[nodiscard]] std::string label(unsigned thread) const;
    void note(const std::string& line);

    static inline execution* current = nullptr;

    fiber root_;
    std::vector<std::unique_ptr<thread_state>> threads_;  // stacks are kept
    std::array<const operation*, max_threads> next_{};
    unsigned count_ = 0;
    unsigned self_ = 0;
    bool inside_ = false;
    strategy* decides_ = nullptr;
    execution_rules rules_;
    bool tracing_ = false;
    std::vector<bool> ended_;  // by object
    std::chrono::nanoseconds time_{};
    std::vector<std::function<void()>> at_end_;
    result result_;
};

/// What thread_local variables of thread 0, 1, ... of each execution begin with: what `prelude`,
/// called once for each, left in them.
void prepare_threads(const std::function<void()>& prelude);

}  // namespace foliot::interleaving

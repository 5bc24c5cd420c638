// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <foliot/service/detail/delayed_core.hpp>
#include <foliot/service/detail/delayed_table.hpp>
#include <foliot/service/detail/sync.hpp>
#include <foliot/service/timer_service.hpp>
#include <foliot/time/detail/contract.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <functional>
#include <initializer_list>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace foliot {

/// Something that completes once: when its condition is met, or else when its timeout is over.
///
/// try_complete, and a completion by timeout, never run at the same time for one operation, so its
/// own members need no lock unless others call force_complete or read them.
class delayed_operation : public detail::delayed_core {
public:
    /// Completes it, if nobody has: ends the wait for its timeout and calls on_complete. True for
    /// the one caller who did. Anybody who holds the operation may call it, also after
    /// cancel_for_key (but try_complete then gets false), or when delayed_operations is gone.
    bool force_complete() { return delayed_core::force_complete(); }

    /// Whether that was done; on_complete may still be running.
    [[nodiscard]] bool completed() const noexcept { return delayed_core::completed(); }

protected:
    /// Looks whether the condition holds; if so, returns force_complete(), else false. It should
    /// only look: what acts belongs into on_complete.
    bool try_complete() override = 0;
    /// What is to be done then. Exactly once.
    void on_complete() override = 0;
    /// After on_complete, if it was the timeout.
    void on_expiration() override {}
};

/// What delayed_operations may be told.
struct delayed_operations_options {
    /// Locked parts of the map of watchers, 1 to 65536; a key belongs to one of them.
    std::size_t parts = 64;
    /// All lists are swept when they have more entries of operations that are over than this, and
    /// than entries of others.
    std::size_t purge_threshold = 1000;
    /// When a timeout that the service rejected or shed for want of room comes again. Positive.
    std::chrono::nanoseconds retry_after = std::chrono::milliseconds{10};
};

// Operations that wait for a condition that depends on keys, and no longer than a timeout: a
// produce request that waits for its replicas, a fetch that waits for data, a long poll. Each
// completes once, by whichever comes first. It is Kafka's purgatory.
//
//     struct produce : foliot::delayed_operation {
//         bool try_complete() override { return acks >= 2 && force_complete(); }
//         void on_complete() override { answer(acks >= 2 ? "done" : "timed out"); }
//         std::atomic<int> acks = 0;
//     };
//     foliot::delayed_operations<std::string> waiting(timers);
//     waiting.try_complete_else_watch(request, {"orders-0"}, 30s);
//     ...
//     ++request->acks;                          // first change what the condition looks at,
//     waiting.check_and_complete("orders-0");   // then say so
//
// Pick it where many conditions are met early, on events that have a name. Where nothing but time
// counts, take a timer; where each event belongs to one operation that you hold, a timer and its
// cancel().
//
// **No completion is missed.** An operation is tried, watched under all its keys, and tried once
// more; only then the timeout starts. So a condition that was met before the first check could see
// the operation is seen by the second try. A check that finds another thread inside the operation
// leaves word instead of waiting, and that thread looks again before it leaves: the condition must
// have been changed before check_and_complete is called. What that thread completes, it counts.
//
// **Watcher lists** lose an operation that is over (completed, or dropped by cancel_for_key) when
// its key is checked, and all of them when `purge_threshold` says so, on the thread that ended the
// last one. So they never have more entries of such than of open ones, or than the threshold.
//
// **User code** (try_complete, on_complete, on_expiration, destructors) runs without a lock, on the
// thread that checks, or a worker of the service. It may call everything here, and destroy this.
// A check of a key that its thread is checking already returns 0 at once and is made further out,
// when the operations at hand are done; checks of other keys are made at once, and nest.
// try_complete is to look: one that asks for itself to be tried is tried again while that completes
// something, and once more.
//
// **When the service stops**, operations still complete by a check, but expire no more, and are not
// delayed(); so too those that come later. A timeout that it rejected or shed for want of room is
// asked for again. When this is destroyed, what is open is dropped as by cancel_for_key.
//
// Time:    try_complete_else_watch O(keys), check_and_complete O(operations watched under the key),
//          and their tries. A sweep O(entries), that is O(1) for each one it removes.
// Threads: any thread may call everything. One mutex, of the key's part, is held while a list is
//          copied or changed; of the caller's code only copies, destruction, Hash and == of Key run
//          under it. The service must not be destroyed before this is.
// Memory:  72 bytes for an operation's base, a shared_ptr for each of its keys, a timer. A key
//          without watchers has none.
// Errors:  the constructor throws std::invalid_argument that names the option. What an operation
//          throws comes out of the call that ran it (by timeout: told to the service's on_failure).
//          check_and_complete first tries all others, and throws the first. An operation whose
//          on_complete threw is completed; one that threw in try_complete_else_watch, or when there
//          was no memory (std::bad_alloc), is not watched. Hash and == of Key must not throw.
//          Broken preconditions end the process.
// Order:   operations under a key are tried as they were watched.
template <class Key, class Hash = std::hash<Key>, timer_queue Queue = hierarchical_wheel<>>
class delayed_operations {
public:
    using operation_ptr = std::shared_ptr<delayed_operation>;

    explicit delayed_operations(basic_timer_service<Queue>& timers,
                                const delayed_operations_options& options = {})
        : timers_(timers), retry_(options.retry_after), table_(make_table(options)) {}
    delayed_operations(const delayed_operations&) = delete;
    delayed_operations& operator=(const delayed_operations&) = delete;

    /// Drops what is open. An operation that is expiring at this moment may go on.
    ~delayed_operations() { table_->drop_all(); }

    /// True: this call completed it. Else it waits, or somebody else has completed it meanwhile. At
    /// least one key; an operation is given away once (both checked). A timeout that is not
    /// positive means at once.
    template <class Rep, class Period>
    bool try_complete_else_watch(operation_ptr op, std::span<const Key> keys,
                                 std::chrono::duration<Rep, Period> timeout) {
        detail::require(op != nullptr && !keys.empty(), "no operation to watch, or no key");
        const auto watched = table_;
        auto& timers = timers_;
        const auto retry = retry_;
        op->join(watched);
        if (op->attempt()) return true;
        try {
            for (const Key& key : keys) {
                if (!op->over() && !watched->watch(key, op)) op->withdraw();
            }
            if (op->attempt()) return true;
            if (op->begin_wait()) {
                expiry::start(op, timers, detail::to_nanoseconds(timeout), retry);
            } else {  // it may have ended before it was in all lists
                watched->sweep_if_needed();
            }
        } catch (...) {
            op->withdraw();
            throw;
        }
        return false;
    }

    template <class Rep, class Period>
    bool try_complete_else_watch(operation_ptr op, std::initializer_list<Key> keys,
                                 std::chrono::duration<Rep, Period> timeout) {
        return try_complete_else_watch(std::move(op), std::span(keys.begin(), keys.size()),
                                       timeout);
    }

    /// Tries the operations watched under `key`, and says how many that completed.
    std::size_t check_and_complete(const Key& key) {
        const auto watched = table_;
        if (watched->leave_to_check_further_out(key)) return 0;
        auto found = watched->watchers(key);
        return found.empty() ? 0 : watched->check(Key(key), std::move(found));
    }

    /// Drops what is watched under `key`, and returns it: no check tries it any more, under other
    /// keys neither, and it does not expire. It is not completed: that is up to the caller
    /// (force_complete).
    std::vector<operation_ptr> cancel_for_key(const Key& key) {
        std::vector<operation_ptr> dropped = table_->take(key);
        std::erase_if(dropped, [](const operation_ptr& op) { return !op->withdraw(); });
        return dropped;
    }

    /// Sweeps all lists now.
    void purge() noexcept {
        const auto watched = table_;
        watched->sweep();
    }

    /// Entries in watcher lists: one for each key of an operation, until it is removed.
    [[nodiscard]] std::size_t watched() const noexcept { return gauge(table_->watched); }
    /// Operations that wait for their timeout.
    [[nodiscard]] std::size_t delayed() const noexcept { return gauge(table_->delayed); }

private:
    using table = detail::delayed_table<Key, Hash, delayed_operation>;
    using expiry = detail::delayed_expiry<Queue>;

    static std::shared_ptr<table> make_table(const delayed_operations_options& o) {
        const auto verify = [](bool right, const char* what) {
            if (!right) {
                throw std::invalid_argument(std::string("delayed_operations_options.") + what);
            }
        };
        verify(o.parts >= 1 && o.parts <= 65'536, "parts must be 1 to 65536");
        verify(o.purge_threshold < (std::size_t{1} << 31), "purge_threshold must be below 2^31");
        verify(o.retry_after.count() > 0, "retry_after must be positive");
        return std::make_shared<table>(o.parts, o.purge_threshold);
    }

    static std::size_t gauge(const detail::sync::atomic<std::ptrdiff_t>& g) noexcept {
        return static_cast<std::size_t>(std::max(g.load(), std::ptrdiff_t{0}));
    }

    basic_timer_service<Queue>& timers_;
    const std::chrono::nanoseconds retry_;
    const std::shared_ptr<table> table_;
};

}  // namespace foliot

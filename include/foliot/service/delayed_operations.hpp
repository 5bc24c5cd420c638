// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <foliot/service/detail/delayed_house.hpp>
#include <foliot/service/timer_service.hpp>
#include <foliot/time/detail/contract.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <mutex>
#include <new>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

namespace foliot {

/// Something that completes once: when its condition is met, or else when its timeout is over.
///
/// try_complete, and a completion by timeout, never run at the same time for one operation, so its
/// own members need no lock unless others call force_complete or read them.
class delayed_operation {
public:
    delayed_operation() = default;
    delayed_operation(const delayed_operation&) = delete;
    delayed_operation& operator=(const delayed_operation&) = delete;
    virtual ~delayed_operation() = default;

    /// Completes it, if nobody has: ends the wait for its timeout and calls on_complete. True for
    /// the one caller who did. Anybody who holds the operation may call it, also after
    /// cancel_for_key, or when delayed_operations is gone.
    bool force_complete() {
        if (life_.exchange(life::completed) == life::completed) return false;
        retire();
        ++detail::completions_here;
        on_complete();
        return true;
    }

    /// Whether that was done; on_complete may still be running.
    [[nodiscard]] bool completed() const noexcept { return life_.load() == life::completed; }

protected:
    /// Looks whether the condition holds; if so, returns force_complete(), else false. It should only
    /// look: what acts belongs into on_complete.
    virtual bool try_complete() = 0;
    /// What is to be done then. Exactly once.
    virtual void on_complete() = 0;
    /// After on_complete, if it was the timeout.
    virtual void on_expiration() {}

private:
    template <class Key, class Hash, timer_queue Queue>
    friend class delayed_operations;

    enum class life : std::uint8_t { open, withdrawn, completed };
    // The wait for the timeout. It counts as delayed between idle and over.
    //
    //     idle -> starting -> armed -> over        lost: the service dropped the timer before its
    //       ^        |  lost    |                  maker knew it
    //       +--------+----------+
    enum class wait : std::uint8_t { idle, starting, lost, armed, over };
    static constexpr std::uint32_t over_bit = 1U << 31;

    [[nodiscard]] bool over() const noexcept { return life_.load() != life::open; }

    /// To be watched by `house` from now on.
    void join(std::shared_ptr<detail::delayed_house> house) {
        detail::require(house_.load() == nullptr, "a delayed_operation was given away twice");
        owner_ = std::move(house);
        house_.store(owner_.get());
    }

    /// No more tries, no timeout. True if it was neither completed nor withdrawn.
    bool withdraw() noexcept {
        life expected = life::open;
        if (!life_.compare_exchange_strong(expected, life::withdrawn)) return false;
        retire();
        return true;
    }

    void expire() {
        expired_.store(true);
        static_cast<void>(attempt());
    }

    // ---- tries, one at a time ---------------------------------------------------------------

    /// Tries to complete it. A thread that finds another one inside does not wait: it leaves word,
    /// and the one inside looks again before it leaves. True if a look of this call completed it.
    [[nodiscard]] bool attempt() {
        const auto me = std::this_thread::get_id();
        if (inside_.load(std::memory_order_relaxed) == me) {
            asked_inside_ = true;
            return false;
        }
        // Release: the thread inside sees what the condition depends on as this one left it.
        if (asked_.fetch_add(1, std::memory_order_acq_rel) > 0) return false;
        bool done = false;
        std::exception_ptr failure;
        for (std::uint32_t answered = 1; answered > 0;) {
            inside_.store(me, std::memory_order_relaxed);
            look(done, failure);
            inside_.store(std::thread::id{}, std::memory_order_relaxed);
            answered = asked_.fetch_sub(answered, std::memory_order_acq_rel) - answered;
        }
        if (failure) std::rethrow_exception(failure);
        return done;
    }

    void look(bool& done, std::exception_ptr& failure) noexcept {
        std::uint64_t before = 0;
        do {
            asked_inside_ = false;
            before = detail::completions_here;
            try {
                done = look_once() || done;
            } catch (...) {
                if (!failure) failure = std::current_exception();
            }
            // What its own thread asks for meanwhile counts if something was completed: else a
            // try_complete that checks its own key would never end.
        } while (asked_inside_ && detail::completions_here != before);
    }

    [[nodiscard]] bool look_once() {
        if (over()) return false;
        if (expired_.load()) {
            if (force_complete()) on_expiration();
            return false;
        }
        const bool done = try_complete();
        detail::require(!done || completed(), "try_complete is true, but nobody has completed it");
        return done;
    }

    // ---- entries in watcher lists -----------------------------------------------------------

    void entered() noexcept {
        detail::delayed_house& house = *house_.load();
        ++house.watched;
        if ((entries_.fetch_add(1) & over_bit) != 0) ++house.over;
    }
    void left() noexcept {
        detail::delayed_house& house = *house_.load();
        if ((entries_.fetch_sub(1) & over_bit) != 0) --house.over;
        --house.watched;
    }

    void retire() noexcept {
        const std::uint32_t entries = entries_.fetch_or(over_bit);
        detail::delayed_house* const house = house_.load();  // there, if it is watched
        if (entries != 0 && (entries & over_bit) == 0) house->over += entries;
        const wait was = wait_.exchange(wait::over);
        if (was != wait::idle && was != wait::over) --house->delayed;
        if (was == wait::armed) timer_.cancel();
        if (house != nullptr) house->sweep_if_needed();
    }

    // ---- the wait for the timeout -----------------------------------------------------------

    /// False if it is over, and needs none. From then on it is delayed.
    [[nodiscard]] bool begin_wait() noexcept {
        ++house_.load()->delayed;
        if (change(wait::idle, wait::starting)) return true;
        --house_.load()->delayed;
        return false;
    }
    void give_up_wait() noexcept {
        if (change(wait::starting, wait::idle) || change(wait::lost, wait::idle)) {
            --house_.load()->delayed;
        }
    }
    [[nodiscard]] bool change(wait from, wait to) noexcept {
        return wait_.compare_exchange_strong(from, to);
    }

    std::atomic<life> life_{life::open};
    std::atomic<wait> wait_{wait::idle};
    std::atomic<bool> expired_{false};
    bool asked_inside_ = false;              // of the thread inside
    std::atomic<std::uint32_t> asked_{0};    // tries asked for and not answered yet
    std::atomic<std::uint32_t> entries_{0};  // in watcher lists; and over_bit
    std::atomic<std::thread::id> inside_{};
    std::atomic<detail::delayed_house*> house_{nullptr};
    std::shared_ptr<detail::delayed_house> owner_;
    timer timer_;  // written while starting; used by who takes it from armed to over
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
// have been changed before check_and_complete is called.
//
// **Watcher lists** lose an operation that is over (completed, or dropped by cancel_for_key) when its
// key is checked, and all of them when `purge_threshold` says so, on the thread that ended the last.
// After that a list has never more entries of such than of others, or than the threshold.
//
// **User code** (try_complete, on_complete, on_expiration, destructors) runs without a lock, on the
// thread that checks, or a worker of the service. It may call everything here, and destroy this. A
// check of a key that its thread is checking already returns 0 at once and is made further out, when
// the operations at hand are done; checks of other keys are made at once, and nest.
//
// **When the service stops**, operations still complete by a check, but expire no more, and are not
// delayed(); so too those that come later. A timeout that it rejected or shed for want of room is
// asked for again. When this is destroyed, what is open is dropped as by cancel_for_key.
//
// Time:    try_complete_else_watch O(keys), check_and_complete O(operations watched under the key),
//          and their tries. A sweep O(entries), that is O(1) for each one it removes.
// Threads: any thread may call everything. One mutex, of the key's part, is held while a list is
//          copied or changed; only Hash and == of Key run under it. The service must not be destroyed
//          before this is.
// Memory:  120 bytes for an operation's base, a shared_ptr for each of its keys, a timer. A key
//          without watchers has none.
// Errors:  the constructor throws std::invalid_argument that names the option. What an operation
//          throws comes out of the call that ran it (by timeout: told to the service's on_failure).
//          check_and_complete first tries all others, and throws the first. An operation whose
//          on_complete threw is completed; one that threw in try_complete_else_watch, or when there
//          was no memory (std::bad_alloc), is not watched. Copies, Hash and == of Key must not throw
//          but std::bad_alloc. Broken preconditions end the process.
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
    /// least one key; an operation is given away once (both checked). A timeout that is not positive
    /// means at once.
    template <class Rep, class Period>
    bool try_complete_else_watch(operation_ptr op, std::span<const Key> keys,
                                 std::chrono::duration<Rep, Period> timeout) {
        detail::require(op != nullptr && !keys.empty(), "no operation to watch, or no key");
        const auto table = table_;
        auto& timers = timers_;
        const auto retry = retry_;
        op->join(table);
        if (op->attempt()) return true;
        try {
            for (const Key& key : keys) {
                if (!op->over()) table->watch(key, op);
            }
            if (op->attempt()) return true;
            if (op->begin_wait()) start(op, timers, detail::to_nanoseconds(timeout), retry);
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
        const auto table = table_;
        for (auto* c = detail::innermost_check; c != nullptr; c = c->outer) {
            if (c->table != table.get() || !(*static_cast<const Key*>(c->key) == key)) continue;
            c->again = true;
            return 0;
        }
        operations found = table->watchers(key);
        return found.empty() ? 0 : check(*table, Key(key), std::move(found));
    }

    /// Drops what is watched under `key`, and returns it: no check tries it any more, under other
    /// keys neither, and it does not expire. It is not completed: that is up to the caller
    /// (force_complete).
    std::vector<operation_ptr> cancel_for_key(const Key& key) {
        operations dropped = table_->take(key);
        std::erase_if(dropped, [](const operation_ptr& op) { return !op->withdraw(); });
        return dropped;
    }

    /// Sweeps all lists now.
    void purge() noexcept { table_->sweep(); }

    /// Entries in watcher lists: one for each key of an operation, until it is removed.
    [[nodiscard]] std::size_t watched() const noexcept { return gauge(table_->watched); }
    /// Operations that wait for their timeout.
    [[nodiscard]] std::size_t delayed() const noexcept { return gauge(table_->delayed); }

private:
    using operations = std::vector<operation_ptr>;
    using service = basic_timer_service<Queue>;
    using wait = delayed_operation::wait;

    class table final : public detail::delayed_house {
    public:
        table(std::size_t parts, std::size_t threshold) : delayed_house(threshold), parts_(parts) {}

        void watch(const Key& key, const operation_ptr& op) {
            part& p = part_of(key);
            const std::lock_guard held(p.mutex);
            const auto at = p.lists.try_emplace(key).first;
            try {
                at->second.push_back(op);
            } catch (...) {
                if (at->second.empty()) p.lists.erase(at);
                throw;
            }
            op->entered();
        }

        /// A copy, so that they can be tried without the lock.
        [[nodiscard]] operations watchers(const Key& key) {
            part& p = part_of(key);
            const std::lock_guard held(p.mutex);
            const auto at = p.lists.find(key);
            return at == p.lists.end() ? operations{} : at->second;
        }

        [[nodiscard]] operations take(const Key& key) {
            part& p = part_of(key);
            const std::lock_guard held(p.mutex);
            const auto at = p.lists.find(key);
            if (at == p.lists.end()) return {};
            operations all = std::move(at->second);
            p.lists.erase(at);
            shrink(p);
            for (const operation_ptr& op : all) op->left();
            return all;
        }

        void remove_over(const Key& key) noexcept {
            operations removed;  // destroyed without the lock
            part& p = part_of(key);
            const std::lock_guard held(p.mutex);
            const auto at = p.lists.find(key);
            if (at == p.lists.end() || !move_over(at->second, removed)) return;
            if (!at->second.empty()) return;
            p.lists.erase(at);
            shrink(p);
        }

        bool sweep() noexcept override {
            for (part& p : parts_) {
                operations removed;
                const std::lock_guard held(p.mutex);
                for (auto at = p.lists.begin(); at != p.lists.end();) {
                    if (!move_over(at->second, removed)) return false;
                    at = at->second.empty() ? p.lists.erase(at) : std::next(at);
                }
                shrink(p);
            }
            return true;
        }

        void drop_all() noexcept {
            for (part& p : parts_) {
                map lists;
                {
                    const std::lock_guard held(p.mutex);
                    lists.swap(p.lists);
                }
                for (const auto& [key, all] : lists) {
                    for (const operation_ptr& op : all) {
                        op->left();
                        op->withdraw();
                    }
                }
            }
        }

    private:
        using map = std::unordered_map<Key, operations, Hash>;
        struct alignas(64) part {
            std::mutex mutex;
            map lists;
        };

        [[nodiscard]] part& part_of(const Key& key) {
            // Mixed: the map uses the low bits again.
            const std::uint64_t mixed = std::uint64_t{Hash{}(key)} * 0x9E37'79B9'7F4A'7C15U;
            return parts_[(mixed >> 32) % parts_.size()];
        }

        /// From a list to `removed`. False: no memory, and nothing was moved.
        static bool move_over(operations& list, operations& removed) noexcept {
            const auto n = static_cast<std::size_t>(std::count_if(
                list.begin(), list.end(), [](const operation_ptr& op) { return op->over(); }));
            if (n == 0) return true;
            const std::size_t needed = removed.size() + n;
            try {
                if (removed.capacity() < needed)
                    removed.reserve(std::max(2 * needed, std::size_t{16}));
            } catch (const std::bad_alloc&) {
                return false;
            }
            auto kept = list.begin();
            for (operation_ptr& op : list) {
                if (op->over() && removed.size() < needed) {  // those that end meanwhile stay
                    op->left();
                    removed.push_back(std::move(op));
                } else {
                    if (&*kept != &op) *kept = std::move(op);
                    ++kept;
                }
            }
            list.erase(kept, list.end());
            if (list.size() < list.capacity() / 4) list.shrink_to_fit();
            return true;
        }

        /// The map's own memory follows the number of keys.
        static void shrink(part& p) noexcept {
            if (p.lists.bucket_count() < 1024 || p.lists.size() > p.lists.bucket_count() / 8)
                return;
            try {
                p.lists.rehash(0);
            } catch (const std::bad_alloc&) {  // it stays as large as it is
            }
        }

        std::vector<part> parts_;
    };

    /// What the service calls. If it is destroyed without a call, and the operation still waits, the
    /// service had no room for it, or stops.
    struct expiry {
        expiry(operation_ptr o, service& s, std::chrono::nanoseconds r) noexcept
            : op(std::move(o)), timers(&s), retry(r) {}
        expiry(expiry&&) noexcept = default;
        expiry& operator=(expiry&&) = delete;
        ~expiry() {
            if (op == nullptr || op->change(wait::starting, wait::lost)) return;
            if (op->change(wait::armed, wait::starting)) restart(std::move(op), *timers, retry);
        }
        void operator()() { std::exchange(op, nullptr)->expire(); }

        operation_ptr op;
        service* timers;
        std::chrono::nanoseconds retry;
    };

    /// Makes the timer of an operation whose wait is starting.
    static void start(const operation_ptr& op, service& timers, std::chrono::nanoseconds delay,
                      std::chrono::nanoseconds retry) {
        while (true) {
            try {
                op->timer_ = timers.after(delay, expiry(op, timers, retry));
            } catch (const service_stopped&) {
                return op->give_up_wait();
            } catch (...) {
                op->give_up_wait();
                throw;
            }
            if (op->change(wait::starting, wait::armed)) return;
            if (!op->change(wait::lost, wait::starting)) {  // it is over
                op->timer_.cancel();
                return;
            }
            delay = retry;
        }
    }
    static void restart(const operation_ptr& op, service& timers,
                        std::chrono::nanoseconds retry) noexcept {
        try {
            start(op, timers, retry, retry);
        } catch (...) {  // no memory: it does not expire
        }
    }

    static std::size_t check(table& watched, const Key& key, operations found) {
        detail::check_here here{&watched, &key, false, detail::innermost_check};
        const detail::enter_check entered(here);
        std::size_t done = 0;
        std::exception_ptr failure;
        while (!found.empty()) {
            here.again = false;
            const std::uint64_t before = detail::completions_here;
            for (const operation_ptr& op : found) {
                try {
                    done += op->attempt() ? 1 : 0;
                } catch (...) {
                    if (!failure) failure = std::current_exception();
                }
            }
            watched.remove_over(key);
            // As in an operation: a check from within counts if something was completed.
            if (!here.again || detail::completions_here == before) break;
            found = watched.watchers(key);
        }
        if (failure) std::rethrow_exception(failure);
        return done;
    }

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

    static std::size_t gauge(const std::atomic<std::ptrdiff_t>& g) noexcept {
        return static_cast<std::size_t>(std::max(g.load(), std::ptrdiff_t{0}));
    }

    service& timers_;
    const std::chrono::nanoseconds retry_;
    const std::shared_ptr<table> table_;
};

}  // namespace foliot

// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/clocks.hpp"
#include "engine/commit_queue.hpp"
#include "engine/engine.hpp"
#include "engine/entry.hpp"
#include "engine/queue_state.hpp"
#include "engine/self_check.hpp"
#include "engine/timer_table.hpp"
#include "store/extra_fields.hpp"

#include <foliot/wheel/hierarchical_wheel.hpp>

#include <boost/unordered/unordered_flat_map.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

// Private to the engine: its state, and the verbs on it by file.
//
//   engine.cpp     step: inputs in, outputs out; the shard's life (acquire, serve, fail, stop)
//   changes.cpp    commands on one timer: look it up, decide, gather the write, answer when durable
//   rows.cpp       entries and their rows: made, moved, ended, removed
//   delivery.cpp   firing, leases, settling, retries, dead letters
//   window.cpp     which timers are in memory: loading, eviction, the backlog
//   listing.cpp    pages in due order

namespace foliot::engine {

using wheel = hierarchical_wheel<256, 4>;

/// One token of a settle command, on its way through the timer that it names.
struct settle_token {
    std::size_t index = 0;
    delivery_token token;
};

/// A command on one timer; it waits here while the timer is looked up on disk.
struct keyed_work {
    request_id request = 0;
    std::variant<set_timer, cancel_timer, get_timer, settle_token> what;
};

/// Commands that wait for the look-up of their timer, in order.
struct lookup {
    std::vector<keyed_work> waiting;
    std::chrono::nanoseconds asked_at{};
    bool sent = false;
    bool outdated = false;  ///< the timer was in memory meanwhile: look again
};

/// A settle command whose tokens are being decided.
struct settle_job {
    settle command;
    std::vector<settle_outcome> outcomes;
    std::vector<std::optional<timer_set>> next;
    std::size_t undecided = 0;
    batch_number batch = 0;  ///< the last commit that an outcome depends on
};

/// A listing in progress: entries in memory are swept in portions, then the store is asked.
struct list_job {
    request_id request = 0;
    list_timers query;
    std::size_t swept = 0;
    bool sweeping = true;
    std::chrono::nanoseconds asked_at{};
    std::map<list_cursor, timer_view> best;  ///< at most limit + 1, the earliest
    int loads_open = 0;
    std::optional<list_cursor> scanned_to;  ///< the store was read up to here only
};

/// The near window's edge on one clock: all far rows up to `loaded` are in memory or in a backlog.
struct window_edge {
    store::far_position loaded{};
    std::optional<tick> loading_to;  ///< a load is out, up to here
};

/// A timer to be made.
struct fresh_timer {
    std::string_view ns;
    std::string_view id;
    std::string_view queue;
    std::string_view payload;
    payload_kind kind{};
    sequence seq;
    store::due_point due;
    std::string_view extra;
};

/// A row on its way to another next due.
struct row_move {
    store::due_point next;
    bool far = false;
    bool in_place = false;  ///< it stays near and is overwritten
};

/// A sweep over all entries in portions, to bring the memory back to its bound, or to find how far
/// the low-water marks may rise.
struct sweep {
    std::size_t next_cell = 0;
    bool evict = false;
    tick limit[2]{};  ///< by clock: evict what is due later, or the low water found so far
};

struct saved_lease {
    std::uint32_t attempt = 0;
    std::uint32_t owner_epoch = 0;
    tick lease_end;
};

class engine::impl {
public:
    explicit impl(const options& o) : opt_(o), commits_(o.commit_operations) {}
    ~impl();

    outputs step(instant now, std::span<input> inputs);
    [[nodiscard]] stats snapshot() const;

private:
    struct for_check_ids {
        std::vector<suspect> rows;
    };

    enum class phase { cold, acquiring, loading, serving, waiting_to_retry };

    // engine.cpp
    void take(request& r);
    void take(abandon& a);
    void take(io_done& d);
    void take(stop&);
    void run(request_id id, set_timer& c);
    void run(request_id id, cancel_timer& c);
    void run(request_id id, get_timer& c);
    void run(request_id id, list_timers& c);
    void run(request_id id, list_dead& c);
    void run(request_id id, lease_timers& c);
    void run(request_id id, settle& c);
    void follow_clock();
    [[nodiscard]] std::optional<failure> refuse() const;
    [[nodiscard]] std::optional<failure> refuse_change() const;
    [[nodiscard]] bool stalled() const;
    void fail_all(std::vector<keyed_work>& waiting, const failure& f);
    void start_acquire();
    void acquired(store::store_result<store::acquired>& r);
    void near_page(store::store_result<store::page>& r);
    void commit_done(store::store_result<done>& r);
    void store_failed(const store::store_error& e);
    void forget_everything();
    void send_commit();
    void time_out_store();
    void continue_stop();
    void plan_wake();
    void wake_by(std::chrono::nanoseconds steady);
    void answer_now(request_id to, reply what);
    void answer_after(batch_number n, request_id to, reply what);
    io_id ask(store_request what);

    // changes.cpp
    void process(keyed_work w);
    void execute(keyed_work& w, entry* e);
    void execute(request_id id, set_timer& c, entry* e);
    [[nodiscard]] std::optional<reply> answer_repeated(const set_timer& c, const entry& e) const;
    [[nodiscard]] store::due_point due_of(const std::variant<after, at>& when) const;
    [[nodiscard]] bool stands_against(const entry& old, set_mode mode, store::due_point due) const;
    void execute(request_id id, cancel_timer& c, entry* e);
    void execute(request_id id, get_timer& c, entry* e);
    void send_lookups();
    void lookups_done(const std::vector<store::timer_key>& keys,
                      store::store_result<std::vector<std::optional<store::found>>>& r);
    [[nodiscard]] bool may_be_on_disk() const { return far_rows_ + dead_rows_ > 0; }

    // rows.cpp
    [[nodiscard]] store::sequence next_sequence();
    entry& create(std::string_view ns, std::string_view id, std::string_view queue,
                  std::string_view payload, std::string_view extra);
    entry& insert_fresh(const fresh_timer& t);
    entry& adopt(const store::record& r, row_place place);
    void free_entry(entry& e);
    void take_out_of_motion(entry& e);
    void insert_row(entry& e);
    void overwrite_near_row(entry& e, tick lease_until);
    void remove_row(entry& e);
    void move_row(entry& e, row_place to);
    void retire(entry& e);
    void end_timer(entry& e, store::ending how);
    [[nodiscard]] row_move begin_move(entry& e, store::due_point next);
    void finish_move(entry& e, const row_move& m);
    static void count_row(pending_commit& c, const entry& e, int by);
    [[nodiscard]] static store::extra_fields extra_of(const entry& e);
    [[nodiscard]] static std::optional<store::ended> end_of(const store::record& r);
    void settle_entry(entry& e);
    [[nodiscard]] store::record make_record(const entry& e) const;
    [[nodiscard]] timer_view make_view(const entry& e) const;
    [[nodiscard]] timer_view make_view(const store::record& r, timer_state s) const;

    // delivery.cpp
    void advance_wheels();
    void fired(entry& e);
    void offer(entry& e);
    void install(entry& e, const store::record& r);
    void save_lease(const entry& e);
    void lease_expired(entry& e);
    void fail_attempt(entry& e, std::optional<std::chrono::nanoseconds> delay);
    void match_queues();
    void time_out_waiters();
    void match(queue_state& q);
    void deliver(queue_state& q, waiter& w);
    void drop_waiter(waiter& w);
    void settle_one(request_id id, settle_token& t, entry* e);
    void settle_ended(request_id id, const settle_token& t, settlement how, const entry& e);
    void ack_with_next(request_id id, const settle_token& t, entry& e, const next_timer& next);
    [[nodiscard]] std::optional<timer_set> was_set_by(const settle_token& t, const entry& e) const;
    [[nodiscard]] bool token_is_live(const entry& e, const delivery_token& t) const;
    void decided(request_id id, std::size_t index, settle_outcome o, batch_number n,
                 std::optional<timer_set> next = {});
    queue_state& queue_of(std::string_view ns, std::string_view name);
    void mark(queue_state& q);
    void drop_idle_queues();
    void schedule(entry& e);
    void schedule_lease(entry& e);

    // window.cpp
    [[nodiscard]] bool has_room(std::size_t numerator, std::size_t denominator) const;
    [[nodiscard]] bool far_is_allowed(store::due_point p) const;
    [[nodiscard]] bool goes_far(store::due_point p) const;
    [[nodiscard]] std::size_t rows_per_load() const;
    void load_ahead();
    void load_edge(store::clock_kind clock);
    void edge_page(store::clock_kind clock, tick to, store::store_result<store::page>& r);
    void load_backlog(queue_state& q);
    void backlog_page(queue_state& q, store::clock_kind clock, tick to,
                      store::store_result<store::page>& r);
    [[nodiscard]] bool is_news(const store::record& r) const;
    void make_room();
    void lower_edges();
    bool spill_ready();
    void put_aside(entry& e);
    void evict(entry& e);
    [[nodiscard]] tick far_bound(store::clock_kind c) const;
    [[nodiscard]] bool was_leased(const store::record& r) const;
    void raise_low_water(const sweep& s);
    void load_failed(const store::store_error& e);
    void sweep_some();
    void end_load();
    void forget_removed();
    void wake_for_load(store::clock_kind clock);
    [[nodiscard]] tick horizon(store::clock_kind c) const;

    // self_check.cpp
    void check_some();
    void begin_check();
    void forget_check();
    void ask_for_check(store_request what);
    void rest_after(std::size_t rows);
    void check_page(store::store_result<store::page>& r);
    void check_failed(const store::store_error& e);
    void check_near_page(const store::page& p);
    void check_memory();
    void check_far_page(const store::page& p);
    void check_ids(const store::page& p);
    void checked_ids(for_check_ids& what,
                     store::store_result<std::vector<std::optional<store::found>>>& r);
    [[nodiscard]] entry* near_entry_of(const store::record& row);
    [[nodiscard]] bool is_accounted_for(const store::record& row);
    [[nodiscard]] bool is_being_removed(const store::record& row) const;
    void suspect_row(suspect::fault what, const store::record& row);
    void add_suspect(suspect s);
    void sort_suspects();
    void look_again();
    void decide_suspects(const store::page& p);
    void decide(const suspect& s, const store::record* row);
    void disagree(const suspect& s);
    void check_gauge(const char* name, std::uint64_t gauge, std::uint64_t counted,
                     std::uint64_t slack);
    void end_check();
    void wake_for_check();
    void sweep_overdue();

    // listing.cpp
    void list_some();
    void list_page(request_id job, store::store_result<store::page>& r);
    void ask_store_for_list(list_job& job);
    void finish_list(list_job& job);
    void dead_page(request_id id, const list_dead& query, store::store_result<store::page>& r);
    void consider(list_job& job, list_cursor at, timer_view view) const;

    static constexpr store::clock_kind both_clocks[]{store::clock_kind::service,
                                                     store::clock_kind::wall};
    /// Far enough from the end of an epoch's numbers that one step cannot reach it.
    static constexpr std::uint64_t last_count =
        (std::uint64_t{1} << store::sequence::counter_bits) - (std::uint64_t{1} << 32);
    static constexpr std::uint32_t any_earlier_epoch = 0;  ///< owner of a lease that was written
    static constexpr std::chrono::milliseconds shortest_backlog_wait{100};
    static constexpr std::size_t near_page_rows = 8192;
    static constexpr std::size_t cells_per_step = 16384;

    wheel& wheel_of(store::clock_kind c) { return wheels_[static_cast<std::size_t>(c)]; }

    // What an outstanding io was for.
    struct for_acquire {};
    struct for_near {};
    struct for_commit {};
    struct for_edge {
        store::clock_kind clock;
        tick to;
    };
    struct for_backlog {
        queue_state* queue;
        store::clock_kind clock;
        tick to;
    };
    struct for_lookup {
        std::vector<store::timer_key> keys;
    };
    struct for_list {
        request_id job;
    };
    struct for_dead {
        request_id request;
        list_dead query;
        std::chrono::nanoseconds asked_at;
    };
    struct for_check {};
    using purpose = std::variant<for_acquire, for_near, for_commit, for_edge, for_backlog,
                                 for_lookup, for_list, for_dead, for_check, for_check_ids>;

    options opt_;
    outputs out_;
    clocks clock_;
    std::chrono::nanoseconds steady_{};
    instant now_{};

    phase phase_ = phase::cold;
    bool stopping_ = false;
    std::size_t stop_sweep_ = 0;
    bool drained_ = true;                        ///< the last advance fired all that was due
    std::chrono::nanoseconds all_offered_at_{};  ///< steady: when nothing due was left unoffered
    std::chrono::nanoseconds retry_at_{};
    std::chrono::nanoseconds next_load_at_{};  ///< after a failed load
    std::chrono::nanoseconds next_read_check_{};
    std::string last_store_error_;
    bool clock_started_ = false;
    std::uint64_t overdue_ = 0;
    store::epoch epoch_{};
    std::uint64_t next_count_ = 0;
    store::shard_meta meta_;  ///< as of the last commit sent

    entry_pool pool_;
    timer_table table_;
    std::size_t bytes_ = 0;
    std::size_t near_rows_ = 0;  ///< with what is not durable yet
    std::size_t far_rows_ = 0;
    std::size_t dead_rows_ = 0;
    std::size_t in_flight_ = 0;
    bool flight_blocked_ = false;  ///< consumers wait though something is ready
    wheel wheels_[2];              ///< by clock; leases are on the service clock's
    wheel timeouts_;               ///< of waiting consumers, on the service clock

    commit_queue commits_;
    io_id last_io_ = 0;
    std::unordered_map<io_id, purpose> outstanding_;
    std::size_t loads_out_ = 0;  ///< edge and backlog loads
    /// Far rows (by next due and sequence: a retry may come back at another due) that a load may
    /// still bring though they are removed, with the commit that removes them. Kept until that is
    /// durable and no load is out.
    boost::unordered_flat_map<std::pair<std::uint64_t, std::uint64_t>, batch_number> removed_far_;

    std::unordered_map<store::timer_key, lookup, key_hash, key_equal> lookups_;
    std::vector<store::timer_key> new_lookups_;
    std::size_t looking_up_ = 0;  ///< commands in lookups_
    std::unordered_map<request_id, settle_job> settles_;
    std::deque<list_job> lists_;

    window_edge edges_[2];
    std::optional<sweep> sweep_;
    self_check check_;
    overdue_sweep overdue_ages_;
    std::uint64_t changes_ = 0;          ///< operations of all commits that were sent
    std::uint64_t durable_changes_ = 0;  ///< of those that are durable
    std::chrono::nanoseconds next_low_water_{};

    std::map<std::pair<std::string, std::string>, std::unique_ptr<queue_state>, std::less<>>
        queues_;
    std::vector<queue_state*> marked_;
    std::size_t backlogs_ = 0;  ///< 0: no queue has one (an upper bound)
    std::unordered_map<request_id, waiter*> waiting_;
    std::unordered_map<std::uint64_t, saved_lease> saved_leases_;  ///< by sequence; see save_lease

    stats totals_;  ///< the counters; gauges are filled in by snapshot()
};

}  // namespace foliot::engine

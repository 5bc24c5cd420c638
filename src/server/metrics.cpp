// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "server/metrics.hpp"

#include "server/config.hpp"

#include <prometheus/metric_family.h>
#include <prometheus/text_serializer.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

namespace foliot::server {
namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;
using labels = std::vector<ClientMetric::Label>;

double to_double(std::uint64_t n) { return static_cast<double>(n); }
double to_seconds(std::chrono::nanoseconds t) { return std::chrono::duration<double>(t).count(); }

/// Builds families one after another; `sample` adds to the last one begun.
class exposition {
public:
    exposition& family(std::string name, MetricType type, std::string help) {
        families_.push_back({std::move(name), std::move(help), type, {}});
        return *this;
    }
    exposition& sample(double value, labels l = {}) {
        auto& f = families_.back();
        auto& m = f.metric.emplace_back();
        m.label = std::move(l);
        (f.type == MetricType::Counter ? m.counter.value : m.gauge.value) = value;
        return *this;
    }
    void counter(std::string name, std::string help, std::uint64_t value) {
        family(std::move(name), MetricType::Counter, std::move(help)).sample(to_double(value));
    }
    void gauge(std::string name, std::string help, double value) {
        family(std::move(name), MetricType::Gauge, std::move(help)).sample(value);
    }
    template <class Bounds, class Count>
    void histogram(std::string name, std::string help, const Bounds& bounds, Count count,
                   double sum) {
        family(std::move(name), MetricType::Histogram, std::move(help));
        auto& h = families_.back().metric.emplace_back().histogram;
        for (std::size_t i = 0; i <= bounds.size(); ++i) {
            h.sample_count += count(i);
            const double bound =
                i < bounds.size() ? bounds[i] : std::numeric_limits<double>::infinity();
            h.bucket.push_back({h.sample_count, bound});
        }
        h.sample_sum = sum;
    }
    [[nodiscard]] std::string text() const {
        return prometheus::TextSerializer{}.prometheus::Serializer::Serialize(families_);
    }

private:
    std::vector<MetricFamily> families_;
};

void add_timers(exposition& out, const engine::stats& s) {
    out.gauge("foliot_timers_pending", "Timers that are set and not settled", to_double(s.pending));
    out.gauge("foliot_timers_in_memory", "Timers held in memory", to_double(s.in_memory));
    out.gauge("foliot_timers_memory_bytes", "Ids and payloads held in memory",
              to_double(s.memory_bytes));
    out.gauge("foliot_timers_in_flight", "Deliveries that are leased", to_double(s.in_flight));
    out.gauge("foliot_timers_retained", "Ended timers whose end is kept", to_double(s.retained));
    out.gauge("foliot_timers_dead", "Dead letters", to_double(s.dead));
    out.gauge("foliot_timers_overdue", "Timers known to be due and not offered yet",
              to_double(s.overdue));
    out.gauge("foliot_firing_behind_seconds", "Everything due up to this long ago was offered",
              to_seconds(s.behind));
    out.gauge("foliot_timers_backlog", "Due timers without a consumer, put back on disk for room",
              to_double(s.backlog));
    out.gauge("foliot_commands_uncommitted", "Commands waiting for the store",
              to_double(s.uncommitted));
    out.counter("foliot_timers_set_total", "Timers set, replacements included", s.set_total);
    out.counter("foliot_timers_replaced_total", "Sets that replaced a timer", s.replaced_total);
    out.counter("foliot_timers_cancelled_total", "Timers cancelled", s.cancelled_total);
    out.counter("foliot_timers_fired_total", "Timers that became due and were offered",
                s.fired_total);
    out.counter("foliot_deliveries_total", "Leases given", s.delivered_total);
    out.counter("foliot_deliveries_acked_total", "Deliveries acked", s.acked_total);
    out.counter("foliot_deliveries_nacked_total", "Deliveries nacked", s.nacked_total);
    out.counter("foliot_deliveries_expired_total", "Leases that ran out", s.expired_leases_total);
    out.counter("foliot_timers_dead_lettered_total", "Timers that became dead letters",
                s.dead_lettered_total);
    out.family("foliot_timers_overdue_by_age", MetricType::Gauge,
               "Timers that were offered and no consumer has taken, by how long ago they were due");
    static constexpr std::array ages{"1s", "10s", "1m", "10m", "1h", "6h", "1d", "longer"};
    for (std::size_t i = 0; i < ages.size(); ++i) {
        out.sample(to_double(s.overdue_by_age.counts[i]), {{"up_to", ages[i]}});
    }
    out.counter("foliot_self_checks_total", "Rounds in which all rows were compared with memory",
                s.checks_total);
    out.counter("foliot_self_check_rows_total", "Rows that were compared", s.checked_rows_total);
    out.gauge("foliot_self_check_disagreements",
              "What the last round found: the store, the memory or the gauges disagree",
              to_double(s.disagreements));
    const auto& lateness = s.firing_lateness;
    out.histogram(
        "foliot_firing_lateness_seconds", "From a timer's due to its firing", lateness.bounds,
        [&](std::size_t i) { return lateness.counts[i]; }, lateness.sum_seconds);
}

void add_store(exposition& out, const metrics_input& in) {
    const auto& s = in.engine;
    out.counter("foliot_store_commits_total", "Commits", s.commits_total);
    out.counter("foliot_store_errors_total", "Store calls that failed", s.store_errors_total);
    out.counter("foliot_store_evicted_total", "Timers moved from memory to disk", s.evicted_total);
    out.counter("foliot_store_loaded_total", "Timers loaded from disk", s.loaded_total);
    out.gauge("foliot_store_failing", "1 while the last write failed", in.store_failing ? 1 : 0);
    out.histogram(
        "foliot_store_commit_duration_seconds", "Time of one commit, with its fdatasync",
        duration_histogram::bounds, [&](std::size_t i) { return in.commit_latency.count(i); },
        in.commit_latency.sum_seconds());
}

engine::queue_stats sum(const engine::queue_stats& a, const engine::queue_stats& b) {
    return {a.ns, a.queue, a.ready + b.ready, a.in_flight + b.in_flight,
            a.waiting_consumers + b.waiting_consumers};
}

/// The busiest queues each, the others as one: the number of label sets is bounded.
std::vector<engine::queue_stats> bounded(std::vector<engine::queue_stats> queues, std::size_t max) {
    if (queues.size() <= max) return queues;
    const auto busier = [](const engine::queue_stats& a, const engine::queue_stats& b) {
        return a.ready + a.in_flight + a.waiting_consumers >
               b.ready + b.in_flight + b.waiting_consumers;
    };
    const auto rest = queues.begin() + static_cast<std::ptrdiff_t>(max);
    std::nth_element(queues.begin(), rest, queues.end(), busier);
    const auto other =
        std::accumulate(rest, queues.end(), engine::queue_stats{"other", "other", 0, 0, 0}, sum);
    queues.erase(rest, queues.end());
    queues.push_back(other);
    return queues;
}

void add_queues(exposition& out, const metrics_input& in) {
    const auto queues = bounded(in.engine.queues, in.max_queues);
    const auto each = [&](auto value) {
        for (const auto& q : queues) {
            out.sample(to_double(value(q)), {{"ns", q.ns}, {"queue", q.queue}});
        }
    };
    out.family("foliot_queue_ready", MetricType::Gauge, "Due timers waiting for a consumer");
    each([](const auto& q) { return q.ready; });
    out.family("foliot_queue_in_flight", MetricType::Gauge, "Leased deliveries of a queue");
    each([](const auto& q) { return q.in_flight; });
    out.family("foliot_queue_waiting_consumers", MetricType::Gauge, "Lease requests waiting");
    each([](const auto& q) { return q.waiting_consumers; });
}

void add_http(exposition& out, const http_counters& h) {
    static constexpr std::array classes{"1xx", "2xx", "3xx", "4xx", "5xx"};
    out.family("foliot_http_responses_total", MetricType::Counter, "Responses by status class");
    for (std::size_t i = 0; i < classes.size(); ++i) {
        out.sample(to_double(h.responses[i]), {{"class", classes[i]}});
    }
    out.gauge("foliot_http_connections", "Open connections", to_double(h.connections));
    out.gauge("foliot_http_body_bytes", "Request bodies held now", to_double(h.body_bytes));
    out.counter("foliot_http_connections_total", "Connections accepted", h.accepted);
    out.counter("foliot_http_connections_refused_total", "Connections over limits.connections",
                h.refused);
    out.counter("foliot_http_unauthorized_total", "Requests without a valid token", h.unauthorized);
    out.counter("foliot_http_timeouts_total", "Connections closed for being too slow", h.timeouts);
}

}  // namespace

std::string render_metrics(const metrics_input& in) {
    exposition out;
    out.family("foliot_build_info", MetricType::Gauge, "1, labelled with the version")
        .sample(1, {{"version", std::string{version()}}});
    out.gauge("process_start_time_seconds", "Start of the process, in seconds since 1970",
              to_seconds(in.process_start));
    out.gauge("foliot_ready", "1 while /readyz is green", in.ready ? 1 : 0);
    out.gauge("foliot_loop_stall_seconds", "Since the firing loop's last step",
              to_seconds(in.since_step));
    add_timers(out, in.engine);
    add_store(out, in);
    add_queues(out, in);
    add_http(out, in.http);
    return out.text();
}

}  // namespace foliot::server

// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include <foliot/service/metrics.hpp>

#include <cstdio>
#include <string_view>
#include <utility>

namespace foliot {

namespace {

class text {
public:
    explicit text(const std::string& prefix) : prefix_(prefix) {}

    void value(std::string_view name, std::string_view type, std::string_view help,
               std::uint64_t v) {
        head(name, type, help);
        line(name, "", std::to_string(v));
    }

    void by_class(std::string_view name, std::string_view help,
                  const std::array<std::size_t, priorities>& values) {
        static constexpr std::string_view classes[priorities] = {"high", "normal", "low"};
        head(name, "gauge", help);
        for (std::size_t i = 0; i < priorities; ++i) {
            line(name, "{priority=\"" + std::string(classes[i]) + "\"}", std::to_string(values[i]));
        }
    }

    void seconds(std::string_view name, std::string_view help, std::chrono::nanoseconds v) {
        head(name, "gauge", help);
        line(name, "", number(static_cast<double>(v.count()) / 1e9));
    }

    void histogram(std::string_view name, std::string_view help, const duration_histogram& h) {
        head(name, "histogram", help);
        const std::string bucket = std::string(name) + "_bucket";
        std::uint64_t sum = 0;
        for (std::size_t i = 0; i + 1 < duration_histogram::buckets; ++i) {
            sum += h.counts[i];
            const double bound = static_cast<double>(std::uint64_t{1} << i) / 1e6;
            line(bucket, "{le=\"" + number(bound) + "\"}", std::to_string(sum));
        }
        line(bucket, "{le=\"+Inf\"}", std::to_string(h.count()));
        line(std::string(name) + "_sum", "", number(static_cast<double>(h.sum.count()) / 1e9));
        line(std::string(name) + "_count", "", std::to_string(h.count()));
    }

    std::string take() { return std::move(out_); }

private:
    static std::string number(double v) {
        char digits[32];
        std::snprintf(digits, sizeof digits, "%.9g", v);
        return digits;
    }
    void head(std::string_view name, std::string_view type, std::string_view help) {
        const std::string full = prefix_ + std::string(name);
        out_ += "# HELP " + full + " " + std::string(help) + "\n# TYPE " + full + " " +
                std::string(type) + "\n";
    }
    void line(std::string_view name, const std::string& labels, const std::string& v) {
        out_ += prefix_ + std::string(name) + labels + " " + v + "\n";
    }

    const std::string& prefix_;
    std::string out_;
};

}  // namespace

std::string to_prometheus(const service_metrics& m, const std::string& prefix) {
    text t(prefix);
    t.value("scheduled_total", "counter", "Timers made.", m.scheduled);
    t.value("pending", "gauge", "Timers that wait for their deadline.", m.pending);
    t.value("due", "gauge", "Timers that wait for a worker.", m.due);
    t.value("running", "gauge", "Timers whose callbacks run.", m.running);
    t.value("cancelled_total", "counter", "Timers cancelled in time.", m.cancelled);
    t.value("completed_total", "counter", "Timers that ran for the last time.", m.completed);
    t.value("rejected_total", "counter", "Timers that were due when there was no room.",
            m.rejected);
    t.value("shed_total", "counter", "Timers that were dropped for others.", m.shed);
    t.value("dropped_total", "counter", "Timers that were left when the service stopped.",
            m.dropped);
    t.value("runs_total", "counter", "Callbacks begun.", m.runs);
    t.value("failures_total", "counter", "Callbacks that threw.", m.failures);
    t.value("deferred_total", "counter", "Times that a timer was put off for want of room.",
            m.deferred);
    t.value("skipped_total", "counter", "Times of periodic timers that were rejected or shed.",
            m.skipped);
    t.value("rescheduled_total", "counter", "Times that a timer was moved by its owner.",
            m.rescheduled);
    t.value("moves_total", "counter", "Times that a timer was moved within the wheels.", m.moves);
    t.value("passes_total", "counter", "Passes of the driver.", m.passes);
    t.value("cut_passes_total", "counter", "Passes that ended at their limit.", m.cut_passes);
    t.value("failed_passes_total", "counter", "Passes that ended for want of memory.",
            m.failed_passes);
    t.value("wakeups_total", "counter", "Times that the driver was woken.", m.wakeups);
    t.value("slow_callbacks_total", "counter", "Callbacks that ran for longer than the limit.",
            m.slow_callbacks);
    t.value("late_wakeups_total", "counter", "Wake-ups of the driver that came too late.",
            m.late_wakeups);
    t.by_class("queued", "Jobs in the executor.", m.queued);
    t.by_class("backlog", "Jobs that wait for room in the executor.", m.backlog);
    t.seconds("oldest_overdue_seconds", "How late what has waited longest is.", m.oldest_overdue);
    t.histogram("lateness_seconds", "From the deadline to the start of the callback.", m.lateness);
    t.histogram("callback_seconds", "How long callbacks took.", m.duration);
    t.histogram("scan_seconds", "How long a shard was locked to take due timers out.", m.scan);
    return t.take();
}

}  // namespace foliot

// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
// stats, limits
#include "client/json_text.hpp"
#include "commands.hpp"
#include "metrics_text.hpp"
#include "output.hpp"
#include "time_text.hpp"

#include <fmt/format.h>
#include <cmath>

namespace foliot::cli {

namespace {

struct line {
    const char* json_name;
    const char* label;
    const char* metric;
};

constexpr line lines[] = {
    {"pending", "pending", "foliot_timers_pending"},
    {"in_memory", "  of them in memory", "foliot_timers_in_memory"},
    {"in_flight", "in flight", "foliot_timers_in_flight"},
    {"dead", "dead", "foliot_timers_dead"},
    {"overdue", "overdue", "foliot_timers_overdue"},
    {"set", "set", "foliot_timers_set_total"},
    {"replaced", "  of them replaced", "foliot_timers_replaced_total"},
    {"cancelled", "cancelled", "foliot_timers_cancelled_total"},
    {"fired", "fired", "foliot_timers_fired_total"},
    {"delivered", "delivered", "foliot_deliveries_total"},
    {"acked", "acked", "foliot_deliveries_acked_total"},
    {"nacked", "nacked", "foliot_deliveries_nacked_total"},
    {"leases_expired", "leases expired", "foliot_deliveries_expired_total"},
};

constexpr const char* lateness = "foliot_firing_lateness_seconds";
constexpr const char* commit = "foliot_store_commit_duration_seconds";

struct quantile_line {
    const char* json_name;
    const char* label;
    const char* metric;
    double q;
};

constexpr quantile_line quantiles[] = {
    {"lateness_p50_ms", "lateness p50", lateness, 0.5},
    {"lateness_p99_ms", "lateness p99", lateness, 0.99},
    {"commit_p50_ms", "commit p50", commit, 0.5},
    {"commit_p99_ms", "commit p99", commit, 0.99},
};

std::string whole(double value) { return fmt::format("{:.0f}", value); }

/// Where the ready state cannot be had the metrics are still worth showing.
std::string ready_text(context& c) {
    const auto ready = c.server.ready();
    if (!ready) return "unknown";
    return ready.value().ready ? "yes" : "no";
}

std::string stats_json(const metrics_text& metrics, const std::string& ready) {
    json_line out;
    out.raw("ready", ready == "yes" ? "true" : "false");
    for (const auto& l : lines) {
        if (const auto value = metrics.value(l.metric)) out.raw(l.json_name, whole(*value));
    }
    for (const auto& l : quantiles) {
        const auto value = metrics.quantile(l.metric, l.q);
        out.raw(l.json_name, value ? fmt::format("{:.3f}", *value * 1000) : "null");
    }
    return out.str();
}

}  // namespace

exit_code run(context& c, const stats_arguments&) {
    const auto text = c.server.metrics();
    if (!text) return report(c, text.error());
    const metrics_text metrics(text.value());
    const auto ready = ready_text(c);
    if (c.json) {
        print(stats_json(metrics, ready));
        return exit_code::ok;
    }
    table out({});
    out.add({"ready", table::cell::number(ready)});
    for (const auto& l : lines) {
        const auto value = metrics.value(l.metric);
        out.add({l.label, table::cell::number(value ? whole(*value) : "-")});
    }
    for (const auto& l : quantiles) {
        const auto value = metrics.quantile(l.metric, l.q);
        out.add({l.label, table::cell::number(value ? lateness_text(*value * 1000) : "-")});
    }
    print(out.text(c.colours));
    return exit_code::ok;
}

exit_code run(context& c, const limits_arguments&) {
    const auto limits = c.server.limits();
    if (!limits) return report(c, limits.error());
    if (!client::is_json(limits.value())) {
        return report(c, {.kind = client::error_kind::bad_reply,
                          .status = 0,
                          .code = "bad_reply",
                          .message = "the limits are not JSON",
                          .field = {},
                          .limit = {}});
    }
    table out({"LIMIT", "VALUE", "UNIT"});
    client::each_member(limits.value(), [&](std::string_view name, std::string_view value) {
        const auto number = client::member(value, "value");
        const auto unit = client::unquote(client::member(value, "unit"));
        if (c.json) {
            print(json_line{}.text("name", name).raw("value", number).text("unit", unit).str());
        }
        out.add({std::string(name), table::cell::number(std::string(number)), unit});
    });
    if (!c.json) print(out.text(c.colours));
    return exit_code::ok;
}

}  // namespace foliot::cli

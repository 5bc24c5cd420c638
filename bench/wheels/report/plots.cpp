// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "plots.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <vector>

namespace bench {

namespace {

struct point {
    std::uint64_t n;
    double value;
};

// What one picture shows: a line for each model.
using picture = std::map<std::string, std::vector<point>>;
using picture_name = std::pair<std::string, std::string>;  // workload, metric

std::map<picture_name, picture> pictures(const results& measured) {
    std::map<picture_name, picture> all;
    for (const auto& [what, values] : measured.all()) {
        const bool plotted = what.metric.starts_with("ns_") || what.metric == "bytes_per_timer";
        if (!plotted) continue;
        all[{what.workload, what.metric}][what.model].push_back({what.n, *measured.median(what)});
    }
    // A line has two points at least, and the probe alone (W3) says nothing.
    std::erase_if(all, [](const auto& one) {
        if (one.second.size() == 1 && one.second.contains("probe_line")) return true;
        std::size_t longest = 0;
        for (const auto& [model, points] : one.second) longest = std::max(longest, points.size());
        return longest < 2;
    });
    return all;
}

void write_picture(std::FILE* to, const std::string& folder, const picture_name& name,
                   const picture& lines) {
    const auto& [workload, metric] = name;
    std::fprintf(to, "set output '%s/%s_%s.svg'\n", folder.c_str(), workload.c_str(),
                 metric.c_str());
    std::fprintf(to, "set title '%s'\nset ylabel '%s'\nplot", workload.c_str(), metric.c_str());
    const char* separator = " ";
    for (const auto& [model, points] : lines) {
        std::fprintf(to, "%s'-' using 1:2 with linespoints title '%s'", separator, model.c_str());
        separator = ", ";
    }
    std::fprintf(to, "\n");
    for (const auto& [model, points] : lines) {
        for (const point p : points) {
            std::fprintf(to, "%llu %g\n", static_cast<unsigned long long>(p.n), p.value);
        }
        std::fprintf(to, "e\n");
    }
}

}  // namespace

void draw_plots(const results& measured, const std::string& folder) {
    const auto all = pictures(measured);
    if (all.empty()) return;
    std::filesystem::create_directories(folder);
    std::FILE* const gnuplot = std::system("command -v gnuplot >/dev/null") == 0  // NOLINT
                                   ? popen("gnuplot", "w")
                                   : nullptr;
    if (gnuplot == nullptr) {
        std::printf("no plots: there is no gnuplot\n");
        return;
    }
    std::fprintf(gnuplot,
                 "set terminal svg size 800,500 noenhanced background 'white'\n"
                 "set logscale xy\nset format x '10^%%L'\nset xlabel 'pending timers'\n"
                 "set key outside right\nset grid\n");
    for (const auto& [name, lines] : all) write_picture(gnuplot, folder, name, lines);
    if (pclose(gnuplot) == 0) {
        std::printf("plots: %zu in %s\n", all.size(), folder.c_str());
    } else {
        std::printf("gnuplot failed: no or not all plots\n");
    }
}

}  // namespace bench

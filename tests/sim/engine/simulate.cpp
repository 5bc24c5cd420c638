// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
// One run of the simulation with its trace, or many in search of one that breaks a promise:
// ./dev sim.
#include "sim/engine/world.hpp"

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string_view>

namespace {

using foliot::sim::draw_plan;
using foliot::sim::world;

constexpr const char* usage =
    "usage: ./dev sim SEED [--steps A..B]   replay one seed; print its trace, or lines A to B\n"
    "       ./dev sim --seeds N [--from S]  run N seeds from S (random); print those that fail\n";

std::uint64_t number(std::string_view text) {
    std::uint64_t n = 0;
    const auto r = std::from_chars(text.data(), text.data() + text.size(), n);
    if (r.ec != std::errc{} || r.ptr != text.data() + text.size()) {
        std::fprintf(stderr, "sim: '%.*s' is no number\n%s", static_cast<int>(text.size()),
                     text.data(), usage);
        std::exit(2);
    }
    return n;
}

int replay(std::uint64_t seed, std::uint64_t first, std::uint64_t last) {
    world w{draw_plan(seed)};
    w.print_trace(first, last);
    const auto breach = w.run();
    std::printf("seed %llu: %llu lines, %llu deliveries, trace %016llx: %s%s%s\n",
                static_cast<unsigned long long>(seed),
                static_cast<unsigned long long>(w.trace_lines()),
                static_cast<unsigned long long>(w.deliveries()),
                static_cast<unsigned long long>(w.trace_hash()),
                breach ? breach->promise.c_str() : "all promises were kept", breach ? ": " : "",
                breach ? breach->what.c_str() : "");
    return breach ? 1 : 0;
}

int hunt(std::uint64_t from, std::uint64_t seeds) {
    std::uint64_t failed = 0, lines = 0;
    for (std::uint64_t seed = from; seed - from < seeds; ++seed) {
        world w{draw_plan(seed)};
        const auto breach = w.run();
        lines += w.trace_lines();
        if (!breach) continue;
        ++failed;
        std::printf("seed %llu: %s: %s\n", static_cast<unsigned long long>(seed),
                    breach->promise.c_str(), breach->what.c_str());
        std::fflush(stdout);
    }
    std::printf("%llu seeds from %llu, %llu events: %llu failed\n",
                static_cast<unsigned long long>(seeds), static_cast<unsigned long long>(from),
                static_cast<unsigned long long>(lines), static_cast<unsigned long long>(failed));
    return failed > 0 ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
    std::uint64_t seeds = 0, first = 1, last = ~std::uint64_t{0};
    std::uint64_t seed = std::random_device{}() % 1'000'000'000;
    bool one = false;
    for (int i = 1; i < argc; ++i) {
        const std::string_view arg = argv[i];
        const std::string_view value = i + 1 < argc ? argv[i + 1] : "";
        if (arg == "--seeds") {
            seeds = number(value);
            ++i;
        } else if (arg == "--from") {
            seed = number(value);
            ++i;
        } else if (arg == "--steps") {
            const auto dots = value.find("..");
            first = number(value.substr(0, dots));
            if (dots != std::string_view::npos) last = number(value.substr(dots + 2));
            ++i;
        } else {
            seed = number(arg);
            one = true;
        }
    }
    if (one == (seeds > 0)) {
        std::fputs(usage, stderr);
        return 2;
    }
    return one ? replay(seed, first, last) : hunt(seed, seeds);
}

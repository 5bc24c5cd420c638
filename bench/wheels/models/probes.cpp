// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "../contender.hpp"
#include "../stopwatch.hpp"
#include "all.hpp"

#include <cstring>

namespace bench {

namespace {

struct alignas(64) line {
    std::uint64_t words[8];
};

// What the operations of a plan are in W3: one for each timer.
const std::vector<op>& operations(const plan& p) { return p.timed.empty() ? p.first : p.timed; }

/// Reads and writes the object that each operation picks: what touching a caller's object costs.
class probe_line final : public contender {
public:
    std::string_view name() const override { return "probe_line"; }
    std::size_t object_bytes() const override { return sizeof(line); }
    bool takes(workload, std::uint64_t) const override { return true; }

    outcome run(const plan& p, arena& memory) override {
        auto* const lines = static_cast<line*>(memory.data());
        for (std::uint64_t i = 0; i < p.n; ++i) lines[i] = {};
        for (const op o : p.warm) lines[o.pick].words[0] += o.delay;
        const std::vector<op>& ops = operations(p);
        const double begin = thread_ns();
        for (const op o : ops) lines[o.pick].words[0] += o.delay;
        const double took = thread_ns() - begin;
        outcome result;
        result.metrics["ns_per_op"] = took / static_cast<double>(ops.size());
        return result;
    }
};

}  // namespace

std::unique_ptr<contender> make_probe_line() { return std::make_unique<probe_line>(); }

}  // namespace bench

// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "../contender.hpp"
#include "../stopwatch.hpp"
#include "all.hpp"

namespace bench {

namespace {

struct alignas(64) line {
    std::uint64_t words[8];
};

/// What memory costs without any queue, over the same n objects: f(lines, ops) does it, and says
/// how often.
class probe : public contender {
public:
    std::size_t object_bytes() const override { return sizeof(line); }

    outcome run(const plan& p, arena& memory) override {
        auto* const lines = static_cast<line*>(memory.data());
        for (std::uint64_t i = 0; i < p.n; ++i) lines[i] = {};
        const std::vector<op>& ops = p.timed.empty() ? p.first : p.timed;
        touch(lines, p.n, p.warm);
        const double begin = thread_ns();
        touch(lines, p.n, ops);
        const double took = thread_ns() - begin;
        outcome result;
        result.metrics["ns_per_op"] = took / static_cast<double>(ops.size());
        return result;
    }

protected:
    virtual void touch(line* lines, std::uint64_t n, const std::vector<op>& ops) = 0;
};

/// Reads and writes the object that each operation picks: what touching a caller's object costs. It
/// takes part where models are compared with it, in the same plan.
class probe_line final : public probe {
public:
    std::string_view name() const override { return "probe_line"; }
    bool takes(workload what, std::uint64_t) const override {
        return what != workload::sparse && what != workload::crowded_level_1 &&
               what != workload::crowded_level_2 && what != workload::memory_inserted &&
               what != workload::memory_churned;
    }

private:
    void touch(line* lines, std::uint64_t, const std::vector<op>& ops) override {
        for (const op o : ops) lines[o.pick].words[0] += o.delay;
    }
};

/// The same, but each waits for the one before: its address hangs on what that one read (a zero).
class probe_line_dependent final : public probe {
public:
    std::string_view name() const override { return "probe_line_dependent"; }
    bool takes(workload what, std::uint64_t) const override { return what == workload::probe; }

private:
    void touch(line* lines, std::uint64_t, const std::vector<op>& ops) override {
        std::uint64_t zero = 0;
        for (const op o : ops) {
            line& picked = lines[o.pick + zero];
            picked.words[0] += o.delay;
            zero = picked.words[1];
        }
    }
};

/// Writes 16 bytes behind the 16 bytes before.
class probe_append final : public probe {
public:
    std::string_view name() const override { return "probe_append"; }
    bool takes(workload what, std::uint64_t) const override { return what == workload::probe; }

private:
    void touch(line* lines, std::uint64_t n, const std::vector<op>& ops) override {
        struct entry {
            std::uint64_t due;
            std::uint64_t of;
        };
        auto* const entries = reinterpret_cast<entry*>(lines);
        const std::uint64_t room = n * sizeof(line) / sizeof(entry);
        std::uint64_t next = 0;
        for (const op o : ops) {
            entries[next] = {o.delay, o.pick};
            if (++next == room) next = 0;
        }
    }
};

}  // namespace

std::unique_ptr<contender> make_probe_line() { return std::make_unique<probe_line>(); }
std::unique_ptr<contender> make_probe_line_dependent() {
    return std::make_unique<probe_line_dependent>();
}
std::unique_ptr<contender> make_probe_append() { return std::make_unique<probe_append>(); }

}  // namespace bench

// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "../crew.hpp"
#include "all.hpp"

#include <chrono>

namespace bench {

namespace {

struct alignas(64) line {
    std::uint64_t words[8];
};

/// Reads the clock, and reads and writes the object that each operation picks: what any timer costs
/// at least that is asked for by a caller with an object.
class probe_line final : public contender {
public:
    std::string_view name() const override { return "probe_line"; }
    std::size_t object_bytes() const override { return sizeof(line); }
    bool takes(workload what) const override { return what != workload::schedule_fire; }

    outcome run(const plan& p, arena& memory) override {
        outcome result = crew(static_cast<unsigned>(p.threads.size()), timing::own)
                             .run(p.timed_ops(), [&](crew::place& place) {
                                 const thread_plan& mine = p.threads[place.number];
                                 auto* const lines =
                                     static_cast<line*>(memory.data()) + place.number * mine.n;
                                 for (std::uint64_t i = 0; i < mine.n; ++i) lines[i] = {};
                                 touch(lines, mine.warm);
                                 place.begin();
                                 touch(lines, mine.timed);
                                 place.end();
                             });
        result.checksum = p.checksum();
        return result;
    }

private:
    static void touch(line* lines, const std::vector<op>& ops) {
        for (const op o : ops) {
            const auto now = std::chrono::steady_clock::now().time_since_epoch();
            lines[o.pick].words[0] += static_cast<std::uint64_t>(now.count()) + o.delay_ms;
        }
    }
};

}  // namespace

std::unique_ptr<contender> make_probe_line() { return std::make_unique<probe_line>(); }

}  // namespace bench

// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "contender.hpp"
#include "options.hpp"
#include "results.hpp"

namespace bench {

/// Lets every model take its turn in every repeat of every workload.
class runner {
public:
    runner(const options& o, contenders all) : options_(o), all_(std::move(all)) {}

    /// True: all models did the same work. What differed is told on stderr.
    bool run(results& into);

private:
    struct cell {
        workload what;
        std::uint64_t n;
    };
    [[nodiscard]] std::vector<cell> cells() const;
    [[nodiscard]] std::vector<contender*> entrants(const cell& c) const;
    [[nodiscard]] std::size_t arena_bytes() const;
    void show_progress(const cell& c, const contender& one, int repeat) const;
    bool run_cell(const cell& c, arena& memory, results& into);

    const options& options_;
    contenders all_;
};

}  // namespace bench

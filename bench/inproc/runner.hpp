// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../common/results.hpp"
#include "contender.hpp"
#include "options.hpp"

namespace bench {

/// Lets every model take its turn in every repeat of every workload.
class runner {
public:
    runner(const options& o, contenders all) : options_(o), all_(std::move(all)) {}

    /// True: all models did the same work. What differed is told on stderr.
    bool run(results& into);

private:
    /// These models are compared with each other.
    struct contest {
        workload what;
        unsigned threads;
        std::uint64_t n;
        std::vector<contender*> models;
    };
    [[nodiscard]] std::vector<contest> contests() const;
    [[nodiscard]] int repeats(const contest& c) const;
    bool hold(const contest& c, arena& memory, results& into) const;

    const options& options_;
    contenders all_;
};

}  // namespace bench

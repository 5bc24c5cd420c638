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

    /// True: all models did what was planned. What did not is told on stderr.
    bool run(results& into);

    /// Says on stdout how often other programs were busy, if they were.
    void tell_disturbed() const;

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
    bool hold(const contest& c, arena& memory, results& into);
    outcome turn(contender& one, const plan& p, arena& memory);

    const options& options_;
    contenders all_;
    int turns_ = 0;
    int disturbed_ = 0;
    double retry_seconds_ = options_.quick ? 10 : 60;  // left
};

}  // namespace bench

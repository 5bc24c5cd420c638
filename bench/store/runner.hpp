// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../common/results.hpp"
#include "contender.hpp"
#include "options.hpp"

namespace bench {

/// Every workload, group and repeat; in each repeat every model takes its turn.
class runner {
public:
    runner(const options& o, contenders all) : options_(o), all_(std::move(all)) {}

    /// False: a model did not do the work.
    bool run(results& into);

    void tell_disturbed() const;

private:
    bool hold(const plan& p, results& into);
    outcome turn(contender& one, const plan& p);
    [[nodiscard]] int repeats() const;

    const options& options_;
    contenders all_;
    int turns_ = 0;
    int disturbed_ = 0;
    double retry_seconds_ = 60;  // left for turns that are taken again
};

}  // namespace bench

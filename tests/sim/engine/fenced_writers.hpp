// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/engine/checker.hpp"

namespace foliot::sim {

/// 5. A writer with an old epoch commits nothing.
class fenced_writers final : public checker {
public:
    fenced_writers(const ledger& l, const plan& p, std::vector<breach>& b)
        : checker("fenced_writers", l, p, b) {}

    void on_acquired(store::epoch e) override {
        if (e <= owner_) broken("an epoch was given again");
        owner_ = e;
    }
    void on_commit(store::epoch by) override {
        if (by == owner_) return;
        broken("epoch " + number(by) + " committed while " + number(owner_) + " owns the shard");
    }

private:
    static std::string number(store::epoch e) {
        return std::to_string(static_cast<std::uint32_t>(e));
    }

    store::epoch owner_{};
};

}  // namespace foliot::sim

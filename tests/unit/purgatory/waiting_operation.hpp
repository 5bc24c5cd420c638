// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <foliot/service/delayed_operations.hpp>

#include <atomic>
#include <functional>
#include <utility>

namespace foliot::test_support {

/// A service that goes by `clock`, and runs what is due in poll().
inline service_options driven_by(const service_clock& clock) {
    service_options o;
    o.clock = &clock;
    o.driver = false;
    o.workers = 0;
    return o;
}

/// An operation that does what a test says, and counts what is called.
class waiting_operation : public delayed_operation {
public:
    explicit waiting_operation(std::function<bool()> condition = [] { return false; })
        : condition_(std::move(condition)) {
        ++alive;
    }
    ~waiting_operation() override { --alive; }

    std::function<void()> then;
    std::atomic<int> completions{0};
    std::atomic<int> expirations{0};
    // Neither atomic nor locked: a try beside another one, or beside an expiration, is a data race.
    int looks = 0;

    static inline std::atomic<int> alive{0};

protected:
    bool try_complete() override {
        ++looks;
        return condition_() && force_complete();
    }
    void on_complete() override {
        ++completions;
        if (then) then();
    }
    void on_expiration() override {
        ++looks;
        expirations += completions == 1 ? 1 : 1'000'000;
    }

private:
    std::function<bool()> condition_;
};

}  // namespace foliot::test_support

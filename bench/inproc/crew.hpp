// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "contender.hpp"

#include <barrier>
#include <chrono>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

namespace bench {

/// The threads of one turn. Each prepares, works when all have prepared, and tidies up when all
/// have worked; what is measured is from the first that begins to the last that ends.
class crew {
public:
    /// What a thread is given.
    class place {
    public:
        /// Waits for the others; the time begins.
        void begin();
        /// The time ends; waits for the others.
        void end();
        /// Adds to the checksum of what was done.
        void add(std::uint64_t part) { checksum_ += part; }
        /// Waits for the others.
        void meet();

        unsigned number;

    private:
        friend class crew;
        place(unsigned n, crew& c) : number(n), crew_(c) {}
        crew& crew_;
        std::chrono::steady_clock::time_point begin_;
        std::chrono::steady_clock::time_point end_;
        std::uint64_t checksum_ = 0;
    };

    explicit crew(unsigned threads) : threads_(threads), barrier_(threads) {}

    /// Lets all of them work, and tells what that took for each operation.
    outcome run(std::uint64_t ops, const std::function<void(place&)>& work);

private:
    const unsigned threads_;
    std::barrier<> barrier_;
    double cpu_begin_ = 0;
    double cpu_end_ = 0;
};

}  // namespace bench

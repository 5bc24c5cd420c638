// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "contender.hpp"

#include <barrier>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

namespace bench {

/// What a turn's time is.
enum class timing {
    wall,  ///< the time that passes
    own,   ///< less what a thread waits for a core: where only other programs can take it
};

/// The threads of one turn. Each prepares, works when all have prepared, and tidies up when all
/// have worked. The time of the turn is that of the slowest.
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
        double begin_ = 0;
        double took_ = 0;
        std::uint64_t checksum_ = 0;
    };

    crew(unsigned threads, timing t) : threads_(threads), timing_(t), barrier_(threads) {}

    /// Lets all of them work, and tells what that took for each operation.
    outcome run(std::uint64_t ops, const std::function<void(place&)>& work);

private:
    [[nodiscard]] double now() const;

    const unsigned threads_;
    const timing timing_;
    std::barrier<> barrier_;
    double cpu_begin_ = 0;
    double cpu_end_ = 0;
};

}  // namespace bench

// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <coroutine>
#include <cstdint>

namespace foliot::detail {

/// How a coroutine begins another one, and how that hands back.
///
/// It is resumed within a call, and if it ends within that call, the call returns and the first one
/// goes on: so a loop of coroutines that end at once needs no more stack than one of them, which
/// symmetric transfer alone does not give with g++ below -O2. One that ends later transfers to
/// whoever waits, there and then.
///
/// The call may not look into the coroutine once it has suspended: by then it may have ended on
/// another thread, and be gone. So one that ends looks at the calls of its own thread instead.
class nesting {
public:
    /// True: it ended within this call, on this thread. False: it goes, or went, on by itself.
    ///
    /// Neither is inlined into a coroutine, which may go on on another thread.
    [[gnu::noinline]] [[nodiscard]] bool begin(std::coroutine_handle<> child,
                                               std::coroutine_handle<> parent) noexcept {
        call here{++calls_, false, innermost_};
        parent_ = parent;
        call_ = &here;
        number_ = here.number;
        innermost_ = &here;
        child.resume();
        innermost_ = here.outer;  // *this may be gone
        return here.ended;
    }

    /// What is to be resumed at its end.
    [[gnu::noinline]] [[nodiscard]] std::coroutine_handle<> end() const noexcept {
        call* const here = innermost_;
        if (here == nullptr || here != call_ || here->number != number_) return parent_;
        here->ended = true;
        return std::noop_coroutine();
    }

private:
    struct call {
        std::uint64_t number;  // so that it is told from another one at the same place
        bool ended;
        call* outer;
    };
    static constinit inline thread_local call* innermost_ = nullptr;
    static constinit inline thread_local std::uint64_t calls_ = 0;

    std::coroutine_handle<> parent_;
    const call* call_ = nullptr;
    std::uint64_t number_ = 0;
};

}  // namespace foliot::detail

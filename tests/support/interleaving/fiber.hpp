// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <csetjmp>
#include <cstddef>
#include <functional>
#include <vector>

#include <ucontext.h>

namespace foliot::interleaving {

/// What differs from thread to thread by itself: the thread_local variables of this program, and
/// which exceptions are being handled.
class thread_locals {
public:
    /// As a thread finds them that has just begun.
    thread_locals();

    /// From and to the one real thread.
    void save() noexcept;
    void load() const noexcept;

private:
    std::vector<std::byte> variables_;
    std::byte exceptions_[2 * sizeof(void*)]{};
};

/// A thread of an explored program: a stack, and thread_local variables of its own, on the one real
/// thread. To go from one to another takes some 20 ns, where threads would take microseconds, and
/// the same steps always come out the same.
class fiber {
public:
    /// The one that is there already.
    fiber() = default;
    /// One with a stack.
    explicit fiber(std::size_t stack_bytes);
    fiber(const fiber&) = delete;
    fiber& operator=(const fiber&) = delete;
    ~fiber();

    /// It does `job` when it is gone to. The last thing that a job does is leave_to, and to return.
    /// One that is under way is left as it is, for ever.
    void begin(std::function<void()> job, const thread_locals& locals);

    /// From the fiber that runs, *this, to another. Returns when somebody goes to this one.
    void go_to(fiber& other);
    /// The same; it returns when there is a next job.
    void leave_to(fiber& other);

private:
    static void run();
    void change_to(fiber& other);
    [[noreturn]] void enter();

    std::byte* stack_ = nullptr;
    std::size_t stack_bytes_ = 0;
    std::function<void()> job_;
    thread_locals locals_;
    std::jmp_buf at_{};
    ucontext_t fresh_{};
    bool idle_ = false;  // its job has ended
    bool anew_ = false;  // it begins at the top of its stack
};

}  // namespace foliot::interleaving

// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "support/interleaving/fiber.hpp"

#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cxxabi.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace foliot::interleaving {

namespace {

constexpr std::size_t exceptions_bytes = 2 * sizeof(void*);  // __cxa_eh_globals, by the C++ ABI

[[noreturn]] void give_up(const char* what) {
    std::fprintf(stderr, "interleaving: %s\n", what);
    std::abort();
}

// The thread_local variables of the program itself: where the real thread has them, and what they
// begin with.
struct segment {
    std::byte* here = nullptr;
    std::size_t bytes = 0;
    const std::byte* image = nullptr;
    std::size_t image_bytes = 0;
};

int of_program(dl_phdr_info* info, std::size_t, void* out) {
    for (int i = 0; i < info->dlpi_phnum; ++i) {
        const auto& header = info->dlpi_phdr[i];
        if (header.p_type != PT_TLS) continue;
        auto& s = *static_cast<segment*>(out);
        s.here = static_cast<std::byte*>(info->dlpi_tls_data);
        s.bytes = header.p_memsz;
        // NOLINTNEXTLINE(performance-no-int-to-ptr): that is how a program header says it
        s.image = reinterpret_cast<const std::byte*>(info->dlpi_addr + header.p_vaddr);
        s.image_bytes = header.p_filesz;
    }
    return 1;  // the first object is the program
}

const segment& variables() {
    static const segment s = [] {
        segment found;
        dl_iterate_phdr(&of_program, &found);
        return found;
    }();
    return s;
}

}  // namespace

thread_locals::thread_locals() : variables_(variables().bytes) {
    if (!variables_.empty()) {
        std::memcpy(variables_.data(), variables().image, variables().image_bytes);
    }
}

void thread_locals::save() noexcept {
    const segment& s = variables();
    if (s.bytes != 0) std::memcpy(variables_.data(), s.here, s.bytes);
    std::memcpy(exceptions_, static_cast<const void*>(abi::__cxa_get_globals()), exceptions_bytes);
}

void thread_locals::load() const noexcept {
    const segment& s = variables();
    if (s.bytes != 0) std::memcpy(s.here, variables_.data(), s.bytes);
    std::memcpy(static_cast<void*>(abi::__cxa_get_globals()), exceptions_, exceptions_bytes);
}

namespace {
fiber* entering = nullptr;  // for run(), which has no arguments
}

fiber::fiber(std::size_t stack_bytes) : stack_bytes_(stack_bytes) {
    // Its lowest page stays closed, so that too deep a stack is a crash and not a riddle.
    void* const memory = mmap(nullptr, stack_bytes_, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    if (memory == MAP_FAILED) give_up("no memory for a stack");
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    if (mprotect(memory, page, PROT_NONE) != 0) give_up("mprotect failed");
    stack_ = static_cast<std::byte*>(memory);
}

fiber::~fiber() {
    if (stack_ != nullptr) munmap(stack_, stack_bytes_);
}

void fiber::begin(std::function<void()> job, const thread_locals& locals) {
    job_ = std::move(job);
    locals_ = locals;
    if (std::exchange(idle_, false)) return;
    if (getcontext(&fresh_) != 0) give_up("getcontext failed");
    fresh_.uc_stack.ss_sp = stack_;
    fresh_.uc_stack.ss_size = stack_bytes_;
    fresh_.uc_link = nullptr;
    makecontext(&fresh_, &fiber::run, 0);
    anew_ = true;
}

void fiber::run() {
    fiber& me = *entering;
    me.locals_.load();
    while (true) {
        const std::function<void()> job = std::exchange(me.job_, nullptr);
        job();
    }
}

void fiber::go_to(fiber& other) {
    locals_.save();
    change_to(other);
}

void fiber::leave_to(fiber& other) {
    idle_ = true;
    change_to(other);
}

void fiber::change_to(fiber& other) {
    if (_setjmp(at_) == 0) other.enter();
    locals_.load();
}

void fiber::enter() {
    entering = this;
    if (!std::exchange(anew_, false)) _longjmp(at_, 1);
    setcontext(&fresh_);
    give_up("setcontext failed");
}

}  // namespace foliot::interleaving

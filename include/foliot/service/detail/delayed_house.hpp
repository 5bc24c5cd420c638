// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <foliot/service/detail/sync.hpp>

#include <cstddef>
#include <cstdint>

namespace foliot::detail {

/// What the operations of one delayed_operations share with it: the gauges, and the sweep. It lives
/// until the last of them is gone.
class delayed_house {
public:
    explicit delayed_house(std::size_t threshold) noexcept
        : threshold_(static_cast<std::ptrdiff_t>(threshold)) {}
    delayed_house(const delayed_house&) = delete;
    delayed_house& operator=(const delayed_house&) = delete;
    virtual ~delayed_house() = default;

    // Signed: a removal may be counted before what it removes is.
    sync::atomic<std::ptrdiff_t> watched{0};  // entries in watcher lists
    sync::atomic<std::ptrdiff_t> over{0};     // of these, whose operation is over
    sync::atomic<std::ptrdiff_t> delayed{0};  // operations that wait for their timeout

    /// Sweeps if that is worth it: half of all, so that it costs O(1) for each entry it removes.
    void sweep_if_needed() noexcept {
        // Who finds another sweeping may leave: that one looks again after it has cleared the flag.
        while (needs_sweep() && !sweeping_.exchange(true)) {
            const bool swept = sweep();
            sweeping_ = false;
            if (!swept) return;
        }
    }

    /// Removes the entries of operations that are over. False: for want of memory, not all.
    virtual bool sweep() noexcept = 0;

private:
    [[nodiscard]] bool needs_sweep() const noexcept {
        const std::ptrdiff_t n = over.load();
        return n > threshold_ && n > watched.load() / 2;
    }

    const std::ptrdiff_t threshold_;
    sync::atomic<bool> sweeping_{false};
};

/// The checks that run on this thread, the innermost first: a check of a key that is being checked
/// further out is made there, so that completions that check the key again do not nest.
struct check_here {
    const void* table;
    const void* key;
    bool again;
    check_here* outer;
};
inline thread_local check_here* innermost_check = nullptr;

class enter_check {
public:
    explicit enter_check(check_here& here) noexcept { innermost_check = &here; }
    enter_check(const enter_check&) = delete;
    enter_check& operator=(const enter_check&) = delete;
    ~enter_check() { innermost_check = innermost_check->outer; }
};

/// Operations completed by this thread: whether something has changed since.
inline thread_local std::uint64_t completions_here = 0;

/// How often user code is called again for what it asked for itself, from within: while something
/// is completed, and once more. So a try_complete that checks its own key comes to an end.
class rounds_from_within {
public:
    void begin() noexcept { before_ = completions_here; }
    [[nodiscard]] bool goes_on(bool again) noexcept {
        fruitless_ = completions_here != before_ ? 0 : fruitless_ + 1;
        return again && fruitless_ < 2;
    }

private:
    std::uint64_t before_ = 0;
    int fruitless_ = 0;
};

}  // namespace foliot::detail

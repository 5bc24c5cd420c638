// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstring>
#include <functional>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace foliot {

// What a timer calls: anything that can be called without arguments, move-only things too. Its
// result is dropped.
//
// Time:    making, moving, calling and destroying are one indirect call beside the callable's own.
// Threads: as the callable.
// Memory:  56 bytes. A callable of up to 48 bytes that is not over-aligned and does not throw when
//          moved lies inside; a larger one is allocated.
// Errors:  std::bad_alloc, and what the callable's constructor throws. Calling an empty one is
//          undefined.
class task {
public:
    static constexpr std::size_t inline_bytes = 48;

    task() noexcept = default;

    template <class F>
        requires(!std::same_as<std::remove_cvref_t<F>, task> && std::invocable<std::decay_t<F>&>)
    // NOLINTNEXTLINE(google-explicit-constructor,bugprone-forwarding-reference-overload)
    task(F&& f) {  // as std::function
        using callable = std::decay_t<F>;
        if constexpr (fits<callable>) {
            ::new (static_cast<void*>(bytes_)) callable(std::forward<F>(f));
            operations_ = &inside<callable>;
        } else {
            ::new (static_cast<void*>(bytes_)) callable*(new callable(std::forward<F>(f)));
            operations_ = &outside<callable>;
        }
    }

    task(task&& other) noexcept { take(other); }
    task& operator=(task&& other) noexcept {
        if (this != &other) {
            reset();
            take(other);
        }
        return *this;
    }
    task(const task&) = delete;
    task& operator=(const task&) = delete;
    ~task() { reset(); }

    explicit operator bool() const noexcept { return operations_ != nullptr; }
    void operator()() { operations_->call(bytes_); }

    /// Destroys the callable.
    void reset() noexcept {
        if (operations_ == nullptr) return;
        std::exchange(operations_, nullptr)->destroy(bytes_);
    }

    /// Makes it empty without destroying a callable that is plain.
    void forget() noexcept { operations_ = nullptr; }

    /// Whether moving it runs no code of the callable's type; whether destroying it does not.
    [[nodiscard]] bool moves_plainly() const noexcept {
        return operations_ == nullptr || operations_->moves_plainly;
    }
    [[nodiscard]] bool is_plain() const noexcept {
        return operations_ == nullptr || operations_->is_plain;
    }

    /// Whether a callable of this type lies inside.
    template <class F>
    static constexpr bool fits = sizeof(F) <= inline_bytes && alignof(F) <= alignof(void*) &&
                                 std::is_nothrow_move_constructible_v<F>;

private:
    struct operations {
        void (*call)(void*);
        void (*move)(void* from, void* to) noexcept;  // and destroys what is left
        void (*destroy)(void*) noexcept;
        bool moves_plainly;
        bool is_plain;
    };

    template <class F>
    static F& at(void* bytes) noexcept {
        return *std::launder(reinterpret_cast<F*>(bytes));
    }

    template <class F>
    static constexpr operations inside{
        [](void* bytes) { static_cast<void>(std::invoke(at<F>(bytes))); },
        [](void* from, void* to) noexcept {
            ::new (to) F(std::move(at<F>(from)));
            std::destroy_at(&at<F>(from));
        },
        [](void* bytes) noexcept { std::destroy_at(&at<F>(bytes)); },
        std::is_trivially_copyable_v<F>, std::is_trivially_copyable_v<F>};

    template <class F>
    static constexpr operations outside{
        [](void* bytes) { static_cast<void>(std::invoke(*at<F*>(bytes))); },
        [](void* from, void* to) noexcept { ::new (to) F*(at<F*>(from)); },
        [](void* bytes) noexcept { delete at<F*>(bytes); }, true, false};

    void take(task& other) noexcept {
        if (other.operations_ == nullptr) return;
        operations_ = std::exchange(other.operations_, nullptr);
        if (operations_->moves_plainly) {
            std::memcpy(bytes_, other.bytes_, inline_bytes);
        } else {
            operations_->move(other.bytes_, bytes_);
        }
    }

    alignas(void*) std::byte bytes_[inline_bytes];
    const operations* operations_ = nullptr;
};

}  // namespace foliot

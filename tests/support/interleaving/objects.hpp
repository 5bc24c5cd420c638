// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "support/interleaving/execution.hpp"
#include "support/interleaving/operation.hpp"
#include "support/interleaving/vector_clock.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

// The objects by which threads meet, as the standard library has them, for an explored program.
// What is made outside of an execution is not explored, and may not be waited for.
namespace foliot::interleaving {

/// Names an object of an execution.
class identity {
public:
    identity() noexcept { number_ = execution::inside() ? execution::now().add_object() : 0; }
    identity(const identity&) = delete;
    identity& operator=(const identity&) = delete;
    /// Destruction is a step as well: nobody may come after it.
    ~identity() {
        if (!explored()) return;
        operation op("is destroyed");
        op.on(number_, access::destroy);
        execution::now().await_turn(request(op));
        execution::now().happened(op);
        execution::now().end_object(number_);
    }

    [[nodiscard]] std::uint32_t number() const noexcept { return number_; }
    /// Whether a step on it is a step of the execution.
    [[nodiscard]] bool explored() const noexcept { return number_ != 0 && execution::inside(); }

private:
    std::uint32_t number_;
};

class mutex {
public:
    mutex() noexcept = default;
    ~mutex();
    mutex(const mutex&) = delete;
    mutex& operator=(const mutex&) = delete;

    void lock();
    [[nodiscard]] bool try_lock();
    void unlock();

    [[nodiscard]] bool held() const noexcept { return owner_.has_value(); }
    [[nodiscard]] unsigned owner() const noexcept { return owner_.value_or(0); }
    [[nodiscard]] std::uint32_t object() const noexcept { return id_.number(); }

private:
    friend class condition_variable;

    std::optional<unsigned> owner_;
    identity id_;
};

class condition_variable {
public:
    condition_variable() noexcept = default;
    ~condition_variable();
    condition_variable(const condition_variable&) = delete;
    condition_variable& operator=(const condition_variable&) = delete;

    void notify_one();
    void notify_all();

    void wait(std::unique_lock<mutex>& held) { wait_until_time(held, std::nullopt); }
    template <class Predicate>
    void wait(std::unique_lock<mutex>& held, Predicate enough) {
        while (!enough()) wait(held);
    }
    template <class Rep, class Period>
    std::cv_status wait_for(std::unique_lock<mutex>& held,
                            std::chrono::duration<Rep, Period> most) {
        const auto ns = std::chrono::ceil<std::chrono::nanoseconds>(most);
        return wait_until_time(held, ns) ? std::cv_status::timeout : std::cv_status::no_timeout;
    }
    template <class Rep, class Period, class Predicate>
    bool wait_for(std::unique_lock<mutex>& held, std::chrono::duration<Rep, Period> most,
                  Predicate enough) {
        while (!enough()) {
            if (wait_for(held, most) == std::cv_status::timeout) return enough();
        }
        return true;
    }

    [[nodiscard]] std::uint32_t object() const noexcept { return id_.number(); }

private:
    // Whether its time was over.
    bool wait_until_time(std::unique_lock<mutex>& held,
                         std::optional<std::chrono::nanoseconds> most);
    void notify(bool all);

    thread_set waiting_;
    identity id_;
};

/// A value; each read and each write of it is a step, in one order for all.
template <class T>
class atomic {
public:
    atomic() noexcept : value_() {}
    atomic(T value) noexcept : value_(value) {}  // NOLINT(google-explicit-constructor): as std
    atomic(const atomic&) = delete;
    atomic& operator=(const atomic&) = delete;

    T load(std::memory_order = std::memory_order_seq_cst) const noexcept {
        const step s(*this, "load", access::read);
        return value_;
    }
    void store(T value, std::memory_order = std::memory_order_seq_cst) noexcept {
        const step s(*this, "store", access::write);
        value_ = value;
    }
    T exchange(T value, std::memory_order = std::memory_order_seq_cst) noexcept {
        const step s(*this, "exchange", access::write);
        return std::exchange(value_, value);
    }
    bool compare_exchange_strong(T& expected, T value,
                                 std::memory_order = std::memory_order_seq_cst) noexcept {
        step s(*this, "compare_exchange", access::write);
        if (value_ != expected) {
            s.did = access::read;
            expected = value_;
            return false;
        }
        value_ = value;
        return true;
    }
    bool compare_exchange_strong(T& expected, T value, std::memory_order order,
                                 std::memory_order) noexcept {
        return compare_exchange_strong(expected, value, order);
    }
    bool compare_exchange_weak(T& expected, T value,
                               std::memory_order order = std::memory_order_seq_cst) noexcept {
        return compare_exchange_strong(expected, value, order);
    }

    template <class U>
    T fetch_add(U by, std::memory_order = std::memory_order_seq_cst) noexcept {
        return change("fetch_add", [&](T v) { return static_cast<T>(v + static_cast<T>(by)); });
    }
    template <class U>
    T fetch_sub(U by, std::memory_order = std::memory_order_seq_cst) noexcept {
        return change("fetch_sub", [&](T v) { return static_cast<T>(v - static_cast<T>(by)); });
    }
    T fetch_or(T bits, std::memory_order = std::memory_order_seq_cst) noexcept {
        return change("fetch_or", [&](T v) { return static_cast<T>(v | bits); });
    }
    T fetch_and(T bits, std::memory_order = std::memory_order_seq_cst) noexcept {
        return change("fetch_and", [&](T v) { return static_cast<T>(v & bits); });
    }

    operator T() const noexcept { return load(); }  // NOLINT(google-explicit-constructor): as std
    T operator=(T value) noexcept {  // NOLINT(misc-unconventional-assign-operator): as std
        store(value);
        return value;
    }
    T operator++() noexcept { return static_cast<T>(fetch_add(1) + T{1}); }
    T operator++(int) noexcept { return fetch_add(1); }
    T operator--() noexcept { return static_cast<T>(fetch_sub(1) - T{1}); }
    T operator--(int) noexcept { return fetch_sub(1); }
    template <class U>
    T operator+=(U by) noexcept {
        return static_cast<T>(fetch_add(by) + static_cast<T>(by));
    }
    template <class U>
    T operator-=(U by) noexcept {
        return static_cast<T>(fetch_sub(by) - static_cast<T>(by));
    }

private:
    // From the turn to the end of the scope.
    struct step {
        step(const atomic& a, const char* what, access how) noexcept
            : did(how), name(what), of(a), explored(a.id_.explored()) {
            if (!explored) return;
            operation op(name);
            execution::now().await_turn(request(op.on(of.id_.number(), did)));
        }
        step(const step&) = delete;
        step& operator=(const step&) = delete;
        ~step() {
            if (!explored) return;
            operation op(name);
            execution::now().happened(op.on(of.id_.number(), did), of.text());
        }
        access did;
        const char* const name;
        const atomic& of;
        const bool explored;
    };

    template <class F>
    T change(const char* what, F f) noexcept {
        const step s(*this, what, access::write);
        return std::exchange(value_, f(value_));
    }

    std::string text() const {
        if constexpr (std::is_integral_v<T>) {
            return "= " + std::to_string(value_);
        } else if constexpr (std::is_enum_v<T>) {
            return "= " + std::to_string(static_cast<std::underlying_type_t<T>>(value_));
        } else {
            return {};
        }
    }

    T value_;
    identity id_;
};

class thread {
public:
    class id {
    public:
        id() noexcept = default;
        explicit id(unsigned number) noexcept : number_(static_cast<int>(number)) {}
        friend auto operator<=>(id, id) noexcept = default;

    private:
        int number_ = -1;
    };

    thread() noexcept = default;
    template <class F, class... Args>
        requires(!std::is_same_v<std::remove_cvref_t<F>, thread>)
    explicit thread(F&& f, Args&&... args)
        : number_(start(std::make_shared<std::decay_t<F>>(std::forward<F>(f)),
                        std::forward<Args>(args)...)) {}
    thread(thread&& other) noexcept : number_(std::exchange(other.number_, std::nullopt)) {}
    thread& operator=(thread&& other) noexcept {
        must_not_be_joinable();
        number_ = std::exchange(other.number_, std::nullopt);
        return *this;
    }
    ~thread() { must_not_be_joinable(); }

    [[nodiscard]] bool joinable() const noexcept { return number_.has_value(); }
    void join();
    void detach() noexcept { number_.reset(); }
    [[nodiscard]] id get_id() const noexcept { return number_ ? id(*number_) : id(); }

private:
    template <class F, class... Args>
    static unsigned start(std::shared_ptr<F> f, Args&&... args) {
        return execution::now().start(
            [f, ... a = std::decay_t<Args>(std::forward<Args>(args))]() mutable {
                std::invoke(std::move(*f), std::move(a)...);
                f.reset();  // by the thread, as it would be
            });
    }
    void must_not_be_joinable() const {
        if (number_) execution::now().fail("a thread is destroyed that was not joined");
    }

    std::optional<unsigned> number_;
};

namespace this_thread {

/// Of who runs outside of an execution: that of no thread.
[[nodiscard]] inline thread::id get_id() noexcept {
    return execution::inside() ? thread::id(execution::now().self()) : thread::id();
}

}  // namespace this_thread

}  // namespace foliot::interleaving

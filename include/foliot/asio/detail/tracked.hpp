// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/asio/execution/executor.hpp>
#include <boost/asio/execution/outstanding_work.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/prefer.hpp>

#include <utility>

namespace foliot::detail {

// An executor whose context is kept at work as long as this is there. executor_work_guard does not
// take every executor of its own library (Boost 1.81: a strand of an any_io_executor).
template <class Executor>
auto tracked(const Executor& ex) {
    return boost::asio::prefer(ex, boost::asio::execution::outstanding_work.tracked);
}

template <class Executor, bool = boost::asio::execution::is_executor<Executor>::value>
class tracked_executor {
public:
    explicit tracked_executor(const Executor& ex) : executor_(tracked(ex)) {}
    [[nodiscard]] const auto& get() const noexcept { return executor_; }

private:
    decltype(tracked(std::declval<const Executor&>())) executor_;
};

/// Those of the Networking TS.
template <class Executor>
class tracked_executor<Executor, false> {
public:
    explicit tracked_executor(const Executor& ex) : guard_(ex) {}
    [[nodiscard]] Executor get() const noexcept { return guard_.get_executor(); }

private:
    boost::asio::executor_work_guard<Executor> guard_;
};

}  // namespace foliot::detail

// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "client/client.hpp"
#include "options.hpp"
#include "support/process/foliotd_process.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

namespace bench {

using namespace std::chrono_literals;
using seconds = std::chrono::duration<double>;

/// A real foliotd on an empty directory, which is deleted with it.
class house {
public:
    explicit house(const options& o);
    ~house();
    house(const house&) = delete;
    house& operator=(const house&) = delete;

    void start();  ///< and waits until it is ready; throws what its log says
    void stop();   ///< gracefully

    [[nodiscard]] foliot::client::client new_client() const;
    [[nodiscard]] std::uint64_t resident_bytes() const;
    [[nodiscard]] std::uint64_t disk_bytes() const;

private:
    std::string directory_;
    foliot::test_support::foliotd_process server_;
};

/// Sets timers `from` to `to` by batches, over two connections at a time. How long it took. Throws
/// when one is refused.
seconds set_many(const house& h, std::uint64_t from, std::uint64_t to, const std::string& queue,
                 const std::function<foliot::client::when(std::uint64_t)>& due);

/// What a call gave; throws its error.
template <class T>
T must(foliot::client::client_result<T> r) {
    if (!r) throw std::runtime_error(r.error().message);
    return std::move(*r);
}

}  // namespace bench

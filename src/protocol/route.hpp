// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.hpp"
#include "protocol/http.hpp"

#include <string>
#include <string_view>

namespace foliot::protocol {

/// One resource; its methods tell the commands apart.
enum class endpoint {
    timer,
    timers,
    batch,
    lease,
    ack,
    nack,
    extend,
    dead,
    limits,
    healthz,
    readyz,
    metrics
};

/// A target taken apart: names are percent-decoded but not checked.
struct matched {
    endpoint what = endpoint::timer;
    std::string ns;
    std::string name;        ///< the timer's id or the queue
    std::string_view query;  ///< still encoded; a view into the target
};

/// The resource that a target names; else no_such_route or bad_encoding.
[[nodiscard]] result<matched, problem> find_route(std::string_view target);

/// The methods of a resource, as in the header Allow: "GET, PUT, DELETE".
[[nodiscard]] std::string_view allowed_methods(endpoint what);

/// Whether `methods` has `method` in it.
[[nodiscard]] bool allows(std::string_view methods, std::string_view method);

}  // namespace foliot::protocol

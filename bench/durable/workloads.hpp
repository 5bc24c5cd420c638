// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../common/results.hpp"
#include "options.hpp"

#include <string>

namespace bench {

/// Many timers pending: how fast they are set, what they take, how fast foliotd is back with them.
void measure_pending(const options& o, const std::string& dues, results& into);

/// A million due in one millisecond, while others set and cancel.
void measure_burst(const options& o, results& into);

/// From due to offered, at a steady rate.
void measure_lateness(const options& o, results& into);

}  // namespace bench

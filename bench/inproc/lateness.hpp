// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../common/results.hpp"
#include "options.hpp"

namespace bench {

/// How late the service's callbacks begin on a machine that has nothing else to do: 10 000 timers a
/// second for 5 s, made one by one at random times, each due at a random time within a second.
/// True: all have run, and none early.
bool measure_lateness(const options& o, results& into);

}  // namespace bench

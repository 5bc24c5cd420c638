// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "service/scenario.hpp"

namespace foliot {

/// Operations that wait for a condition or a timeout: watched, checked, expired, dropped, completed
/// by force, at the same time.
[[nodiscard]] scenarios delayed_scenarios();

}  // namespace foliot

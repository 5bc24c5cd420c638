// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace wheel_picture {

/// A timer in 2 h 5 min on a wheel of seconds: what the wheel says at each step of a real run.
std::string worked_example();

}  // namespace wheel_picture

// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "scene.hpp"

#include <string>

namespace wheel_picture {

/// The picture as an SVG that follows the reader's light or dark theme.
std::string draw(const scene& s);

}  // namespace wheel_picture

// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "service/explore_test.hpp"

FOLIOT_EXPLORE(overload)
FOLIOT_EXPLORE(driver)
FOLIOT_EXPLORE(reusable)

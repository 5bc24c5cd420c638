// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

namespace bench {

/// Takes out of the measurements what is not the models': stays on one core, and tells malloc to
/// keep what it got, as the heap of a program that has run for a while does.
void steady_machine();

}  // namespace bench

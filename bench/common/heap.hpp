// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

namespace bench {

/// Tells malloc to keep what it got, as the heap of a program that has run for a while does.
void keep_heap();

}  // namespace bench

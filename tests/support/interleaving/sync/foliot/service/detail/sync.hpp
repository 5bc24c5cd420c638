// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
//
// Stands before the service's own header of this name, in programs that explore its interleavings.
#pragma once

#include "support/interleaving/objects.hpp"

namespace foliot::detail::sync {

using interleaving::atomic;
using interleaving::condition_variable;
using interleaving::mutex;
using interleaving::thread;
namespace this_thread = interleaving::this_thread;

}  // namespace foliot::detail::sync

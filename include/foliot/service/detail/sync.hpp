// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

// Everything by which threads of a service meet, in one place: the tests that explore interleavings
// put a header of this name before it, whose mutexes and threads they schedule themselves.
namespace foliot::detail::sync {

using std::atomic;
using std::condition_variable;
using std::mutex;
using std::thread;
namespace this_thread = std::this_thread;

}  // namespace foliot::detail::sync

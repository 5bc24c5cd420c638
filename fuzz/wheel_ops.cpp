// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "model/wheel/oracle.hpp"
#include "model/wheel/planted_bugs.hpp"

#include <foliot/wheel/bucket_queue_wheel.hpp>
#include <foliot/wheel/deadline_heap.hpp>
#include <foliot/wheel/hashed_wheel.hpp>
#include <foliot/wheel/hierarchical_wheel.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>

// Any sequence of operations leaves every timer queue in agreement with a multimap. The input's
// first byte picks where time begins; the others are the choices that the oracle makes: what to do
// next (also inside the sink), to which timer, with which due, now and budget.
//
// With FOLIOT_PLANTED_BUG it is the canary: one of the queues is broken, and the fuzzer must find
// out, or its silence about the sound ones means nothing. `./dev check` runs both.

namespace {

using namespace foliot;

// The input as a source of choices: a byte for a small one. All zeros when it has come to its end.
class choices {
public:
    explicit choices(std::span<const std::uint8_t> input) : left_(input) {}

    std::uint64_t pick(std::uint64_t below) { return take(below <= 256 ? 1 : 8) % below; }
    std::uint64_t operator()() { return take(8); }
    [[nodiscard]] bool exhausted() const { return left_.empty(); }

private:
    std::uint64_t take(std::size_t bytes) {
        std::uint64_t value = 0;
        for (std::size_t i = 0; i < bytes && !left_.empty(); ++i) {
            value = value << 8 | left_.front();
            left_ = left_.subspan(1);
        }
        return value;
    }

    std::span<const std::uint8_t> left_;
};

// Small wheels turn, cascade and overflow with few operations; the last one is what users get.
struct small_bucket_queue : bucket_queue_wheel {
    explicit small_bucket_queue(tick start = {})
        : bucket_queue_wheel(start, {.ticks_per_bucket = 1, .wheel_size = 4}) {}
};

template <class Queue>
void check(const char* model, std::span<const std::uint8_t> input, std::uint64_t start) {
    test::oracle<Queue, choices> against(choices(input), start);
    const std::string fault = against.run(100'000);
    if (fault.empty()) return;
    std::fprintf(stderr, "%s disagrees with the oracle: %s\n", model, fault.c_str());
    std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const std::uint64_t starts[] = {0, 1005, 0xffff'ff00, tick::max().count - 5000};
    const std::uint64_t start = starts[data[0] % 4];
    const std::span<const std::uint8_t> input(data + 1, size - 1);
#ifdef FOLIOT_PLANTED_BUG
    using sound = hierarchical_wheel<4, 3>;
    check<test::loses_a_timer_in_a_shared_cascade<sound>>("planted bug", input, start);
#else
    check<hierarchical_wheel<4, 3>>("hierarchical_wheel<4, 3>", input, start);
    check<hashed_wheel<8>>("hashed_wheel<8>", input, start);
    check<small_bucket_queue>("bucket_queue_wheel of 4 buckets", input, start);
    check<deadline_heap>("deadline_heap", input, start);
    check<hierarchical_wheel<>>("hierarchical_wheel<>", input, start);
#endif
    return 0;
}

// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include <foliot/wheel/snapshot.hpp>

#include "conformance/wheel/queue_driver.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace foliot::test {
namespace {

using bytes = std::vector<std::byte>;
using wheel = hierarchical_wheel<60, 4>;

std::uint64_t id_of(timer_hook& hook) { return static_cast<std::uint64_t>(entry_of(hook).id); }

// Hooks by id, as a program would have them after its restart.
struct house {
    explicit house(int size) {
        for (int i = 0; i < size; ++i) entries.emplace_back(i);
    }
    timer_hook* operator()(std::uint64_t id) {
        return id < entries.size() ? &entries[id] : nullptr;
    }
    [[nodiscard]] bool none_armed() const {
        return std::none_of(entries.begin(), entries.end(),
                            [](const entry& e) { return e.armed(); });
    }
    std::deque<entry> entries;
};

// Timers of all kinds: late, near, far, the last tick; cancelled, moved, and some in one tick.
template <class Queue>
void fill(Queue& queue, house& from, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    for (entry& e : from.entries) {
        switch (random() % 4) {
            case 0: queue.schedule(e, tick{random() % 1200}); break;
            case 1: queue.schedule(e, tick{random()}); break;
            case 2: queue.schedule(e, tick{5000}); break;
            default: queue.schedule(e, tick{tick::max().count - random() % 2}); break;
        }
    }
    for (entry& e : from.entries) {
        if (random() % 4 == 0) queue.cancel(e);
        if (random() % 4 == 0) queue.reschedule(e, tick{random() % 10'000});
    }
}

// What fires, tick by tick, without the order within a tick, which is the model's own.
// A pass that is under way goes up to `target`.
template <class Queue>
std::vector<std::pair<std::uint64_t, int>> run_out(Queue& queue, std::uint64_t target) {
    std::vector<std::pair<std::uint64_t, int>> seen;
    while (const std::optional<tick> next = queue.next_wakeup()) {
        const std::uint64_t now = std::max(target, next->count);
        for (const firing& f : fire(queue, now)) seen.emplace_back(f.at, f.id);
    }
    std::sort(seen.begin(), seen.end());
    return seen;
}

template <class From, class To>
void expect_same_after_restore(std::uint64_t seed, std::uint64_t start, bool in_a_pass) {
    house before(300);
    From first(tick{start});
    fill(first, before, seed);
    if (in_a_pass) {
        ASSERT_FALSE(first.advance(tick{start + 600}, 20, [](timer_hook&) {}).drained);
    }
    const bytes saved = snapshot(first, id_of);
    ASSERT_EQ(snapshot(first, id_of), saved) << "taking a snapshot changes nothing";

    house after(300);
    To second;
    const restore_result result = restore(second, saved, after);
    ASSERT_EQ(result.error, restore_error::none);
    ASSERT_EQ(result.restored, first.size());
    ASSERT_EQ(second.cursor(), first.cursor());
    ASSERT_TRUE(second.check_invariants());
    ASSERT_EQ(snapshot(second, id_of), saved) << "byte by byte";
    ASSERT_EQ(run_out(second, start + 600), run_out(first, start + 600));
}

template <class Pair>
class wheel_snapshot : public testing::Test {};
using hashed = hashed_wheel<60>;
using buckets = bucket_queue_of<20>;
// Each model saves and each restores, and the hierarchical one does so with all others.
using pairs = testing::Types<
    std::pair<wheel, wheel>, std::pair<wheel, hashed>, std::pair<wheel, buckets>,
    std::pair<wheel, deadline_heap>, std::pair<hashed, wheel>, std::pair<buckets, wheel>,
    std::pair<deadline_heap, wheel>, std::pair<hashed, hashed>, std::pair<buckets, hashed>,
    std::pair<deadline_heap, buckets>, std::pair<hashed, deadline_heap>, std::pair<hashed, buckets>,
    std::pair<buckets, buckets>, std::pair<buckets, deadline_heap>,
    std::pair<deadline_heap, hashed>, std::pair<deadline_heap, deadline_heap>>;
TYPED_TEST_SUITE(wheel_snapshot, pairs);

TYPED_TEST(wheel_snapshot, fires_the_same_timers_at_the_same_ticks_in_any_model) {
    using from = typename TypeParam::first_type;
    using to = typename TypeParam::second_type;
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
        for (const std::uint64_t start : {0U, 1000U}) {
            expect_same_after_restore<from, to>(seed, start, false);
            expect_same_after_restore<from, to>(seed, start, true);
            if (this->HasFatalFailure()) FAIL() << "seed " << seed << ", start " << start;
        }
    }
}

// ---- errors ---------------------------------------------------------------------------------

bytes sample(int timers = 9) {
    house from(timers);
    wheel queue(tick{1000});
    for (entry& e : from.entries) queue.schedule(e, tick{id_of(e) % 4 * 1000});
    bytes saved = snapshot(queue, id_of);
    queue.clear();
    return saved;
}

// A refused restore leaves all as it was.
restore_result refused(std::span<const std::byte> from) {
    house after(9);
    wheel queue(tick{77});
    const restore_result result = restore(queue, from, after);
    EXPECT_NE(result.error, restore_error::none);
    EXPECT_EQ(result.restored, 0U);
    EXPECT_FALSE(result);
    EXPECT_TRUE(queue.empty());
    EXPECT_TRUE(after.none_armed());
    EXPECT_EQ(queue.cursor(), tick{77});
    EXPECT_TRUE(queue.check_invariants());
    return result;
}

// Writes a number at an offset and makes the checksum fit again.
bytes forged(bytes from, std::size_t at, std::uint64_t value, unsigned size) {
    for (unsigned i = 0; i < size; ++i) from[at + i] = static_cast<std::byte>(value >> 8 * i);
    const std::size_t summed = from.size() - 8;
    const std::uint64_t sum =
        detail::snapshot_format::checksum(std::span<const std::byte>(from).first(summed));
    for (unsigned i = 0; i < 8; ++i) from[summed + i] = static_cast<std::byte>(sum >> 8 * i);
    return from;
}

std::size_t entry_at(std::size_t n) { return 24 + 16 * n; }

TEST(snapshot_errors, every_truncation_is_refused) {
    const bytes whole = sample();
    for (std::size_t size = 0; size < whole.size(); ++size) {
        // A copy of its own, so that AddressSanitizer sees a read past its end.
        const bytes cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
        ASSERT_EQ(refused(cut).error, restore_error::bad_length) << size;
    }
    bytes longer = whole;
    longer.push_back(std::byte{0});
    EXPECT_EQ(refused(longer).error, restore_error::bad_length);
    longer.resize(whole.size() + 16);
    EXPECT_EQ(refused(longer).error, restore_error::bad_length);
}

TEST(snapshot_errors, every_single_changed_byte_is_refused) {
    const bytes whole = sample();
    for (std::size_t at = 0; at < whole.size(); ++at) {
        for (unsigned change = 1; change < 256; ++change) {
            bytes damaged = whole;
            damaged[at] ^= static_cast<std::byte>(change);
            const restore_error error = refused(damaged).error;
            const restore_error expected = at < 4    ? restore_error::bad_magic
                                           : at < 8  ? restore_error::bad_version
                                           : at < 16 ? restore_error::bad_checksum
                                           : at < 24 ? restore_error::bad_length
                                                     : restore_error::bad_checksum;
            ASSERT_EQ(error, expected) << "byte " << at << " xor " << change;
        }
    }
}

TEST(snapshot_errors, random_bytes_are_refused) {
    std::mt19937_64 random(5);
    const bytes whole = sample();
    for (int i = 0; i < 20'000; ++i) {
        bytes noise(random() % 200);
        for (std::byte& b : noise) b = static_cast<std::byte>(random());
        const std::size_t kept = std::min<std::size_t>({random() % 40, noise.size()});
        std::copy_n(whole.begin(), kept, noise.begin());
        (void)refused(noise);
        if (noise.size() > 32) (void)refused(forged(noise, 31, random(), 1));
    }
}

TEST(snapshot_errors, a_count_that_would_wrap_is_refused) {
    for (const std::uint64_t count :
         {std::uint64_t{1} << 60, (std::uint64_t{1} << 60) + 9, ~std::uint64_t{0}}) {
        EXPECT_EQ(refused(forged(sample(), 16, count, 8)).error, restore_error::bad_length);
    }
}

TEST(snapshot_errors, a_later_version_is_refused) {
    EXPECT_EQ(refused(forged(sample(), 4, 2, 4)).error, restore_error::bad_version);
}

TEST(snapshot_errors, timers_out_of_order_are_refused) {
    const bytes saved = forged(sample(), entry_at(8), 1, 8);
    EXPECT_EQ(refused(saved).error, restore_error::bad_order);
}

TEST(snapshot_errors, an_id_twice_is_refused) {
    const restore_result result = refused(forged(sample(), entry_at(8) + 8, 4, 8));
    EXPECT_EQ(result.error, restore_error::duplicate_id);
    EXPECT_EQ(result.id, 4U);
}

TEST(snapshot_errors, an_unknown_id_is_refused_and_what_was_armed_is_disarmed) {
    const restore_result result = refused(forged(sample(), entry_at(8) + 8, 99, 8));
    EXPECT_EQ(result.error, restore_error::unknown_id);
    EXPECT_EQ(result.id, 99U);
}

TEST(snapshot_errors, a_hook_that_is_armed_is_refused_and_stays_armed) {
    const bytes saved = sample();
    house after(9);
    wheel elsewhere;
    elsewhere.schedule(after.entries[3], tick{5});
    wheel queue;
    const restore_result result = restore(queue, saved, after);
    EXPECT_EQ(result.error, restore_error::hook_is_armed);
    EXPECT_EQ(result.id, 3U);
    EXPECT_TRUE(queue.empty());
    EXPECT_EQ(fire(elsewhere, 5), (firings{{3, 5}}));
    EXPECT_TRUE(after.none_armed());
}

TEST(snapshot_errors, one_hook_for_two_ids_is_refused) {
    house after(1);
    wheel queue;
    const auto always_the_same = [&](std::uint64_t) { return after(0); };
    EXPECT_EQ(restore(queue, sample(), always_the_same).error, restore_error::hook_is_armed);
    EXPECT_TRUE(after.none_armed());
}

TEST(snapshot_errors, what_hook_of_throws_passes_through_an_emptied_queue) {
    house after(9);
    wheel queue(tick{77});
    const auto throwing = [&](std::uint64_t id) {
        return id == 7 ? throw std::runtime_error("no such thing") : after(id);
    };
    EXPECT_THROW((void)restore(queue, sample(), throwing), std::runtime_error);
    EXPECT_TRUE(queue.empty());
    EXPECT_TRUE(after.none_armed());
    EXPECT_EQ(queue.cursor(), tick{77});
}

TEST(snapshot_errors, each_has_a_sentence_of_its_own) {
    std::vector<std::string> sentences;
    for (int e = 0; e <= static_cast<int>(restore_error::hook_is_armed); ++e) {
        sentences.emplace_back(describe(static_cast<restore_error>(e)));
        EXPECT_GT(sentences.back().size(), 7U);
    }
    std::sort(sentences.begin(), sentences.end());
    EXPECT_EQ(std::adjacent_find(sentences.begin(), sentences.end()), sentences.end());
}

TEST(snapshot_format, is_as_specified) {
    house from(3);
    wheel queue(tick{0x0102});
    queue.schedule(from.entries[2], tick{0x0304});
    queue.schedule(from.entries[1], tick{5});
    std::string text;
    for (const std::byte b : snapshot(queue, id_of)) {
        const char* const digits = "0123456789abcdef";
        text += digits[std::to_integer<int>(b >> 4)];
        text += digits[std::to_integer<int>(b & std::byte{15})];
    }
    EXPECT_EQ(text.substr(0, text.size() - 16),
              "464c545701000000"
              "0201000000000000"
              "0200000000000000"
              "0500000000000000"
              "0100000000000000"
              "0403000000000000"
              "0200000000000000");
    EXPECT_EQ(text.substr(text.size() - 16), "47ef1fa01c760a30");
    queue.clear();
}

TEST(snapshot_format, an_empty_queue_keeps_its_tick) {
    const wheel queue(tick{1234});
    const bytes saved = snapshot(queue, id_of);
    EXPECT_EQ(saved.size(), 32U);
    wheel second;
    house none(0);
    EXPECT_TRUE(restore(second, saved, none));
    EXPECT_EQ(second.cursor(), tick{1234});
    EXPECT_TRUE(second.empty());
}

TEST(snapshot_death, restoring_into_a_queue_that_is_not_empty) {
    house from(9);
    wheel queue;
    queue.schedule(from.entries[8], tick{5});
    EXPECT_DEATH((void)restore(queue, sample(), from), "not empty");
    queue.clear();
}

TEST(snapshot_death, two_hooks_with_one_id) {
    house from(2);
    wheel queue;
    for (entry& e : from.entries) queue.schedule(e, tick{5});
    EXPECT_DEATH((void)snapshot(queue, [](timer_hook&) { return std::uint64_t{1}; }), "one id");
    queue.clear();
}

}  // namespace
}  // namespace foliot::test

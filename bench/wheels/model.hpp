// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

namespace bench {

/// What waits: a hook of the model's kind inside an object of the caller's, who knows its id. It
/// starts on a line of its own and is one line long, unless the hook alone is more than that.
template <class Hook>
struct alignas(64) caller_object : Hook {
    std::uint64_t id = 0;
};

/// What one advance did.
struct work {
    std::uint64_t fired = 0;
    std::uint64_t moved = 0;
};

/// What the workloads ask of a model. Ticks are plain numbers here; the objects live where the
/// workload puts them, each made by make() and unmade by unmake().
///
/// A model may also have settle(), for what it does later in its loop, and a static inside(f),
/// which calls f where the model is used as it is meant to be.
template <class M>
concept model = std::constructible_from<M, std::uint64_t> &&
                requires(M m, typename M::object& object, void* where, std::uint64_t tick) {
                    { M::name } -> std::convertible_to<std::string_view>;
                    { M::hook_bytes } -> std::convertible_to<std::size_t>;
                    { M::largest_n } -> std::convertible_to<std::uint64_t>;
                    { m.make(where, tick) } -> std::same_as<typename M::object*>;
                    m.unmake(object);
                    m.schedule(object, tick);
                    m.replace(object, tick);     // cancel, then schedule
                    m.push_later(object, tick);  // the due is not before the one it has
                    { m.due(object) } -> std::same_as<std::optional<std::uint64_t>>;
                    m.clear();  // nothing is pending any more
                };

/// A model whose clock is ours to move.
template <class M>
concept driven_model =
    model<M> && requires(M m, std::uint64_t now, void (*sink)(typename M::object&)) {
        { m.advance(now, sink) } -> std::same_as<work>;
    };

/// One that says besides when to come again.
template <class M>
concept sleeping_model = driven_model<M> && requires(M m) {
    { m.next_wakeup() } -> std::same_as<std::optional<std::uint64_t>>;
};

/// How many timers a model is measured with: slow ones get no more than a million.
constexpr std::uint64_t a_million = 1'000'000;
constexpr std::uint64_t no_limit = std::numeric_limits<std::uint32_t>::max();

}  // namespace bench

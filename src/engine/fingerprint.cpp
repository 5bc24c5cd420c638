// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "engine/fingerprint.hpp"

#include <string_view>

namespace foliot::engine {

namespace {

class fnv1a {
public:
    fnv1a& number(std::uint64_t n) {
        for (unsigned i = 0; i < 8; ++i) byte(static_cast<unsigned char>(n >> (8 * i) & 0xffU));
        return *this;
    }
    fnv1a& text(std::string_view t) {
        number(t.size());
        for (const char c : t) byte(static_cast<unsigned char>(c));
        return *this;
    }
    [[nodiscard]] std::uint64_t value() const { return value_; }

private:
    void byte(unsigned char b) { value_ = (value_ ^ b) * 0x100000001b3U; }

    std::uint64_t value_ = 0xcbf29ce484222325U;
};

}  // namespace

std::uint64_t fingerprint(const set_timer& c) {
    fnv1a all;
    all.text(c.queue).number(static_cast<std::uint64_t>(c.kind)).text(c.payload);
    if (const auto* delay = std::get_if<after>(&c.when)) {
        all.number(0).number(static_cast<std::uint64_t>(delay->delay.count()));
    } else {
        all.number(1).number(std::get<at>(c.when).wall_ms.count);
    }
    all.number(static_cast<std::uint64_t>(c.mode));
    all.number(static_cast<std::uint64_t>(c.require.require)).number(c.require.generation.value);
    all.number(c.retain ? 1 : 0);
    all.number(c.retain ? static_cast<std::uint64_t>(c.retain->count()) : 0);
    return all.value();
}

}  // namespace foliot::engine

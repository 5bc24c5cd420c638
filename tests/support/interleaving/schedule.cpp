// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "support/interleaving/schedule.hpp"

#include <charconv>
#include <cstddef>

namespace foliot::interleaving {

namespace {

// Takes a number from the front.
std::optional<unsigned> number(std::string_view& text) {
    unsigned value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{}) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return value;
}

bool take(std::string_view& text, char c) {
    if (!text.starts_with(c)) return false;
    text.remove_prefix(1);
    return true;
}

}  // namespace

std::string to_text(std::span<const std::uint8_t> choices) {
    std::string text;
    for (std::size_t i = 0; i < choices.size();) {
        std::size_t end = i + 1;
        while (end < choices.size() && choices[end] == choices[i]) ++end;
        if (!text.empty()) text += '.';
        text += std::to_string(choices[i]);
        if (end - i > 1) text += 'x' + std::to_string(end - i);
        i = end;
    }
    return text;
}

std::optional<std::vector<std::uint8_t>> from_text(std::string_view text) {
    constexpr unsigned most = 1'000'000;
    std::vector<std::uint8_t> choices;
    while (!text.empty()) {
        const auto value = number(text);
        if (!value || *value > 0xFF) return std::nullopt;
        unsigned times = 1;
        if (take(text, 'x')) {
            const auto n = number(text);
            if (!n || *n > most) return std::nullopt;
            times = *n;
        }
        choices.insert(choices.end(), times, static_cast<std::uint8_t>(*value));
        if (!text.empty() && (!take(text, '.') || text.empty())) return std::nullopt;
    }
    return choices;
}

}  // namespace foliot::interleaving

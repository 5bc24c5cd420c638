// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "command_line.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <sstream>

namespace bench {

std::optional<std::uint64_t> to_number(const std::string& text) {
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    if (text.empty() || *end != '\0' || !(value >= 0 && value <= 4e9)) return std::nullopt;
    return static_cast<std::uint64_t>(value);
}

std::vector<std::string> to_words(const std::string& text) {
    std::vector<std::string> result;
    std::istringstream in(text);
    for (std::string word; std::getline(in, word, ',');) result.push_back(word);
    return result;
}

std::uint64_t command_line::number(const std::string& flag, const std::string& text) const {
    const auto value = to_number(text);
    if (!value) refuse(flag + ": '" + text + "' is no number from 0 to 4e9");
    return *value;
}

std::uint64_t command_line::number(const std::string& flag, const std::string& text,
                                   std::uint64_t least, std::uint64_t most) const {
    const std::uint64_t value = number(flag, text);
    if (value >= least && value <= most) return value;
    refuse(flag + ": from " + std::to_string(least) + " to " + std::to_string(most));
}

std::vector<std::uint64_t> command_line::numbers(const std::string& flag, const std::string& text,
                                                 std::uint64_t least, std::uint64_t most) const {
    std::vector<std::uint64_t> result;
    for (const std::string& word : to_words(text)) {
        result.push_back(number(flag, word, least, most));
    }
    return result;
}

bool command_line::flip(common_options& o, const std::string& flag) {
    if (flag == "--quick") {
        o.quick = true;
    } else if (flag == "--smoke") {
        o.smoke = true;
    } else if (flag == "--strict") {
        o.strict = true;
    } else {
        return false;
    }
    return true;
}

bool command_line::take(common_options& o, const std::string& flag,
                        const std::string& value) const {
    if (flag == "--only") {
        o.only = to_words(value);
    } else if (flag == "--seed") {
        o.seed = number(flag, value);
    } else if (flag == "--json") {
        o.json = value;
    } else {
        return false;
    }
    return true;
}

void command_line::refuse(const std::string& why) const {
    std::fprintf(stderr, "%s: %s\n%s", program_, why.c_str(), usage_);
    std::exit(2);
}

void command_line::help() const {
    std::fputs(usage_, stdout);
    std::exit(0);
}

bool allows(const std::vector<std::string>& list, std::string_view name) {
    return list.empty() || std::find(list.begin(), list.end(), name) != list.end();
}

}  // namespace bench

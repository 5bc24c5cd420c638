// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace foliot::cli {

enum class colour : std::uint8_t { plain, dim, bold, red, green, yellow };

/// Is stdout a terminal that wants colours? (NO_COLOR unset or empty, TERM not "dumb")
[[nodiscard]] bool colours_wanted();

/// `text` with control characters written as \xNN, so that an id cannot steer the terminal.
[[nodiscard]] std::string printable(std::string_view text);

/// Columns that are padded to their widest cell; the last one is not padded.
class table {
public:
    explicit table(std::vector<std::string> head) : head_(std::move(head)) {}

    struct cell {
        std::string text;
        colour paint = colour::plain;
        bool right = false;

        cell(const std::string& t, colour c = colour::plain) : text(printable(t)), paint(c) {}
        cell(const char* t) : cell(std::string(t)) {}
        static cell number(const std::string& t) {
            cell c(t);
            c.right = true;
            return c;
        }
    };

    void add(std::vector<cell> row) { rows_.push_back(std::move(row)); }

    /// The whole table with its line ends; without a head line if the head is empty.
    [[nodiscard]] std::string text(bool with_colour) const;

    [[nodiscard]] bool empty() const { return rows_.empty(); }

private:
    std::vector<std::string> head_;
    std::vector<std::vector<cell>> rows_;
};

/// `text` in a colour, or as it is.
[[nodiscard]] std::string painted(std::string_view text, colour paint, bool with_colour);

/// One JSON object, member after member.
class json_line {
public:
    json_line& text(std::string_view key, std::string_view value);
    json_line& raw(std::string_view key, std::string_view json);
    json_line& number(std::string_view key, std::int64_t value);
    json_line& number(std::string_view key, double value);
    [[nodiscard]] std::string str() const { return "{" + members_ + "}\n"; }

private:
    std::string members_;
};

}  // namespace foliot::cli

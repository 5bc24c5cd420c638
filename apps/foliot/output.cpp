// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "output.hpp"

#include "client/json_text.hpp"

#include <fmt/format.h>
#include <unistd.h>
#include <algorithm>
#include <cstdlib>

namespace foliot::cli {

namespace {

/// Columns on a terminal, near enough: code points of UTF-8.
std::size_t width(std::string_view text) {
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
        return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
    }));
}

const char* escape(colour paint) {
    switch (paint) {
        case colour::plain: return "";
        case colour::dim: return "\x1b[2m";
        case colour::bold: return "\x1b[1m";
        case colour::red: return "\x1b[31m";
        case colour::green: return "\x1b[32m";
        case colour::yellow: return "\x1b[33m";
    }
    return "";
}

}  // namespace

bool colours_wanted() {
    const char* no = std::getenv("NO_COLOR");
    const char* term = std::getenv("TERM");
    if (no != nullptr && *no != '\0') return false;
    if (term != nullptr && std::string_view(term) == "dumb") return false;
    return ::isatty(STDOUT_FILENO) == 1;
}

std::string printable(std::string_view text) {
    std::string out;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte < 0x20 || byte == 0x7f) {
            out += fmt::format("\\x{:02x}", byte);
        } else {
            out += c;
        }
    }
    return out;
}

std::string painted(std::string_view text, colour paint, bool with_colour) {
    if (!with_colour || paint == colour::plain || text.empty()) return std::string(text);
    return fmt::format("{}{}\x1b[0m", escape(paint), text);
}

std::string table::text(bool with_colour) const {
    auto rows = rows_;
    if (!head_.empty()) {
        std::vector<cell> head;
        head.reserve(head_.size());
        for (const auto& title : head_) head.emplace_back(title, colour::bold);
        rows.insert(rows.begin(), std::move(head));
    }
    std::vector<std::size_t> widths;
    for (const auto& row : rows) {
        widths.resize(std::max(widths.size(), row.size()));
        for (std::size_t i = 0; i < row.size(); ++i) {
            widths[i] = std::max(widths[i], width(row[i].text));
        }
    }
    std::string out;
    for (const auto& row : rows) {
        for (std::size_t i = 0; i < row.size(); ++i) {
            const std::string pad(widths[i] - width(row[i].text), ' ');
            if (row[i].right) out += pad;
            out += painted(row[i].text, row[i].paint, with_colour);
            if (i + 1 == row.size()) break;
            if (!row[i].right) out += pad;
            out += "  ";
        }
        out += '\n';
    }
    return out;
}

json_line& json_line::raw(std::string_view key, std::string_view json) {
    if (!members_.empty()) members_ += ',';
    members_ += client::quote(key);
    members_ += ':';
    // In valid JSON a line break is only white space; the object has to stay on one line.
    for (const char c : json) members_ += c == '\n' || c == '\r' ? ' ' : c;
    return *this;
}

json_line& json_line::text(std::string_view key, std::string_view value) {
    return raw(key, client::quote(value));
}

json_line& json_line::number(std::string_view key, std::int64_t value) {
    return raw(key, std::to_string(value));
}

json_line& json_line::number(std::string_view key, double value) {
    return raw(key, fmt::format("{}", value));
}

}  // namespace foliot::cli

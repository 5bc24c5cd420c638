// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>

namespace foliot::test {

/// A row as bytes.
struct golden_row {
    std::string key;
    std::string value;
};

inline std::string from_hex(const std::string& hex) {
    std::string out;
    for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
        out.push_back(static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16)));
    }
    return out;
}

/// The rows of tests/data/store/format.txt by name.
inline std::map<std::string, golden_row> golden_rows(const std::string& file) {
    std::ifstream in(file);
    if (!in) throw std::runtime_error("cannot read " + file);
    std::map<std::string, golden_row> rows;
    for (std::string line; std::getline(in, line);) {
        if (line.starts_with('#')) continue;
        std::istringstream words(line);
        std::string name;
        std::string key;
        std::string value;
        words >> name >> key >> value;
        rows[name] = {from_hex(key), from_hex(value)};
    }
    return rows;
}

}  // namespace foliot::test

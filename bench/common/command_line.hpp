// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bench {

/// A number from 0 to 4e9; 1e6 is one too. Else nullopt.
std::optional<std::uint64_t> to_number(const std::string& text);

/// What stands between the commas.
std::vector<std::string> to_words(const std::string& text);

/// The command line of a program. Where its arguments make no sense the process ends with a message.
class command_line {
public:
    command_line(const char* program, const char* usage) : program_(program), usage_(usage) {}

    /// Calls flip(flag), which says whether it is a switch, and set(flag, value) for those that are
    /// not. Ends the process after --help.
    template <class Flip, class Set>
    void parse(int argc, char** argv, Flip&& flip, Set&& set) const {
        for (int i = 1; i < argc; ++i) {
            const std::string flag = argv[i];
            if (flag == "--help" || flag == "-h") help();
            if (flip(flag)) continue;
            if (i + 1 == argc) refuse("no flag '" + flag + "', or its value is missing");
            set(flag, std::string(argv[++i]));
        }
    }

    [[nodiscard]] std::uint64_t number(const std::string& flag, const std::string& text) const;
    [[noreturn]] void refuse(const std::string& why) const;

private:
    [[noreturn]] void help() const;

    const char* program_;
    const char* usage_;
};

/// Whether a list of names allows this one; an empty list allows all.
bool allows(const std::vector<std::string>& list, std::string_view name);

}  // namespace bench

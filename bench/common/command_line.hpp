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

/// What every program takes.
struct common_options {
    bool quick = false;             // less of everything
    bool smoke = false;             // tiny: are the checksums equal?
    bool strict = false;            // a miss in the must-hold list is a failure
    std::vector<std::string> only;  // workloads
    std::uint64_t seed = 1;
    std::string json;  // where the results go
};

/// The command line of a program. Where its arguments make no sense the process ends with a message.
class command_line {
public:
    command_line(const char* program, const char* usage) : program_(program), usage_(usage) {}

    /// Fills what every program takes, and calls set(flag, value) for any other flag, which says
    /// whether there is such a one. Ends the process after --help.
    template <class Set>
    void parse(int argc, char** argv, common_options& o, Set&& set) const {
        for (int i = 1; i < argc; ++i) {
            const std::string flag = argv[i];
            if (flag == "--help" || flag == "-h") help();
            if (flip(o, flag)) continue;
            if (i + 1 == argc) refuse("no flag '" + flag + "', or its value is missing");
            const std::string value = argv[++i];
            if (!take(o, flag, value) && !set(flag, value)) refuse("no flag '" + flag + "'");
        }
    }

    [[nodiscard]] std::uint64_t number(const std::string& flag, const std::string& text) const;
    [[nodiscard]] std::uint64_t number(const std::string& flag, const std::string& text,
                                       std::uint64_t least, std::uint64_t most) const;
    /// As many as stand between the commas.
    [[nodiscard]] std::vector<std::uint64_t> numbers(const std::string& flag,
                                                     const std::string& text, std::uint64_t least,
                                                     std::uint64_t most) const;
    [[noreturn]] void refuse(const std::string& why) const;

private:
    static bool flip(common_options& o, const std::string& flag);
    bool take(common_options& o, const std::string& flag, const std::string& value) const;
    [[noreturn]] void help() const;

    const char* program_;
    const char* usage_;
};

/// Whether a list of names allows this one; an empty list allows all.
bool allows(const std::vector<std::string>& list, std::string_view name);

}  // namespace bench

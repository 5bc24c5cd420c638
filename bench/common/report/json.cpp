// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "json.hpp"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace bench {

void write_json(const results& measured, const std::string& file) {
    const std::filesystem::path path(file);
    if (path.has_parent_path()) std::filesystem::create_directories(path.parent_path());
    std::ofstream out(path);
    const char* separator = "[\n";
    for (const auto& [what, values] : measured.all()) {
        char value[32];
        std::snprintf(value, sizeof value, "%.6g", *measured.median(what));
        out << separator << R"({"workload":")" << what.workload << R"(","model":")" << what.model
            << R"(",)";
        if (what.threads > 0) out << R"("threads":)" << what.threads << ",";
        out << R"("n":)" << what.n << R"(,"metric":")" << what.metric << R"(","value":)" << value
            << "}";
        separator = ",\n";
    }
    out << (measured.all().empty() ? "[]\n" : "\n]\n");
    out.close();
    if (!out) throw std::runtime_error("cannot write " + file);
}

}  // namespace bench

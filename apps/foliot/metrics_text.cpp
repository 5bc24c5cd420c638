// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "metrics_text.hpp"

#include <cmath>
#include <cstdlib>

namespace foliot::cli {

metrics_text::metrics_text(std::string_view text) {
    while (!text.empty()) {
        const auto line = text.substr(0, text.find('\n'));
        text.remove_prefix(line.size() == text.size() ? line.size() : line.size() + 1);
        const auto name = line.substr(0, line.find_first_of("{ "));
        const auto value_at = line.rfind(' ');
        if (line.starts_with('#') || name.empty() || value_at == line.npos) continue;
        const double value = std::strtod(std::string(line.substr(value_at + 1)).c_str(), nullptr);
        const auto labels = line.substr(name.size(), value_at - name.size());
        constexpr std::string_view bucket_suffix = "_bucket";
        constexpr std::string_view le = "{le=\"";
        if (labels.empty()) {
            values_.emplace(name, value);
        } else if (name.ends_with(bucket_suffix) && labels.starts_with(le)) {
            const auto bound = std::string(labels.substr(le.size()));
            buckets_[std::string(name.substr(0, name.size() - bucket_suffix.size()))].push_back(
                {std::strtod(bound.c_str(), nullptr), value});
        }
    }
}

std::optional<double> metrics_text::value(const std::string& name) const {
    const auto found = values_.find(name);
    if (found == values_.end()) return std::nullopt;
    return found->second;
}

std::optional<double> metrics_text::quantile(const std::string& name, double q) const {
    const auto found = buckets_.find(name);
    if (found == buckets_.end() || found->second.back().count <= 0) return std::nullopt;
    const double wanted = q * found->second.back().count;
    bucket below{0, 0};
    for (const auto& b : found->second) {
        if (b.count >= wanted && b.count > below.count) {
            if (std::isinf(b.bound)) return below.bound;
            const double part = (wanted - below.count) / (b.count - below.count);
            return below.bound + part * (b.bound - below.bound);
        }
        below = b;
    }
    return below.bound;
}

}  // namespace foliot::cli

// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace foliot::cli {

/// The samples of a Prometheus text that have no label but `le`, by name.
class metrics_text {
public:
    explicit metrics_text(std::string_view text);

    /// Absent: no such sample.
    [[nodiscard]] std::optional<double> value(const std::string& name) const;

    /// Of a histogram: the value below which the share `q` of the samples lies, taken as spread
    /// evenly inside a bucket; absent: no samples. The last finite bound if it lies above that.
    [[nodiscard]] std::optional<double> quantile(const std::string& name, double q) const;

private:
    struct bucket {
        double bound;
        double count;  ///< at or below the bound
    };
    std::map<std::string, double, std::less<>> values_;
    std::map<std::string, std::vector<bucket>, std::less<>> buckets_;
};

}  // namespace foliot::cli

// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plan.hpp"

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace bench {

struct outcome {
    std::map<std::string, double, std::less<>> metrics;
    std::uint64_t checksum = 0;  // of what is left in it
};

/// A store, or a probe, that carries out plans.
class contender {
public:
    contender() = default;
    contender(const contender&) = delete;
    contender& operator=(const contender&) = delete;
    virtual ~contender() = default;

    [[nodiscard]] virtual std::string_view name() const = 0;

    /// In a directory that is there and empty. Throws where it fails.
    virtual outcome run(const plan& p, const std::filesystem::path& directory) = 0;
};

using contenders = std::vector<std::unique_ptr<contender>>;

std::unique_ptr<contender> make_probe_append();
std::unique_ptr<contender> make_rocksdb();
std::unique_ptr<contender> make_memory();

}  // namespace bench

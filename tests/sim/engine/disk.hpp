// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "store/due_store.hpp"
#include "store/record_codec.hpp"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace foliot::sim {

/// One row of a full scan.
struct scanned_row {
    enum class place : std::uint8_t { near, far, dead };
    place where{};
    store::record row;
};

/// What is on the disk: the keyspaces of due_store.hpp, as bytes in the record format. It can be
/// copied, so that a crash may take it back to an earlier state.
class disk {
public:
    void apply(const store::batch& b);

    [[nodiscard]] store::page near(store::sequence after, std::size_t limit) const;
    [[nodiscard]] store::page far(store::clock_kind clock, store::far_position after, tick to,
                                  std::size_t limit) const;
    [[nodiscard]] store::page dead(store::sequence after, std::size_t limit) const;
    [[nodiscard]] std::optional<store::found> find(const store::timer_key& key) const;

    [[nodiscard]] std::vector<scanned_row> scan() const;
    /// Empty, or what does not fit together: an id row without its row, a row without an id row.
    [[nodiscard]] std::string damage() const;

    store::shard_meta meta;
    std::uint32_t last_epoch = 0;

private:
    using name = std::pair<std::string, std::string>;
    using far_place = std::tuple<store::clock_kind, tick, store::sequence>;
    struct near_row {
        std::string bytes;
        bool written_once = true;
    };

    void put(const store::record& row, scanned_row::place where);

    std::map<store::sequence, near_row> near_;
    std::set<store::sequence> near_removed_;
    std::map<far_place, std::string> far_;
    std::map<store::sequence, std::string> dead_;
    std::map<name, std::string> ids_;
};

}  // namespace foliot::sim

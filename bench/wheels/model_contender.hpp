// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "contender.hpp"
#include "model.hpp"
#include "workloads/churn.hpp"
#include "workloads/fire.hpp"
#include "workloads/memory.hpp"
#include "workloads/one_lap_of_many.hpp"
#include "workloads/push_later.hpp"
#include "workloads/sleep.hpp"

#include <stdexcept>

namespace bench {

/// A model in all the workloads that it can do.
template <model M>
class model_contender final : public contender {
public:
    std::string_view name() const override { return M::name; }
    std::size_t object_bytes() const override { return sizeof(typename M::object); }

    bool takes(workload what, std::uint64_t n) const override {
        constexpr bool hashed = M::name == std::string_view("hashed_wheel");
        if (n > M::largest_n) return false;
        switch (what) {
            case workload::churn_uniform:
            case workload::churn_log:
            case workload::push_later:
            case workload::memory_inserted:
            case workload::memory_churned: return true;
            case workload::fire: return driven_model<M>;
            case workload::sparse:
            case workload::crowded_level_1:
            case workload::crowded_level_2: return sleeping_model<M>;
            case workload::hashed_one_lap:
                return hashed || M::name == std::string_view("textbook_list_wheel");
            case workload::hashed_100_laps: return hashed;
            case workload::probe: return false;
        }
        return false;
    }

    outcome run(const plan& p, arena& memory) override {
        if constexpr (requires { M::inside([] {}); }) {
            outcome result;
            M::inside([&] { result = turn(p, memory); });
            return result;
        } else {
            return turn(p, memory);
        }
    }

private:
    static outcome turn(const plan& p, arena& memory) {
        switch (p.what) {
            case workload::churn_uniform:
            case workload::churn_log:
            case workload::hashed_one_lap: return churn<M>(p, memory);
            case workload::push_later: return push_later<M>(p, memory);
            case workload::memory_inserted:
            case workload::memory_churned: return memory_use<M>(p, memory);
            default: return driven_turn(p, memory);
        }
    }

    static outcome driven_turn(const plan& p, arena& memory) {
        if constexpr (driven_model<M>) {
            if (p.what == workload::fire) return fire<M>(p, memory);
            if (p.what == workload::hashed_100_laps) return one_lap_of_many<M>(p, memory);
        }
        if constexpr (sleeping_model<M>) {
            return p.what == workload::sparse ? sparse<M>(p, memory) : crowded<M>(p, memory);
        }
        throw std::logic_error("a workload that the model does not take");
    }
};

}  // namespace bench

// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "contender.hpp"
#include "model.hpp"
#include "workloads/churn.hpp"
#include "workloads/fire.hpp"
#include "workloads/push_later.hpp"

#include <stdexcept>

namespace bench {

/// A model in all the workloads that it can do.
template <model M>
class model_contender final : public contender {
public:
    std::string_view name() const override { return M::name; }
    std::size_t object_bytes() const override { return sizeof(typename M::object); }

    bool takes(workload what, std::uint64_t n) const override {
        if (n > M::largest_n) return false;
        switch (what) {
            case workload::churn_uniform:
            case workload::churn_log:
            case workload::push_later: return true;
            case workload::fire: return driven_model<M>;
        }
        return false;
    }

    outcome run(const plan& p, arena& memory) override {
        switch (p.what) {
            case workload::churn_uniform:
            case workload::churn_log: return churn<M>(p, memory);
            case workload::push_later: return push_later<M>(p, memory);
            case workload::fire:
                if constexpr (driven_model<M>) return fire<M>(p, memory);
        }
        throw std::logic_error("a workload that the model does not take");
    }
};

}  // namespace bench

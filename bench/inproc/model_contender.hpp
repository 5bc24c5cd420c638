// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "contender.hpp"
#include "model.hpp"
#include "workloads/far.hpp"
#include "workloads/fire.hpp"

#include <stdexcept>

namespace bench {

/// A model in all the workloads.
template <model M>
class model_contender final : public contender {
public:
    std::string_view name() const override { return M::name; }
    std::size_t object_bytes() const override { return sizeof(typename M::object); }
    bool takes(workload) const override { return true; }

    outcome run(const plan& p, arena& memory) override {
        switch (p.what) {
            case workload::schedule_cancel: return schedule_cancel<M>(p, memory);
            case workload::refresh: return refresh<M>(p, memory);
            case workload::schedule_fire: return fire<M>(p, memory);
        }
        throw std::logic_error("no such workload");
    }
};

}  // namespace bench

// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "protocol/limits.hpp"

namespace foliot::protocol {

std::vector<named_limit> describe(const limits& l) {
    const auto ms = [](std::chrono::milliseconds d) {
        return static_cast<std::uint64_t>(d.count());
    };
    return {
        {"limits.id_bytes", l.id_bytes, "bytes"},
        {"limits.name_bytes", l.name_bytes, "bytes"},
        {"limits.payload_bytes", l.payload_bytes, "bytes"},
        {"limits.body_bytes", l.body_bytes, "bytes"},
        {"limits.batch_body_bytes", l.batch_body_bytes, "bytes"},
        {"limits.batch_lines", l.batch_lines, "count"},
        {"limits.json_depth", l.json_depth, "count"},
        {"limits.list_page", l.list_page, "count"},
        {"limits.lease_batch", l.lease_batch, "count"},
        {"limits.settle_tokens", l.settle_tokens, "count"},
        {"limits.lease_wait", ms(l.lease_wait), "ms"},
        {"limits.lease", ms(l.lease), "ms"},
        {"limits.max_retain", ms(l.max_retain), "ms"},
        {"limits.idempotency_key_bytes", l.idempotency_key_bytes, "bytes"},
        {"limits.max_delay", ms(l.max_delay), "ms"},
        {"limits.max_due", max_due_ms, "ms"},
    };
}

}  // namespace foliot::protocol

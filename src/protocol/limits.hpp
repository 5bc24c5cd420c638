// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace foliot::protocol {

/// What a request may ask for. The setting of `payload_bytes` is named `limits.payload_bytes`, and
/// so on. Going over one is always a 4xx answer that names it; no value is ever clamped.
struct limits {
    /// Bytes of a timer's id (UTF-8). 1 .. 65535. Also the bound of a list's `prefix`.
    std::size_t id_bytes = 256;

    /// Bytes of the name of a namespace or queue. 1 .. 255 (a token gives its length one byte).
    std::size_t name_bytes = 64;

    /// Bytes of a payload: of the JSON text as written, or of the decoded `payload_base64`.
    std::size_t payload_bytes = 65'536;

    /// Bytes of the body of one request, and of one line of a batch. Keep it above
    /// 4/3 of `payload_bytes`, or base64 payloads near the limit do not fit.
    std::size_t body_bytes = std::size_t{1} << 20;

    /// Bytes of the body of a batch.
    std::size_t batch_body_bytes = std::size_t{16} << 20;

    /// Lines of a batch that are not blank. All its commands are in memory at once.
    std::size_t batch_lines = 10'000;

    /// Objects and arrays inside one another in a body; the body itself is the first. 1 .. 1000.
    std::size_t json_depth = 64;

    /// Timers of one page of a list. The page is built in memory: page x payload.
    std::size_t list_page = 1'000;

    /// Deliveries of one lease.
    std::size_t lease_batch = 1'000;

    /// Tokens of one ack, nack or extend.
    std::size_t settle_tokens = 1'000;

    /// How long a lease request may wait for a delivery. Each waiting one holds a connection.
    std::chrono::milliseconds lease_wait{std::chrono::seconds{60}};

    /// Length of a lease. A consumer that dies delays the redelivery by up to this.
    std::chrono::milliseconds lease{std::chrono::hours{12}};

    /// `retain` of a set. What has ended costs its place, without its payload, for so long.
    std::chrono::milliseconds max_retain{std::chrono::hours{24} * 30};

    /// Bytes of an idempotency key. 1 .. 65535.
    std::size_t idempotency_key_bytes = 255;

    /// `delay` of a set or nack. At most 106 751 days, so that it fits in nanoseconds.
    std::chrono::milliseconds max_delay{std::chrono::hours{24} * 36'500};
};

/// `limits.max_due`: the last absolute due that has an RFC 3339 form. Not a setting.
inline constexpr std::uint64_t max_due_ms = 253'402'300'799'999;  // 9999-12-31T23:59:59.999Z

/// One line of GET /v1/limits.
struct named_limit {
    std::string_view name;  ///< the setting, e.g. "limits.payload_bytes"
    std::uint64_t value = 0;
    std::string_view unit;  ///< "bytes", "ms", "count"
};

/// Every limit above, by the name of its setting; durations in ms.
[[nodiscard]] std::vector<named_limit> describe(const limits& l);

}  // namespace foliot::protocol

// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "plan.hpp"

#include <cstddef>
#include <string>

namespace bench {

namespace {

using namespace foliot::store;

constexpr std::uint64_t now_ms = 1'800'000'000'000;
constexpr std::uint64_t minute_ms = 60'000;
constexpr std::uint64_t day_ms = 24 * 60 * minute_ms;

/// Near ones are due within a minute, far ones in a day to ninety days.
std::uint64_t due_ms(const plan& p, std::uint64_t random) {
    return p.what == workload::far_set ? now_ms + day_ms + random % (89 * day_ms)
                                       : now_ms + random % minute_ms;
}

void write_hex(char* to, std::uint64_t value, std::size_t digits) {
    for (std::size_t i = digits; i-- > 0; value >>= 4) to[i] = "0123456789abcdef"[value & 15];
}

/// The id is random, as are the ids that people make (UUIDs, say); and so is most of the payload,
/// so that no file compresses it away.
void make_different(record& row, const plan& p, std::uint64_t n) {
    const std::uint64_t random = mix(p.seed, n);
    row.id.resize(20);
    write_hex(row.id.data(), random, 16);
    write_hex(row.id.data() + 16, n, 4);
    for (std::size_t i = 0; i < 5; ++i) {
        write_hex(row.payload.data() + 10 + 16 * i, mix(random, i), 16);
    }
    row.due.at.count = due_ms(p, mix(random, n));
    row.next = row.due;
}

record make_alike() {
    record row;
    row.ns = "default";
    row.queue = "default";
    row.payload = "{\"order\":\"" + std::string(88, 'x') + "\"}";
    return row;
}

}  // namespace

std::string_view name_of(workload what) {
    switch (what) {
        case workload::near_set: return "near_set";
        case workload::far_set: return "far_set";
        case workload::near_set_cancel: return "near_set_cancel";
    }
    return "?";
}

std::uint64_t sum_of(const record& row) {
    std::uint64_t sum = row.payload.size();
    for (const char c : row.id) sum = mix(sum, static_cast<unsigned char>(c));
    for (const char c : row.payload) sum = mix(sum, static_cast<unsigned char>(c));
    return mix(mix(sum, row.due.at.count), row.seq.value & 0xffff'ffff);
}

std::uint64_t plan::checksum() const {
    record row = make_alike();
    std::uint64_t sum = 0;
    const std::uint64_t from = what == workload::near_set_cancel ? sets() - sets_per_commit() : 0;
    for (std::uint64_t n = from; n < sets(); ++n) {
        make_different(row, *this, n);
        row.seq.value = n + 1;
        sum += sum_of(row);
    }
    return sum;
}

batches::batches(const plan& p, epoch e)
    : plan_(p), first_sequence_(sequence::first_of(e).value + 1) {
    const std::size_t sets = p.sets_per_commit();
    for (std::size_t i = 0; i < sets; ++i) {
        if (p.what == workload::far_set) {
            batch_.operations.emplace_back(put_far{make_alike()});
        } else {
            batch_.operations.emplace_back(put_near{make_alike()});
        }
    }
}

const batch& batches::next() {
    const std::size_t sets = plan_.sets_per_commit();
    for (std::size_t i = 0; i < sets; ++i) {
        auto* far = std::get_if<put_far>(&batch_.operations[i]);
        record& row = far != nullptr ? far->row : std::get<put_near>(batch_.operations[i]).row;
        make_different(row, plan_, set_ + i);
        row.seq.value = first_sequence_ + set_ + i;
    }
    if (plan_.what == workload::near_set_cancel && set_ > 0) {
        batch_.operations.resize(2 * sets, remove_near{{}, true});
        for (std::size_t i = 0; i < sets; ++i) {
            const std::uint64_t before = first_sequence_ + set_ - sets + i;
            std::get<remove_near>(batch_.operations[sets + i]).seq.value = before;
        }
    }
    set_ += sets;
    batch_.meta.pending = plan_.what == workload::near_set_cancel ? sets : set_;
    return batch_;
}

}  // namespace bench

// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace foliot::detail {

/// One bit a slot of a ring: which slots hold something. Finds the next one in a few instructions.
template <std::uint32_t Slots>
class slot_bitmap {
public:
    void set(std::uint32_t slot) noexcept { words_[slot / 64] |= bit(slot); }
    void reset(std::uint32_t slot) noexcept { words_[slot / 64] &= ~bit(slot); }
    [[nodiscard]] bool test(std::uint32_t slot) const noexcept {
        return (words_[slot / 64] & bit(slot)) != 0;
    }

    /// How many slots after `slot` the next set one is, going round the ring: 1 .. Slots - 1,
    /// or 0 if no other slot is set.
    [[nodiscard]] std::uint32_t distance_to_next(std::uint32_t slot) const noexcept {
        const std::uint32_t ahead = first_from(slot + 1);
        if (ahead < Slots) return ahead - slot;
        const std::uint32_t wrapped = first_from(0);
        return wrapped < slot ? Slots - slot + wrapped : 0;
    }

    /// The first set slot in first .. last (which is not before first), or Slots.
    [[nodiscard]] std::uint32_t first_in(std::uint32_t first, std::uint32_t last) const noexcept {
        std::uint32_t word = first / 64;
        std::uint64_t bits = words_[word] & (~std::uint64_t{0} << (first % 64));
        while (bits == 0 && word < last / 64) bits = words_[++word];
        if (bits == 0) return Slots;
        const std::uint32_t found = word * 64 + static_cast<std::uint32_t>(std::countr_zero(bits));
        return found <= last ? found : Slots;
    }

private:
    static constexpr std::uint32_t word_count = (Slots + 63) / 64;
    static constexpr std::uint64_t bit(std::uint32_t slot) noexcept {
        return std::uint64_t{1} << (slot % 64);
    }

    // The first set slot >= from, or Slots.
    [[nodiscard]] std::uint32_t first_from(std::uint32_t from) const noexcept {
        if (from >= Slots) return Slots;
        std::uint32_t word = from / 64;
        std::uint64_t bits = words_[word] & (~std::uint64_t{0} << (from % 64));
        while (bits == 0) {
            if (++word == word_count) return Slots;
            bits = words_[word];
        }
        return word * 64 + static_cast<std::uint32_t>(std::countr_zero(bits));
    }

    std::array<std::uint64_t, word_count> words_{};
};

}  // namespace foliot::detail

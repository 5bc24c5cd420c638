// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

// Bytes of the stored formats: big-endian in keys (so that they sort as their numbers do),
// little-endian and varints in values.

namespace foliot::store::bytes {

template <class Unsigned>
void store_big(char* to, Unsigned value) {
    for (std::size_t i = 0; i < sizeof(Unsigned); ++i) {
        to[i] = static_cast<char>(
            static_cast<unsigned char>(value >> (8 * (sizeof(Unsigned) - 1 - i)) & 0xffU));
    }
}

template <class Unsigned>
Unsigned load_big(const char* from) {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < sizeof(Unsigned); ++i) {
        value = value << 8 | static_cast<unsigned char>(from[i]);
    }
    return static_cast<Unsigned>(value);
}

template <class Unsigned>
void append_little(std::string& out, Unsigned value) {
    for (std::size_t i = 0; i < sizeof(Unsigned); ++i) {
        out.push_back(static_cast<char>(static_cast<unsigned char>(value >> (8 * i) & 0xffU)));
    }
}

/// LEB128: seven bits a byte, lowest first, the top bit set on all but the last.
inline void append_varint(std::string& out, std::uint64_t value) {
    while (value >= 0x80) {
        out.push_back(static_cast<char>(static_cast<unsigned char>(value | 0x80U)));
        value >>= 7;
    }
    out.push_back(static_cast<char>(static_cast<unsigned char>(value)));
}

/// Reads a value front to back and never past its end. Each `take_` answers nullopt, and moves
/// nothing, where the bytes do not hold what was asked for.
class reader {
public:
    explicit reader(std::string_view all) : all_(all) {}

    [[nodiscard]] std::size_t offset() const { return offset_; }
    [[nodiscard]] std::size_t left() const { return all_.size() - offset_; }

    template <class Unsigned>
    std::optional<Unsigned> take_little() {
        if (left() < sizeof(Unsigned)) return std::nullopt;
        std::uint64_t value = 0;
        for (std::size_t i = 0; i < sizeof(Unsigned); ++i) value |= byte_at(i) << (8 * i);
        offset_ += sizeof(Unsigned);
        return static_cast<Unsigned>(value);
    }

    /// Only the shortest form of a number is legal, so that a value has one encoding.
    std::optional<std::uint64_t> take_varint() {
        std::uint64_t value = 0;
        for (std::size_t i = 0; i < 10 && i < left(); ++i) {
            const std::uint64_t b = byte_at(i);
            if (i == 9 && b > 1) return std::nullopt;
            value |= (b & 0x7fU) << (7 * i);
            if (b >= 0x80) continue;
            if (b == 0 && i > 0) return std::nullopt;
            offset_ += i + 1;
            return value;
        }
        return std::nullopt;
    }

    std::optional<std::string_view> take(std::uint64_t size) {
        if (size > left()) return std::nullopt;
        const std::string_view part = all_.substr(offset_, static_cast<std::size_t>(size));
        offset_ += part.size();
        return part;
    }

private:
    [[nodiscard]] std::uint64_t byte_at(std::size_t i) const {
        return static_cast<unsigned char>(all_[offset_ + i]);
    }

    std::string_view all_;
    std::size_t offset_ = 0;
};

}  // namespace foliot::store::bytes

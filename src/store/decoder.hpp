// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "store/bytes.hpp"
#include "store/due_store.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace foliot::store {

/// Takes fields one after the other and keeps the first failure; after one, every field is zero.
class decoder {
public:
    static constexpr std::uint64_t any = std::numeric_limits<std::uint64_t>::max();

    decoder(std::string_view what, std::string_view in) : what_(what), size_(in.size()), in_(in) {}

    template <class Unsigned>
    Unsigned little(std::string_view field) {
        if (error_) return 0;
        const auto value = in_.take_little<Unsigned>();
        if (!value) cut_short(field);
        return value.value_or(0);
    }

    std::uint64_t varint(std::string_view field, std::uint64_t limit) {
        if (error_) return 0;
        const std::size_t at = in_.offset();
        const auto value = in_.take_varint();
        if (!value) {
            fail(field, at, "is not a whole number in its shortest form");
            return 0;
        }
        if (*value > limit) {
            fail(field, at, "is " + std::to_string(*value) + ", above " + std::to_string(limit));
        }
        return *value;
    }

    std::string_view bytes(std::string_view field, std::uint64_t size) {
        if (error_) return {};
        const auto part = in_.take(size);
        if (!part) cut_short(field);
        return part.value_or(std::string_view{});
    }

    /// Of the value; 0 where it is wrong.
    std::uint8_t version(std::uint8_t known) {
        const auto found = little<std::uint8_t>("version");
        if (error_) return 0;
        if (found > known) {
            error_ = store_error{store_code::unsupported,
                                 std::string(what_) + ": version " + std::to_string(found) +
                                     " is newer than " + std::to_string(known) +
                                     ", the newest that this program knows"};
        } else if (found == 0) {
            fail("version", 0, "is 0");
        }
        return error_ ? std::uint8_t{0} : found;
    }

    /// The optional fields at the end: from version 2 on, and then at least one.
    std::string_view fields(std::uint8_t version) {
        if (error_ || version < 2) return {};
        if (in_.left() == 0) fail("fields", in_.offset(), "are missing: version 1 has none");
        return bytes("fields", in_.left());
    }

    void unsupported(const std::string& why) {
        if (!error_) error_ = store_error{store_code::unsupported, std::string(what_) + ": " + why};
    }

    void fail(std::string_view field, std::size_t at, const std::string& why) {
        if (error_) return;
        error_ =
            store_error{store_code::corrupt, std::string(what_) + " of " + std::to_string(size_) +
                                                 " bytes: " + std::string(field) + " at offset " +
                                                 std::to_string(at) + " " + why};
    }

    [[nodiscard]] const std::optional<store_error>& first_error() const { return error_; }

    [[nodiscard]] std::size_t offset() const { return in_.offset(); }

    [[nodiscard]] std::size_t left() const { return error_ ? 0 : in_.left(); }

    std::optional<store_error> finish() {
        if (!error_ && in_.left() > 0) {
            fail("end", in_.offset(), "is followed by " + std::to_string(in_.left()) + " bytes");
        }
        return std::move(error_);
    }

private:
    void cut_short(std::string_view field) {
        fail(field, in_.offset(),
             "runs past the end (" + std::to_string(in_.left()) + " bytes are left)");
    }

    std::string_view what_;
    std::size_t size_;
    bytes::reader in_;
    std::optional<store_error> error_;
};

}  // namespace foliot::store

// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <foliot/service/detail/delayed_house.hpp>
#include <foliot/service/detail/sync.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <iterator>
#include <memory>
#include <new>
#include <unordered_map>
#include <utility>
#include <vector>

namespace foliot::detail {

/// Who is watched under which key, in parts under a lock each. No lock is held while an operation
/// is called or destroyed.
template <class Key, class Hash, class Operation>
class delayed_table final : public delayed_house {
public:
    using operation_ptr = std::shared_ptr<Operation>;
    using operations = std::vector<operation_ptr>;

    delayed_table(std::size_t parts, std::size_t threshold)
        : delayed_house(threshold), parts_(parts) {}

    /// False after drop_all.
    [[nodiscard]] bool watch(const Key& key, const operation_ptr& op) {
        part& p = part_of(key);
        const std::lock_guard held(p.mutex);
        if (p.closed) return false;
        const auto at = p.lists.try_emplace(key).first;
        try {
            at->second.push_back(op);
        } catch (...) {
            if (at->second.empty()) p.lists.erase(at);
            throw;
        }
        op->entered();
        return true;
    }

    /// A copy, so that they can be tried without the lock.
    [[nodiscard]] operations watchers(const Key& key) {
        part& p = part_of(key);
        const std::lock_guard held(p.mutex);
        const auto at = p.lists.find(key);
        return at == p.lists.end() ? operations{} : at->second;
    }

    [[nodiscard]] operations take(const Key& key) {
        part& p = part_of(key);
        const std::lock_guard held(p.mutex);
        const auto at = p.lists.find(key);
        if (at == p.lists.end()) return {};
        operations all = std::move(at->second);
        p.lists.erase(at);
        shrink(p);
        for (const operation_ptr& op : all) op->left();
        return all;
    }

    void remove_over(const Key& key) noexcept {
        operations removed;  // destroyed without the lock
        part& p = part_of(key);
        const std::lock_guard held(p.mutex);
        const auto at = p.lists.find(key);
        if (at == p.lists.end() || !move_over(at->second, removed)) return;
        if (!at->second.empty()) return;
        p.lists.erase(at);
        shrink(p);
    }

    bool sweep() noexcept override {
        for (part& p : parts_) {
            operations removed;
            const std::lock_guard held(p.mutex);
            for (auto at = p.lists.begin(); at != p.lists.end();) {
                if (!move_over(at->second, removed)) return false;
                at = at->second.empty() ? p.lists.erase(at) : std::next(at);
            }
            shrink(p);
        }
        return true;
    }

    void drop_all() noexcept {
        for (part& p : parts_) {
            map lists;
            {
                const std::lock_guard held(p.mutex);
                lists.swap(p.lists);
                p.closed = true;  // so that no list and its operations keep each other
            }
            for (const auto& [key, all] : lists) {
                for (const operation_ptr& op : all) {
                    op->left();
                    op->withdraw();
                }
            }
        }
    }

    /// Whether this thread is checking the key. If so, that check will look again.
    [[nodiscard]] bool leave_to_check_further_out(const Key& key) const {
        for (check_here* c = innermost_check; c != nullptr; c = c->outer) {
            if (c->table != this || !(*static_cast<const Key*>(c->key) == key)) continue;
            c->again = true;
            return true;
        }
        return false;
    }

    std::size_t check(const Key& key, operations found) {
        check_here here{this, &key, false, innermost_check};
        const enter_check entered(here);
        std::size_t done = 0;
        std::exception_ptr failure;
        rounds_from_within rounds;
        do {
            here.again = false;
            rounds.begin();
            for (const operation_ptr& op : found) {
                try {
                    done += op->attempt() ? 1 : 0;
                } catch (...) {
                    if (!failure) failure = std::current_exception();
                }
            }
            remove_over(key);
            if (!rounds.goes_on(here.again)) break;
            found = watchers(key);
        } while (true);
        if (failure) std::rethrow_exception(failure);
        return done;
    }

private:
    using map = std::unordered_map<Key, operations, Hash>;
    struct alignas(64) part {
        sync::mutex mutex;
        map lists;
        bool closed = false;
    };

    [[nodiscard]] part& part_of(const Key& key) {
        // Mixed: the map uses the low bits again.
        const std::uint64_t mixed = std::uint64_t{Hash{}(key)} * 0x9E37'79B9'7F4A'7C15U;
        return parts_[(mixed >> 32) % parts_.size()];
    }

    /// From a list to `removed`. False: no memory, and nothing was moved.
    static bool move_over(operations& list, operations& removed) noexcept {
        const auto n = static_cast<std::size_t>(std::count_if(
            list.begin(), list.end(), [](const operation_ptr& op) { return op->over(); }));
        if (n == 0) return true;
        const std::size_t needed = removed.size() + n;
        try {
            if (removed.capacity() < needed) removed.reserve(std::max(2 * needed, std::size_t{16}));
        } catch (const std::bad_alloc&) {
            return false;
        }
        auto kept = list.begin();
        for (operation_ptr& op : list) {
            if (op->over() && removed.size() < needed) {  // those that end meanwhile stay
                op->left();
                removed.push_back(std::move(op));
            } else {
                if (&*kept != &op) *kept = std::move(op);
                ++kept;
            }
        }
        list.erase(kept, list.end());
        if (list.size() < list.capacity() / 4) list.shrink_to_fit();
        return true;
    }

    /// The map's own memory follows the number of keys.
    static void shrink(part& p) noexcept {
        if (p.lists.bucket_count() < 1024 || p.lists.size() > p.lists.bucket_count() / 8) return;
        try {
            p.lists.rehash(0);
        } catch (const std::bad_alloc&) {  // it stays as large as it is
        }
    }

    std::vector<part> parts_;
};

}  // namespace foliot::detail

// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "support/interleaving/where.hpp"

#include <dlfcn.h>
#include <execinfo.h>

#include <cxxabi.h>
#include <array>
#include <cstdlib>
#include <memory>
#include <string_view>

namespace foliot::interleaving {

namespace {

struct free_it {
    void operator()(char* p) const noexcept { std::free(p); }
};

// foliot::detail::shard::cancel(foliot::...) -> shard::cancel; empty if it is none of ours.
std::string short_name(const char* symbol) {
    int status = 0;
    const std::unique_ptr<char, free_it> full(
        abi::__cxa_demangle(symbol, nullptr, nullptr, &status));
    if (status != 0) return {};
    std::string_view name = full.get();
    constexpr std::string_view ours = "foliot::";
    if (!name.starts_with(ours) || name.starts_with("foliot::interleaving::")) return {};
    name.remove_prefix(ours.size());
    if (name.starts_with("detail::")) name.remove_prefix(8);
    return std::string(name.substr(0, name.find_first_of("(<[")));
}

}  // namespace

std::string where() {
    constexpr int most = 24;
    constexpr int shown = 3;
    std::array<void*, most> frames{};
    const int n = backtrace(frames.data(), most);
    std::string all;
    int told = 0;
    for (int i = 1; i < n && told < shown; ++i) {
        Dl_info info{};
        if (dladdr(frames[static_cast<std::size_t>(i)], &info) == 0) continue;
        if (info.dli_sname == nullptr) continue;
        const std::string name = short_name(info.dli_sname);
        if (name.empty()) continue;
        all += (told++ == 0 ? "   in " : " < ") + name;
    }
    return all;
}

}  // namespace foliot::interleaving

// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "server/clock.hpp"

#include <array>
#include <ctime>
#include <fstream>

namespace foliot::server {
namespace {

std::chrono::nanoseconds read(clockid_t id) {
    timespec t{};
    clock_gettime(id, &t);  // fails only for an unknown clock
    return std::chrono::seconds{t.tv_sec} + std::chrono::nanoseconds{t.tv_nsec};
}

std::string format_http_date(std::time_t seconds) {
    static constexpr std::array days{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
    static constexpr std::array months{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                       "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    std::tm t{};
    gmtime_r(&seconds, &t);
    // Names are written out here because strftime's follow the process's locale.
    std::array<char, 64> text{};
    std::strftime(text.data(), text.size(), "%d ??? %Y %H:%M:%S GMT", &t);
    std::string date = std::string{days[static_cast<std::size_t>(t.tm_wday)]} + ", " + text.data();
    date.replace(date.find("???"), 3, months[static_cast<std::size_t>(t.tm_mon)]);
    return date;
}

}  // namespace

engine::instant read_clocks() { return {read(CLOCK_BOOTTIME), read(CLOCK_REALTIME)}; }

std::uint64_t boot_number() {
    std::ifstream file{"/proc/sys/kernel/random/boot_id"};
    std::string id;
    if (!(file >> id)) return 0;
    std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a: the number is stored, so it must not change
    for (const char c : id) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    return hash;
}

std::chrono::nanoseconds boot_time() { return read(CLOCK_BOOTTIME); }

const std::string& http_date() {
    thread_local std::time_t made_at = -1;
    thread_local std::string date;
    const std::time_t now =
        std::chrono::duration_cast<std::chrono::seconds>(read(CLOCK_REALTIME)).count();
    if (now != made_at) {
        date = format_http_date(now);
        made_at = now;
    }
    return date;
}

}  // namespace foliot::server

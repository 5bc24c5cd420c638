// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "house.hpp"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <future>
#include <stdexcept>
#include <vector>

namespace bench {

namespace {

namespace fs = std::filesystem;

std::string emptied(const std::string& directory) {
    fs::remove_all(directory);
    fs::create_directories(directory);
    return directory;
}

void set_some(foliot::client::client to, std::uint64_t first, std::uint64_t last,
              const std::string& queue,
              const std::function<foliot::client::when(std::uint64_t)>& due) {
    constexpr std::uint64_t lines = 5000;
    static const std::string payload = '"' + std::string(98, 'x') + '"';
    std::vector<foliot::client::batch_request> batch;
    for (std::uint64_t i = first; i < last;) {
        batch.clear();
        for (const auto end = std::min(last, i + lines); i < end; ++i) {
            foliot::client::set_request r;
            r.id = "timer-" + std::to_string(100'000'000'000'000 + i);  // of 20 or 21 bytes
            r.due = due(i);
            r.queue = queue;
            r.payload = payload;
            batch.emplace_back(std::move(r));
        }
        std::string refused;
        must(to.batch(batch, [&](std::size_t, const foliot::client::batch_result& one) {
            if (!one) refused = one.error().message;
        }));
        if (!refused.empty()) throw std::runtime_error("a timer was refused: " + refused);
    }
}

}  // namespace

house::house(const options& o)
    : directory_(emptied(o.directory)),
      server_({.binary = o.foliotd,
               .data = directory_ + "/data",
               .log = directory_ + "/log",
               .start_timeout = 60s}) {}

house::~house() {
    server_.kill_nine();
    std::error_code ignored;
    fs::remove_all(directory_, ignored);
}

void house::start() {
    const std::string wrong = server_.start();
    if (!wrong.empty()) throw std::runtime_error(wrong);
}

void house::stop() {
    if (server_.terminate(60s) != 0)
        throw std::runtime_error("foliotd did not stop: " + server_.log_text());
}

foliot::client::client house::new_client() const {
    foliot::client::options o;
    o.url = server_.url();
    o.request_timeout = 60s;
    return foliot::client::client(o);
}

std::uint64_t house::resident_bytes() const {
    std::ifstream statm("/proc/" + std::to_string(server_.pid()) + "/statm");
    std::uint64_t pages = 0;
    statm >> pages >> pages;
    return pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

std::uint64_t house::disk_bytes() const {
    std::uint64_t sum = 0;
    for (const auto& file : fs::recursive_directory_iterator(directory_ + "/data")) {
        if (file.is_regular_file()) sum += file.file_size();
    }
    return sum;
}

seconds set_many(const house& h, std::uint64_t from, std::uint64_t to, const std::string& queue,
                 const std::function<foliot::client::when(std::uint64_t)>& due) {
    const auto begin = std::chrono::steady_clock::now();
    const std::uint64_t middle = from + (to - from) / 2;
    auto other =
        std::async(std::launch::async, [&] { set_some(h.new_client(), middle, to, queue, due); });
    set_some(h.new_client(), from, middle, queue, due);
    other.get();
    return std::chrono::steady_clock::now() - begin;
}

}  // namespace bench

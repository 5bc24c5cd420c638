// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "server/backups.hpp"

#include "protocol/json.hpp"

#include <chrono>
#include <filesystem>
#include <system_error>
#include <utility>

namespace foliot::server {
namespace {

namespace fs = std::filesystem;
using protocol::http_response;
using protocol::problem;

std::shared_future<http_response> at_once(http_response answer) {
    std::promise<http_response> promise;
    promise.set_value(std::move(answer));
    return promise.get_future().share();
}

problem wrong(std::string message) { return {400, "bad_backup_target", std::move(message), "to"}; }

/// The body's one member.
result<std::string, problem> read_to(std::string_view body, const protocol::limits& limits) {
    if (auto bad = protocol::check_json_object(body, limits)) return *std::move(bad);
    protocol::object_reader members(body);
    std::string to;
    while (const auto member = members.next()) {
        if (member->name != "to") {
            return problem{400, "unknown_field", "a backup has no field " + member->name,
                           member->name};
        }
        if (member->value.kind != protocol::json_kind::string) {
            return problem{400, "wrong_type", "to must be a string", "to"};
        }
        to = protocol::string_content(member->value.raw);
    }
    return to;
}

bool is_below(const fs::path& inner, const fs::path& outer) {
    const auto relative = inner.lexically_relative(outer);
    return !relative.empty() && *relative.begin() != ".." && *relative.begin() != ".";
}

}  // namespace

backups::~backups() {
    if (worker_.joinable()) worker_.join();
}

result<std::string, problem> backups::check(std::string_view method, std::string_view body,
                                            const protocol::limits& limits) const {
    if (method != "POST") return problem{405, "method_not_allowed", "a backup is a POST"};
    if (directory_.empty() || !take_) {
        return problem{403, "backup_off", "backups are off; set backup.directory to allow them"};
    }
    auto to = read_to(body, limits);
    if (!to) return std::move(to).error();
    const fs::path path(*to);
    if (!path.is_absolute() || path.lexically_normal() != path || !path.has_filename()) {
        return wrong("to must be an absolute path without . and .. and without a / at its end");
    }
    // Links are followed before the two are compared.
    std::error_code error;
    const auto allowed = fs::canonical(directory_, error);
    if (error) {
        return wrong("backup.directory is " + directory_ + ": " + error.message());
    }
    const auto parent = fs::canonical(path.parent_path(), error);
    if (error) return wrong(path.parent_path().string() + ": " + error.message());
    if (!is_below(parent / path.filename(), allowed)) {
        return wrong(*to + " is not below " + directory_ + " (backup.directory)");
    }
    if (fs::symlink_status(path, error).type() != fs::file_type::not_found) {
        return problem{409, "backup_exists", *to + " exists already; name a new directory", "to"};
    }
    return *std::move(to);
}

http_response backups::run(const std::string& to) const {
    if (auto taken = take_(to); !taken) {
        return protocol::error_response({503, "backup_failed", taken.error()});
    }
    http_response answer;
    answer.body = "{\"directory\":";
    protocol::append_quoted(answer.body, to);
    answer.body += "}\n";
    return answer;
}

std::shared_future<http_response> backups::begin(std::string_view method, std::string_view body,
                                                 const protocol::limits& limits) {
    auto to = check(method, body, limits);
    if (!to) {
        auto answer = protocol::error_response(to.error());
        if (answer.status == 405) answer.allow = "POST";
        return at_once(std::move(answer));
    }
    const std::lock_guard lock(mutex_);
    if (last_.valid() && last_.wait_for(std::chrono::seconds{0}) != std::future_status::ready) {
        return at_once(protocol::error_response(
            {409, "backup_running", "another backup is being made; try again when it is done"}));
    }
    if (worker_.joinable()) worker_.join();
    std::packaged_task<http_response()> task([this, path = *std::move(to)] { return run(path); });
    last_ = task.get_future().share();
    worker_ = std::thread(std::move(task));
    return last_;
}

}  // namespace foliot::server

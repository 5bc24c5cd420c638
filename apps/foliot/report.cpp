// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "commands.hpp"

#include "output.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace foliot::cli {

namespace {

exit_code code_of(const client::client_error& e) {
    switch (e.kind) {
        case client::error_kind::bad_argument: return exit_code::usage;
        case client::error_kind::cannot_connect:
        case client::error_kind::connection_lost:
        case client::error_kind::timed_out: return exit_code::cannot_connect;
        case client::error_kind::bad_reply: return exit_code::no;
        case client::error_kind::refused: break;
    }
    return e.try_later() ? exit_code::try_later : exit_code::no;
}

const char* advice(const client::client_error& e) {
    if (e.kind == client::error_kind::cannot_connect) {
        return "\nIs foliotd running there? --url or FOLIOT_URL names another place.";
    }
    if (e.kind != client::error_kind::refused && e.outcome_unknown()) {
        return "\nIf this was a change, it may have been made.";
    }
    if (e.status == 401) return "\n--token or FOLIOT_TOKEN gives the token.";
    return "";
}

void say(bool json, const client::client_error& e) {
    std::string text = "foliot: " + printable(e.message) + advice(e) + "\n";
    if (json) {
        json_line line;
        line.text("code", e.code).text("message", e.message);
        if (!e.field.empty()) line.text("field", e.field);
        if (e.limit) line.raw("limit", std::to_string(*e.limit));
        text = line.str();
    }
    std::fputs(text.c_str(), stderr);
}

int stdout_error = 0;  ///< errno of the first write that failed

void note_failure(int error) {
    if (stdout_error == 0) stdout_error = error == 0 ? EIO : error;
}

}  // namespace

void print(std::string_view text) {
    if (std::fwrite(text.data(), 1, text.size(), stdout) < text.size()) note_failure(errno);
}

bool flushed() {
    if (std::fflush(stdout) != 0) note_failure(errno);
    return stdout_error == 0;
}

exit_code finish_output(bool json, exit_code code) {
    if (flushed()) return code;
    say(json, {.kind = client::error_kind::bad_argument,
               .status = 0,
               .code = "cannot_write",
               .message = std::string("cannot write the output: ") + std::strerror(stdout_error),
               .field = {},
               .limit = {}});
    return code == exit_code::ok ? exit_code::no : code;
}

exit_code report(const context& c, const client::client_error& e) {
    static_cast<void>(flushed());  // first what came before; a failure is said at the end
    say(c.json, e);
    return code_of(e);
}

exit_code report_usage(const context& c, std::string_view message) {
    return report(c, {.kind = client::error_kind::bad_argument,
                      .status = 0,
                      .code = "usage",
                      .message = std::string(message),
                      .field = {},
                      .limit = {}});
}

}  // namespace foliot::cli

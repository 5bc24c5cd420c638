// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "client/client.hpp"

#include "client/http_connection.hpp"
#include "client/json_text.hpp"
#include "client/wire.hpp"

#include <utility>

namespace foliot::client {

bool client_error::outcome_unknown() const {
    switch (kind) {
        case error_kind::bad_argument:
        case error_kind::cannot_connect: return false;
        case error_kind::connection_lost:
        case error_kind::timed_out:
        case error_kind::bad_reply: return true;
        case error_kind::refused: break;
    }
    // The server says of these that it changed nothing; of any other 5xx nobody knows.
    return status >= 500 && code != "not_ready" && code != "overloaded" && code != "stopping";
}

const char* name(cancel_outcome outcome) {
    switch (outcome) {
        case cancel_outcome::cancelled: return "cancelled";
        case cancel_outcome::in_flight: return "in_flight";
        case cancel_outcome::gone: return "gone";
    }
    return "gone";
}

when when::in(std::chrono::milliseconds delay) { return {"delay", std::to_string(delay.count())}; }
when when::in(std::string_view delay) { return {"delay", quote(delay)}; }
when when::at_ms(std::int64_t unix_ms) { return {"due", std::to_string(unix_ms)}; }
when when::at(std::string_view rfc3339) { return {"due", quote(rfc3339)}; }

class client::impl {
public:
    explicit impl(options o) : options_(std::move(o)) {
        if (auto to = detail::parse_url(options_.url)) {
            connection_ = std::make_unique<detail::http_connection>(
                *std::move(to), options_.connect_timeout, options_.max_reply_bytes);
        } else {
            bad_url_ = std::move(to).error();
        }
    }

    /// Errors of the server become client_error; `good` says which other statuses do not.
    client_result<detail::http_response> call(detail::http_request request,
                                              const detail::body_sink& sink = nullptr,
                                              unsigned also_good = 200) {
        if (!connection_) return bad_url_;
        if (request.timeout.count() == 0) request.timeout = options_.request_timeout;
        if (detail::has_control(options_.token)) return detail::bad_header("the token");
        if (!options_.token.empty()) {
            request.headers.emplace_back("Authorization", "Bearer " + options_.token);
        }
        if (!request.body.empty()) {
            request.headers.emplace_back("Content-Type", "application/json");
        }
        auto response = connection_->exchange(request, sink);
        if (!response) return response;
        if (response->status / 100 != 2 && response->status != also_good) {
            return detail::read_error(response->status, response->body);
        }
        return response;
    }

    client_result<detail::http_response> read(std::string target, unsigned also_good = 200) {
        return call({.target = std::move(target), .timeout = {}, .repeatable = true}, nullptr,
                    also_good);
    }

    [[nodiscard]] std::string path(std::string_view rest) const {
        return "/v1/" + detail::percent_encode(options_.ns) + std::string(rest);
    }
    [[nodiscard]] std::string timer_path(std::string_view id) const {
        return path("/timers/" + detail::percent_encode(id));
    }
    [[nodiscard]] std::string queue_path(std::string_view queue, std::string_view verb) const {
        return path("/queues/" + detail::percent_encode(queue) + ":" + std::string(verb));
    }

    client_result<std::vector<settlement>> settle(std::string_view queue, const char* verb,
                                                  std::span<const std::string> tokens,
                                                  std::string_view extra) {
        return settle(queue, verb, detail::settle_body(tokens, extra));
    }

    client_result<std::vector<settlement>> settle(std::string_view queue, const char* verb,
                                                  std::string body) {
        auto response = call({.method = "POST",
                              .target = queue_path(queue, verb),
                              .body = std::move(body),
                              .timeout = {}});
        if (!response) return std::move(response).error();
        return detail::read_settlements(response->body);
    }

    [[nodiscard]] const options& settings() const { return options_; }

private:
    options options_;
    std::unique_ptr<detail::http_connection> connection_;
    client_error bad_url_;
};

client::client(options o) : impl_(std::make_unique<impl>(std::move(o))) {}
client::~client() = default;
client::client(client&&) noexcept = default;
client& client::operator=(client&&) noexcept = default;

client_result<timer_set> client::set(const set_request& request) {
    if (detail::has_control(request.require.generation)) {
        return detail::bad_header("the generation of if_match");
    }
    auto body = detail::set_body(request);
    if (!body) return std::move(body).error();
    detail::http_request http{.method = "PUT",
                              .target = impl_->timer_path(request.id),
                              .body = *std::move(body),
                              .timeout = {}};
    if (!request.idempotency_key.empty()) {
        if (detail::has_control(request.idempotency_key)) {
            return detail::bad_header("the idempotency key");
        }
        http.headers.emplace_back("Idempotency-Key", '"' + request.idempotency_key + '"');
    }
    if (request.require.create_only) http.headers.emplace_back("If-None-Match", "*");
    if (!request.require.generation.empty()) {
        http.headers.emplace_back("If-Match", quote(request.require.generation));
    }
    auto response = impl_->call(std::move(http));
    if (!response) return std::move(response).error();
    return detail::read_set(response->body);
}

client_result<cancel_outcome> client::cancel(const cancel_request& request) {
    if (detail::has_control(request.generation)) {
        return detail::bad_header("the generation of if_match");
    }
    detail::http_request http{
        .method = "DELETE", .target = impl_->timer_path(request.id), .timeout = {}};
    if (!request.generation.empty()) {
        http.headers.emplace_back("If-Match", quote(request.generation));
    }
    auto response = impl_->call(std::move(http));
    if (!response) return std::move(response).error();
    return detail::read_cancel(response->body);
}

client_result<timer_view> client::get(std::string_view id) {
    auto response = impl_->read(impl_->timer_path(id));
    if (!response) return std::move(response).error();
    return detail::read_view(response->body);
}

client_result<timer_page> client::list(const list_request& request) {
    std::string query;
    const auto add = [&query](const char* key, const std::string& value) {
        if (value.empty()) return;
        query.append(query.empty() ? "?" : "&").append(key).append("=");
        query += detail::percent_encode(value);
    };
    add("prefix", request.prefix);
    add("from", request.from);
    add("to", request.to);
    add("limit", request.limit == 0 ? "" : std::to_string(request.limit));
    add("cursor", request.cursor);
    auto response = impl_->read(impl_->path("/timers" + query));
    if (!response) return std::move(response).error();
    return detail::read_page(response->body);
}

client_result<done> client::batch(std::span<const batch_request> requests,
                                  const batch_sink& on_result) {
    std::string body;
    for (const auto& request : requests) {
        auto line = detail::batch_body_line(request);
        if (!line) return std::move(line).error();
        body += *line;
    }
    std::string rest;  // of a line whose end has not come yet
    std::size_t index = 0;
    const auto take = [&](std::string_view part) {
        rest.append(part);
        std::size_t from = 0;
        for (auto end = rest.find('\n'); end != rest.npos; end = rest.find('\n', from)) {
            const std::string_view line(rest.data() + from, end - from);
            if (index < requests.size()) on_result(index, detail::read_batch_line(line));
            ++index;
            from = end + 1;
        }
        rest.erase(0, from);
    };
    auto response = impl_->call({.method = "POST",
                                 .target = impl_->path("/timers:batch"),
                                 .body = std::move(body),
                                 .timeout = {}},
                                take);
    if (!response) return std::move(response).error();
    if (index != requests.size()) {
        return detail::bad_reply(
            "a line for each of " + std::to_string(requests.size()) + " requests",
            std::to_string(index) + " lines came");
    }
    return done{};
}

client_result<std::vector<delivery>> client::lease(const lease_request& request) {
    auto response = impl_->call({.method = "POST",
                                 .target = impl_->queue_path(request.queue, "lease"),
                                 .body = detail::lease_body(request),
                                 .timeout = impl_->settings().request_timeout + request.wait});
    if (!response) return std::move(response).error();
    return detail::read_deliveries(response->body);
}

client_result<std::vector<settlement>> client::ack(std::string_view queue, tokens t) {
    return impl_->settle(queue, "ack", t, {});
}

client_result<std::vector<settlement>> client::ack(std::string_view queue, tokens t,
                                                   const next_timer& next) {
    auto body = detail::ack_next_body(t, next);
    if (!body) return std::move(body).error();
    return impl_->settle(queue, "ack", *std::move(body));
}

client_result<std::vector<settlement>> client::nack(
    std::string_view queue, tokens t, std::optional<std::chrono::milliseconds> delay) {
    return impl_->settle(queue, "nack", t,
                         delay ? "\"delay\":" + std::to_string(delay->count()) : std::string{});
}

client_result<std::vector<settlement>> client::extend(std::string_view queue, tokens t,
                                                      std::chrono::milliseconds lease) {
    return impl_->settle(queue, "extend", t, "\"lease\":" + std::to_string(lease.count()));
}

client_result<std::string> client::limits() {
    auto response = impl_->read("/v1/limits");
    if (!response) return std::move(response).error();
    return std::move(response->body);
}

client_result<std::string> client::metrics() {
    auto response = impl_->read("/metrics");
    if (!response) return std::move(response).error();
    return std::move(response->body);
}

client_result<done> client::backup(std::string_view to) {
    auto response = impl_->call({.method = "POST",
                                 .target = "/v1/admin/backup",
                                 .body = "{\"to\":" + quote(to) + "}",
                                 .timeout = std::chrono::hours{1}});
    if (!response) return std::move(response).error();
    return done{};
}

client_result<readiness> client::ready() {
    auto response = impl_->read("/readyz", 503);
    if (!response) return std::move(response).error();
    return readiness{.ready = response->status == 200, .body = std::move(response->body)};
}

}  // namespace foliot::client

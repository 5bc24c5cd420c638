// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "server/http_wire.hpp"

namespace foliot::server {

std::string_view reason_phrase(unsigned status) {
    switch (status) {
        case 200: return "OK";
        case 201: return "Created";
        case 204: return "No Content";
        case 400: return "Bad Request";
        case 401: return "Unauthorized";
        case 403: return "Forbidden";
        case 404: return "Not Found";
        case 405: return "Method Not Allowed";
        case 408: return "Request Timeout";
        case 409: return "Conflict";
        case 412: return "Precondition Failed";
        case 413: return "Payload Too Large";
        case 414: return "URI Too Long";
        case 415: return "Unsupported Media Type";
        case 417: return "Expectation Failed";
        case 422: return "Unprocessable Entity";
        case 429: return "Too Many Requests";
        case 431: return "Request Header Fields Too Large";
        case 500: return "Internal Server Error";
        case 501: return "Not Implemented";
        case 503: return "Service Unavailable";
        case 505: return "HTTP Version Not Supported";
        default: return status < 400 ? "OK" : "Error";
    }
}

std::string response_head(const protocol::http_response& response, bool keep_alive, bool http_1_0,
                          std::string_view date) {
    std::string head = http_1_0 ? "HTTP/1.0 " : "HTTP/1.1 ";
    head.reserve(256);
    const auto field = [&head](std::string_view name, std::string_view value) {
        head.append(name).append(": ").append(value).append("\r\n");
    };
    head.append(std::to_string(response.status)).append(" ");
    head.append(reason_phrase(response.status)).append("\r\n");
    field("Date", date);
    if (response.status != 204) {
        field("Content-Type", response.content_type);
        field("Content-Length", std::to_string(response.body.size()));
    }
    field("Cache-Control", "no-store");
    if (response.retry_after_s) field("Retry-After", std::to_string(*response.retry_after_s));
    if (!response.allow.empty()) field("Allow", response.allow);
    if (!response.etag.empty()) field("ETag", response.etag);
    if (response.status == 401) field("WWW-Authenticate", "Bearer realm=\"foliot\"");
    if (!keep_alive) field("Connection", "close");
    if (keep_alive && http_1_0) field("Connection", "keep-alive");
    head.append("\r\n");
    return head;
}

bool needs_no_token(std::string_view target) {
    const auto path = target.substr(0, target.find('?'));
    return path == "/healthz" || path == "/readyz";
}

bool same_origin(std::string_view origin, std::string_view host) {
    const auto scheme_end = origin.find("://");
    return scheme_end != std::string_view::npos && origin.substr(scheme_end + 3) == host;
}

}  // namespace foliot::server

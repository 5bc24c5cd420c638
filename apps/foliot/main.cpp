// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "client/client.hpp"
#include "client/duration_text.hpp"
#include "commands.hpp"
#include "output.hpp"

#include <variant>

namespace cli = foliot::cli;
namespace client = foliot::client;

int main(int argc, char** argv) {
    const auto arguments = cli::parse_arguments(argc, argv);
    if (!arguments.run) return arguments.exit;

    const auto& global = arguments.global;
    client::options options{.url = global.url, .token = global.token, .ns = global.ns};
    const auto timeout = client::parse_duration(global.timeout);
    if (timeout) options.request_timeout = timeout.value();
    client::client server(options);
    cli::context context{
        .server = server, .json = global.json, .colours = !global.json && cli::colours_wanted()};
    if (!timeout) return static_cast<int>(cli::report(context, timeout.error()));

    const auto code =
        std::visit([&](const auto& what) { return cli::run(context, what); }, arguments.what);
    return static_cast<int>(code);
}

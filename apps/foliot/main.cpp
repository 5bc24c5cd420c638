// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "client/client.hpp"
#include "client/duration_text.hpp"
#include "commands.hpp"
#include "output.hpp"

#include <fcntl.h>
#include <unistd.h>
#include <variant>

namespace cli = foliot::cli;
namespace client = foliot::client;

namespace {

/// A closed stdin, stdout or stderr would lend its number to the connection, and what is printed
/// would go to the server. Opened so, stdout refuses what is written to it.
void hold_standard_descriptors() {
    for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        if (::fcntl(fd, F_GETFD) != -1) continue;
        static_cast<void>(::open("/dev/null", fd == STDERR_FILENO ? O_WRONLY : O_RDONLY));
    }
}

cli::exit_code run(const cli::parsed& arguments) {
    const auto& global = arguments.global;
    client::options options{.url = global.url, .token = global.token, .ns = global.ns};
    const auto timeout = client::parse_duration(global.timeout);
    if (timeout) options.request_timeout = timeout.value();
    client::client server(options);
    cli::context context{
        .server = server, .json = global.json, .colours = !global.json && cli::colours_wanted()};
    if (!timeout) return cli::report(context, timeout.error());
    return std::visit([&](const auto& what) { return cli::run(context, what); }, arguments.what);
}

}  // namespace

int main(int argc, char** argv) {
    hold_standard_descriptors();
    const auto arguments = cli::parse_arguments(argc, argv);
    if (!arguments.run) cli::print(arguments.text);
    const auto code = arguments.run ? run(arguments) : static_cast<cli::exit_code>(arguments.exit);
    return static_cast<int>(cli::finish_output(arguments.global.json, code));
}

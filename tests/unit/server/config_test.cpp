// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "server/config.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace foliot::server {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using namespace std::chrono_literals;

std::string read_source_file(const std::string& path) {
    std::ifstream file(std::string{FOLIOT_SOURCE_DIR} + "/" + path);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

std::string toml_error(std::string_view text) {
    config c;
    const auto read = apply_toml(c, text, "f.toml");
    return read ? "" : read.error();
}

early_exit exit_of(const std::vector<std::string>& arguments) {
    auto parsed = parse_command_line(arguments);
    auto* e = std::get_if<early_exit>(&parsed);
    return e != nullptr ? *e : early_exit{-1, "", "no early exit"};
}

TEST(config, file_sets_values_with_units) {
    config c;
    const auto read = apply_toml(c, R"(
listen = "127.0.0.1:0"
stop_timeout = "15m"
[window]
max_timers = 5
max_bytes = "64KiB"
[retry]
min_backoff = 250
)",
                                 "f.toml");
    ASSERT_TRUE(read) << read.error();
    EXPECT_EQ(c.listen, "127.0.0.1:0");
    EXPECT_EQ(c.stop_timeout, 15min);
    EXPECT_EQ(c.engine.window_max_timers, 5U);
    EXPECT_EQ(c.engine.window_max_bytes, 65536U);
    EXPECT_EQ(c.engine.retry_min_backoff, 250ms);
}

TEST(config, unknown_keys_are_errors_that_name_key_and_line) {
    EXPECT_THAT(toml_error("data = \"x\"\n[window]\nmax_timer = 5\n"),
                AllOf(HasSubstr("f.toml:3"), HasSubstr("window.max_timer")));
    EXPECT_THAT(toml_error("[windows]\nmax_timers = 5\n"),
                AllOf(HasSubstr("f.toml:1"), HasSubstr("windows")));
}

TEST(config, bad_values_are_errors_that_name_the_setting_and_line) {
    EXPECT_THAT(toml_error("\nstop_timeout = \"15 parsecs\"\n"),
                AllOf(HasSubstr("f.toml:2"), HasSubstr("stop_timeout"), HasSubstr("15m")));
    EXPECT_THAT(toml_error("durability = \"none\"\n"),
                AllOf(HasSubstr("durability"), HasSubstr("fdatasync"), HasSubstr("os_cache")));
    EXPECT_THAT(toml_error("[window]\nmax_timers = -1\n"), HasSubstr("window.max_timers"));
    EXPECT_THAT(toml_error("[window]\nmax_timers = 1.5\n"), HasSubstr("window.max_timers"));
    EXPECT_THAT(toml_error("[window]\nmax_timers = [1]\n"), HasSubstr("window.max_timers"));
    EXPECT_THAT(toml_error("[limits]\nid_bytes = 65536\n"), HasSubstr("65535"));
    EXPECT_THAT(toml_error("[limits]\nlease = \"99999999999999999999d\"\n"),
                HasSubstr("limits.lease"));
    EXPECT_THAT(toml_error("data = \n"), HasSubstr("f.toml:1"));
}

TEST(config, flags_win_over_the_file) {
    const auto path = std::filesystem::temp_directory_path() /
                      ("foliot-config-" + std::to_string(::getpid()) + ".toml");
    std::ofstream(path) << "data = \"from-file\"\nlisten = \"127.0.0.1:1\"\n";
    auto parsed = parse_command_line({"--config", path.string(), "--listen", "127.0.0.1:2",
                                      "--window-max-timers", "9", "--log-format=json"});
    std::filesystem::remove(path);
    const auto* c = std::get_if<config>(&parsed);
    ASSERT_NE(c, nullptr);
    EXPECT_EQ(c->data, "from-file");
    EXPECT_EQ(c->listen, "127.0.0.1:2");
    EXPECT_EQ(c->engine.window_max_timers, 9U);
    EXPECT_EQ(c->format(), log_format::json);
}

TEST(config, wrong_command_lines_end_with_code_2_and_a_reason) {
    EXPECT_EQ(exit_of({"--no-such-flag"}).code, 2);
    const auto bad = exit_of({"--stop-timeout", "soon"});
    EXPECT_EQ(bad.code, 2);
    EXPECT_THAT(bad.err, HasSubstr("--stop-timeout"));
    const auto missing = exit_of({"--config", "/nowhere/f.toml"});
    EXPECT_EQ(missing.code, 2);
    EXPECT_THAT(missing.err, HasSubstr("/nowhere/f.toml"));
}

TEST(config, version_help_and_print_config_end_with_code_0) {
    EXPECT_EQ(exit_of({"--version"}).code, 0);
    EXPECT_THAT(exit_of({"--version"}).out, HasSubstr(std::string{version()}));
    EXPECT_THAT(exit_of({"--help"}).out, HasSubstr("--auth-token-file"));
    EXPECT_EQ(exit_of({"--print-config"}).code, 0);
}

TEST(config, printed_config_reads_back_as_the_same) {
    config c;
    for (const auto& s : settings_of(c)) {
        if (s.unit.empty()) continue;
        const auto set = assign(s, std::to_string(s.min + (s.max - s.min) / 3));
        ASSERT_TRUE(set) << set.error();
    }
    config again;
    const auto read = apply_toml(again, print_config(c), "printed");
    ASSERT_TRUE(read) << read.error();
    EXPECT_EQ(print_config(again), print_config(c));
}

TEST(config, every_default_is_in_its_range) {
    config c;
    for (const auto& s : settings_of(c)) {
        const auto same = assign(s, value_of(s));
        EXPECT_TRUE(same) << same.error();
    }
}

TEST(config, packaged_file_shows_every_setting_with_its_default) {
    std::istringstream packaged(read_source_file("packaging/foliotd.toml"));
    std::string active;
    for (std::string line; std::getline(packaged, line);) {
        if (line.starts_with('#') && line.find(" = ") != std::string::npos &&
            !line.starts_with("# ")) {
            line.erase(0, 1);
        }
        active += line + '\n';
    }
    config c;
    const auto read = apply_toml(c, active, "packaging/foliotd.toml");
    ASSERT_TRUE(read) << read.error();
    EXPECT_EQ(print_config(c), print_config(config{}));
    config defaults;
    for (const auto& s : settings_of(defaults)) {
        const auto key = s.name.substr(s.name.find('.') + 1);
        EXPECT_THAT(active, HasSubstr("\n" + std::string{key} + " = ")) << s.name;
    }
}

TEST(config, operating_manual_names_every_setting_with_its_default) {
    const auto manual = read_source_file("docs/operating.md");
    config defaults;
    for (const auto& s : settings_of(defaults)) {
        const auto value = value_of(s);
        EXPECT_THAT(manual, HasSubstr("| `" + std::string{s.name} + "` | " +
                                      (value.empty() ? "–" : "`" + value + "`") + " |"));
    }
}

TEST(config, told_limits_cover_every_number_once) {
    const config c;
    const auto others = other_limits(c);
    auto all = protocol::describe(c.limits);
    all.insert(all.end(), others.begin(), others.end());
    config defaults;
    for (const auto& s : settings_of(defaults)) {
        if (s.unit.empty()) continue;
        const auto times =
            std::count_if(all.begin(), all.end(), [&](const auto& l) { return l.name == s.name; });
        EXPECT_EQ(times, 1) << s.name;
    }
}

TEST(config, listen_addresses) {
    const auto plain = parse_listen("127.0.0.1:7300");
    ASSERT_TRUE(plain);
    EXPECT_TRUE(plain->loopback);
    EXPECT_EQ(plain->port, 7300);
    EXPECT_TRUE(parse_listen("localhost:1")->loopback);
    EXPECT_TRUE(parse_listen("[::1]:1")->loopback);
    EXPECT_FALSE(parse_listen("0.0.0.0:1")->loopback);
    EXPECT_FALSE(parse_listen("[::]:1")->loopback);
    EXPECT_FALSE(parse_listen("192.168.1.7:1")->loopback);
    for (const auto* wrong : {"", "7300", "127.0.0.1", "127.0.0.1:", "127.0.0.1:x", "::1:7300",
                              "127.0.0.1:65536", "example.org:80", "[127.0.0.1]:80", ":80"}) {
        EXPECT_FALSE(parse_listen(wrong)) << wrong;
    }
}

}  // namespace
}  // namespace foliot::server

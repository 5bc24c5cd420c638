// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "server/config.hpp"

#include <toml++/toml.h>
#include <CLI/CLI.hpp>

#include <arpa/inet.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>

namespace foliot::server {
namespace {

/// A value of the file as the text that `assign` takes; nothing for tables, arrays, dates.
std::optional<std::string> scalar_text(const toml::node& node) {
    if (const auto* text = node.as_string()) return text->get();
    if (const auto* number = node.as_integer()) return std::to_string(number->get());
    return std::nullopt;
}

class toml_reader {
public:
    toml_reader(config& c, std::string_view file) : settings_(settings_of(c)), file_(file) {}

    result<done, std::string> read(const toml::table& table, const std::string& prefix) {
        for (const auto& [key, node] : table) {
            const std::string name = prefix + std::string{key.str()};
            if (const auto* inner = node.as_table()) {
                if (!is_section(name)) return at(key.source(), "unknown section " + name);
                if (auto read_inner = read(*inner, name + '.'); !read_inner) return read_inner;
                continue;
            }
            const auto* s = find(name);
            if (s == nullptr) return at(key.source(), "unknown setting " + name);
            const auto text = scalar_text(node);
            if (!text) return at(key.source(), name + " takes a string or a whole number");
            if (auto set = assign(*s, *text); !set) return at(key.source(), set.error());
        }
        return done{};
    }

private:
    [[nodiscard]] std::string at(const toml::source_region& where, const std::string& what) const {
        return std::string{file_} + ':' + std::to_string(where.begin.line) + ": " + what;
    }
    [[nodiscard]] const setting* find(std::string_view name) const {
        const auto found = std::find_if(settings_.begin(), settings_.end(),
                                        [&](const setting& s) { return s.name == name; });
        return found == settings_.end() ? nullptr : &*found;
    }
    [[nodiscard]] bool is_section(const std::string& name) const {
        return std::any_of(settings_.begin(), settings_.end(),
                           [&](const setting& s) { return s.name.starts_with(name + '.'); });
    }

    std::vector<setting> settings_;
    std::string_view file_;
};

/// "data", then "window" for "window.max_timers".
std::string_view section_of(std::string_view name) {
    const auto dot = name.find('.');
    return dot == std::string_view::npos ? std::string_view{} : name.substr(0, dot);
}

struct flags {
    std::string config_file;
    bool print = false;
    std::map<std::string_view, std::string> values;  // by setting
};

void declare(CLI::App& app, const std::vector<setting>& settings, flags& given) {
    app.add_option("--config", given.config_file, "TOML file with settings; flags win over it");
    app.add_flag("--print-config", given.print, "print the settings as a TOML file and end");
    app.set_version_flag("--version", "foliotd " + std::string{version()});
    for (const auto& s : settings) {
        const bool section = s.name.find('.') != std::string_view::npos;
        auto* option = app.add_option(flag_of(s), given.values[s.name],
                                      std::string{s.help} + " [" + value_of(s) + "]");
        option->group(section ? "Settings: " + std::string{section_of(s.name)} : "Settings");
        option->type_name("");
    }
}

result<done, std::string> apply_flags(CLI::App& app, const std::vector<setting>& settings,
                                      const flags& given) {
    for (const auto& s : settings) {
        if (app.count(flag_of(s)) == 0) continue;
        if (auto set = assign(s, given.values.at(s.name)); !set)
            return flag_of(s) + ": " + set.error();
    }
    return done{};
}

result<done, std::string> load_file(config& c, const std::string& path) {
    if (path.empty()) return done{};
    std::ifstream file(path);
    std::ostringstream text;
    if (!file || !(text << file.rdbuf())) return "cannot read the configuration file " + path;
    return apply_toml(c, text.str(), path);
}

}  // namespace

log_format config::format() const {
    return log_format_name == "json" ? log_format::json : log_format::text;
}

log_level config::level() const {
    if (log_level_name == "debug") return log_level::debug;
    if (log_level_name == "warn") return log_level::warn;
    return log_level_name == "error" ? log_level::error : log_level::info;
}

result<done, std::string> apply_toml(config& c, std::string_view text, std::string_view name) {
    try {
        return toml_reader(c, name).read(toml::parse(text), "");
    } catch (const toml::parse_error& e) {
        return std::string{name} + ':' + std::to_string(e.source().begin.line) + ": " +
               std::string{e.description()};
    }
}

std::string print_config(const config& c) {
    config copy = c;
    const auto settings = settings_of(copy);
    std::vector<std::string_view> sections;
    for (const auto& s : settings) {
        const auto section = section_of(s.name);
        if (std::find(sections.begin(), sections.end(), section) == sections.end()) {
            sections.push_back(section);
        }
    }
    std::string out;
    for (const auto section : sections) {
        if (!section.empty()) out += "\n[" + std::string{section} + "]\n";
        for (const auto& s : settings) {
            if (section_of(s.name) != section) continue;
            const auto key = section.empty() ? s.name : s.name.substr(section.size() + 1);
            std::ostringstream value;
            const bool bare = s.unit == "count" ||
                              value_of(s).find_first_not_of("0123456789") == std::string::npos;
            if (bare && !s.unit.empty()) {
                value << value_of(s);
            } else {
                value << toml::value<std::string>{value_of(s)};
            }
            out +=
                "# " + std::string{s.help} + '\n' + std::string{key} + " = " + value.str() + '\n';
        }
    }
    return out;
}

std::variant<config, early_exit> parse_command_line(const std::vector<std::string>& arguments) {
    config c;
    const auto settings = settings_of(c);
    flags given;
    CLI::App app{"foliotd, the Foliot timer server: durable timers over HTTP", "foliotd"};
    declare(app, settings, given);
    try {
        app.parse(std::vector<std::string>{arguments.rbegin(), arguments.rend()});  // last first
    } catch (const CLI::ParseError& e) {
        std::ostringstream out, err;
        const int code = app.exit(e, out, err) == 0 ? 0 : 2;
        return early_exit{code, out.str(), err.str()};
    }
    if (given.config_file.empty() && app.count("--config") > 0) {
        return early_exit{2, "", "foliotd: --config names no file\n"};
    }
    auto ok = load_file(c, given.config_file);
    if (ok) ok = apply_flags(app, settings, given);
    if (!ok) return early_exit{2, "", "foliotd: " + ok.error() + '\n'};
    if (given.print) return early_exit{0, print_config(c), ""};
    return c;
}

result<listen_address, std::string> parse_listen(std::string_view text) {
    const auto wrong = [&] {
        return "listen: \"" + std::string{text} +
               "\" is no address with a port; e.g. 127.0.0.1:7300 or [::1]:7300";
    };
    const auto colon = text.rfind(':');
    if (colon == std::string_view::npos) return wrong();
    auto host = text.substr(0, colon);
    const auto port = text.substr(colon + 1);
    listen_address out;
    const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), out.port);
    if (error != std::errc{} || end != port.data() + port.size()) return wrong();
    const bool bracketed = host.size() > 2 && host.front() == '[' && host.back() == ']';
    if (bracketed) host = host.substr(1, host.size() - 2);
    out.host = host == "localhost" ? "127.0.0.1" : host;
    in6_addr v6{};
    in_addr v4{};
    if (bracketed && inet_pton(AF_INET6, out.host.c_str(), &v6) == 1) {
        out.loopback = IN6_IS_ADDR_LOOPBACK(&v6);
    } else if (!bracketed && inet_pton(AF_INET, out.host.c_str(), &v4) == 1) {
        out.loopback = (ntohl(v4.s_addr) >> 24) == 127;
    } else {
        return wrong();
    }
    return out;
}

std::string_view version() { return FOLIOT_VERSION; }

}  // namespace foliot::server

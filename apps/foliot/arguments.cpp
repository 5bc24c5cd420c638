// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "arguments.hpp"

#include "exit_code.hpp"
#include "output.hpp"

#include <fmt/format.h>
#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <charconv>
#include <functional>
#include <iostream>
#include <memory>
#include <sstream>

namespace foliot::cli {

namespace {

constexpr const char* exit_codes =
    "Exit codes: 0 ok; 1 the server said no (not found, gone, stale, refused) or the output\n"
    "cannot be written; 2 wrong usage; 3 cannot connect, or no reply in time; 4 try later.\n"
    "Environment: FOLIOT_URL, FOLIOT_TOKEN, NO_COLOR.";

constexpr const char* set_examples =
    "Examples:\n"
    "  foliot set order-17 --in 30m --payload '{\"order\":17}'\n"
    "  foliot set report --at 2027-01-01T08:00:00+01:00 --queue reports\n"
    "  foliot set once --in 1h --create-only          (exit 1 if it exists)\n"
    "  generate | foliot set big --in 5s --payload -\n"
    "  foliot set session-9 --in 30m --mode extend    (never earlier than it is)\n"
    "  foliot set pay-4 --in 1h --idempotency-key 7f2 (safe to repeat)\n"
    "Setting an id again replaces its timer.";

constexpr const char* cancel_examples =
    "Prints what became of each: cancelled (will never fire), in_flight (a delivery is out; no\n"
    "further attempt), gone (no such timer). Exits 0 only if all were cancelled.\n"
    "Examples:\n"
    "  foliot cancel order-17 order-18\n"
    "  foliot cancel order-17 --if-match 4711";

constexpr const char* get_examples =
    "Examples:\n"
    "  foliot get order-17\n"
    "  foliot --json get order-17";

constexpr const char* ls_examples =
    "Lists in due order.\n"
    "Examples:\n"
    "  foliot ls --prefix order- --limit 20\n"
    "  foliot ls --from 2027-01-01T00:00:00Z --to 2027-01-02T00:00:00Z --all";

constexpr const char* lease_examples =
    "A leased timer comes back when its lease ends, unless its token is acked.\n"
    "Examples:\n"
    "  foliot lease --max 10 --wait 20s\n"
    "  foliot --json lease --queue reports --lease 5m";

constexpr const char* watch_examples =
    "Prints firings as they come, with how late they are, until interrupted. Without --ack each\n"
    "comes back when its lease ends.\n"
    "Examples:\n"
    "  foliot watch --ack\n"
    "  foliot --json watch --queue reports --ack --count 100";

constexpr const char* settle_examples =
    "Tokens are those that lease and watch print. Exits 1 if one was stale or unknown.\n"
    "Examples:\n"
    "  foliot ack TOKEN\n"
    "  foliot ack TOKEN --next-delay 5m               (and again in five minutes)\n"
    "  foliot nack TOKEN --delay 10s\n"
    "  foliot extend TOKEN --lease 5m";

constexpr const char* stats_examples =
    "Counts are since the server started, but for pending, in flight and dead.\n"
    "Examples:\n"
    "  foliot stats\n"
    "  foliot --json stats";

constexpr const char* limits_examples =
    "Examples:\n"
    "  foliot limits";

constexpr const char* backup_examples =
    "The server writes it, into a new directory of its own machine, below its backup.directory.\n"
    "It holds every change that was acknowledged before. Waits up to an hour.\n"
    "Example:\n"
    "  foliot backup /var/backups/foliot/monday";

constexpr const char* restore_examples =
    "Needs no server. Copies a backup into a new data directory, so that generations given out\n"
    "since the backup was made are not given out again. The backup stays as it is.\n"
    "Example:\n"
    "  foliot restore /var/backups/foliot/monday /var/lib/foliot/data";

/// What is wrong with the text of a positive number; empty: nothing. CLI11 would read 010 as 8.
std::string positive(const std::string& text) {
    std::uint64_t value = 0;
    const char* end = text.data() + text.size();
    const auto [stop, failed] = std::from_chars(text.data(), end, value);
    if (failed == std::errc{} && stop == end && text.front() != '0') return {};
    return fmt::format("'{}' is not a whole number from 1 on", printable(text));
}

std::string not_empty(const std::string& text) {
    return text.empty() ? "must not be empty; leave it out instead" : "";
}

/// Builds the CLI11 description over the structs that it fills.
class description {
public:
    explicit description(parsed& out) : out_(out) {
        app_.footer(exit_codes);
        app_.set_version_flag("--version", "foliot " FOLIOT_VERSION);
        app_.require_subcommand(1);
        app_.fallthrough();
        app_.get_formatter()->column_width(34);
        add_global();
        add_set();
        add_cancel();
        add_get();
        add_ls();
        add_lease();
        add_watch();
        add_settle("ack", "say that deliveries are done", settle_verb::ack);
        add_settle("nack", "give deliveries back for another attempt", settle_verb::nack);
        add_settle("extend", "keep deliveries for longer", settle_verb::extend);
        add_command<stats_arguments>("stats", "what the server holds and has done", stats_examples);
        add_command<limits_arguments>("limits", "the server's limits", limits_examples);
        add_backup();
        add_restore();
    }

    void parse(int argc, const char* const* argv) {
        try {
            app_.parse(argc, argv);
            out_.run = true;
        } catch (const CLI::Success& help) {
            std::ostringstream text;
            out_.exit = app_.exit(help, text, std::cerr);
            out_.text = text.str();
        } catch (const CLI::ParseError& wrong) {
            const auto unknown = unknown_command();
            if (unknown.empty()) {
                app_.exit(wrong);
            } else {
                app_.exit(CLI::ParseError("there is no command '" + printable(unknown) + "'",
                                          CLI::ExitCodes::ExtrasError));
            }
            out_.exit = static_cast<int>(exit_code::usage);
        }
    }

private:
    /// The word that stands where a command should; empty if none does or a command was given.
    std::string unknown_command() const {
        if (!app_.get_subcommands().empty()) return {};
        const auto rest = app_.remaining();
        const auto word = std::find_if(rest.begin(), rest.end(), [](const std::string& text) {
            return !text.empty() && text.front() != '-';
        });
        return word == rest.end() ? std::string{} : *word;
    }

    /// A command whose arguments are an `Arguments`; it becomes the result when it is called.
    template <class Arguments>
    std::pair<CLI::App*, Arguments*> add_command(const char* name, const char* what,
                                                 const char* examples, Arguments defaults = {}) {
        auto* command = app_.add_subcommand(name, what);
        command->footer(examples);
        auto arguments = std::make_shared<Arguments>(std::move(defaults));
        command->callback([this, arguments] { out_.what = *arguments; });
        return {command, arguments.get()};
    }

    void add_global() {
        auto& g = out_.global;
        app_.add_option("--url", g.url, "where foliotd listens")
            ->envname("FOLIOT_URL")
            ->capture_default_str();
        app_.add_option("--token", g.token, "bearer token; better in the environment")
            ->envname("FOLIOT_TOKEN");
        app_.add_option("--ns", g.ns, "namespace")->capture_default_str();
        app_.add_option("--timeout", g.timeout, "how long to wait for a reply")
            ->capture_default_str();
        app_.add_flag("--json", g.json, "one JSON object a line, for programs");
    }

    void add_set() {
        auto [c, a] = add_command<set_arguments>("set", "set or replace a timer", set_examples);
        c->add_option("ID", a->id, "the timer's id, of your choice")->required();
        auto* when = c->add_option_group("when", "When it is due (one of)");
        when->add_option("--in", a->in, "after this delay: 1500ms, 2h30m, P1DT2H");
        when->add_option("--at", a->at, "at this RFC 3339 time");
        when->require_option(1);
        c->add_option("--queue", a->queue, "the queue that it fires into");
        auto* payload = c->add_option("--payload", a->payload, "JSON; - reads it from stdin");
        c->add_option("--payload-file", a->payload_file, "file with JSON; - is stdin")
            ->excludes(payload)
            ->check(not_empty);
        auto* create = c->add_flag("--create-only", a->create_only, "only if the id is free");
        c->add_option("--if-match", a->if_match, "only if this is its generation")
            ->excludes(create)
            ->check(not_empty);
        c->add_option("--mode", a->mode,
                      "extend: only to a later time; advance: only to an earlier one; or create, "
                      "replace")
            ->check(CLI::IsMember({"replace", "create", "extend", "advance"}));
        c->add_option("--idempotency-key", a->idempotency_key,
                      "repeated with the same key, it is made once and answered the same")
            ->check(not_empty);
        c->add_option("--retain", a->retain, "keep its end for this long, for get: 10m")
            ->check(not_empty);
    }

    void add_cancel() {
        auto [c, a] = add_command<cancel_arguments>("cancel", "forget timers", cancel_examples);
        c->add_option("ID", a->ids, "timers")->required();
        c->add_option("--if-match", a->if_match, "only if this is its generation")
            ->check(not_empty);
    }

    void add_get() {
        auto [c, a] = add_command<get_arguments>("get", "show a timer", get_examples);
        c->add_option("ID", a->id, "the timer")->required();
    }

    void add_ls() {
        auto [c, a] = add_command<ls_arguments>("ls", "list timers in due order", ls_examples);
        c->add_option("--prefix", a->prefix, "ids that begin with this");
        c->add_option("--from", a->from, "due at or after this RFC 3339 time");
        c->add_option("--to", a->to, "due before this RFC 3339 time");
        auto* limit = c->add_option("--limit", a->limit, "timers at most")
                          ->capture_default_str()
                          ->check(positive, "POSITIVE");
        c->add_flag("--all", a->all, "all of them")->excludes(limit);
    }

    void add_lease() {
        auto [c, a] = add_command<lease_arguments>("lease", "take due timers", lease_examples);
        c->add_option("--queue", a->queue, "the queue")->capture_default_str();
        c->add_option("--max", a->max, "deliveries at most")
            ->capture_default_str()
            ->check(positive, "POSITIVE");
        c->add_option("--wait", a->wait, "wait this long for the first")->capture_default_str();
        c->add_option("--lease", a->lease, "keep them this long")->capture_default_str();
    }

    void add_watch() {
        auto [c, a] = add_command<watch_arguments>("watch", "print firings", watch_examples);
        c->add_option("--queue", a->queue, "the queue")->capture_default_str();
        c->add_flag("--ack", a->ack, "acknowledge each once it is printed");
        c->add_option("--count", a->count, "stop after so many")->check(positive, "POSITIVE");
        c->add_option("--lease", a->lease, "keep each this long")->capture_default_str();
    }

    void add_backup() {
        auto [c, a] = add_command<backup_arguments>(
            "backup", "copy the server's data while it runs", backup_examples);
        c->add_option("TO", a->to, "a new directory; an absolute path")->required();
    }

    void add_restore() {
        auto [c, a] = add_command<restore_arguments>(
            "restore", "make a data directory from a backup", restore_examples);
        c->add_option("FROM", a->from, "a backup")->required();
        c->add_option("TO", a->to, "a new directory")->required();
    }

    void add_settle(const char* name, const char* what, settle_verb verb) {
        settle_arguments defaults;
        defaults.verb = verb;
        auto [c, a] = add_command<settle_arguments>(name, what, settle_examples, defaults);
        c->add_option("TOKEN", a->tokens, "deliveries")->required();
        c->add_option("--queue", a->queue, "their queue")->capture_default_str();
        if (verb == settle_verb::ack) {
            auto* next = c->add_option("--next-delay", a->next_delay,
                                       "set each id again, due after this, in the same commit");
            next->check(not_empty);
            c->add_option("--next-payload", a->next_payload, "JSON of the next; default: as it was")
                ->needs(next)
                ->check(not_empty);
        }
        if (verb == settle_verb::nack) {
            c->add_option("--delay", a->delay, "until the next attempt; default: the backoff");
        }
        if (verb == settle_verb::extend) {
            c->add_option("--lease", a->lease, "from now")->capture_default_str();
        }
    }

    parsed& out_;
    CLI::App app_{"foliot: set, move, cancel and consume timers of a foliotd", "foliot"};
};

}  // namespace

parsed parse_arguments(int argc, const char* const* argv) {
    parsed out;
    description(out).parse(argc, argv);
    return out;
}

}  // namespace foliot::cli

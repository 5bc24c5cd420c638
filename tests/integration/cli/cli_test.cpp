// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "support/process/foliotd_process.hpp"

#include <gmock/gmock.h>

#include <sys/wait.h>
#include <array>
#include <cstdio>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>

namespace {

using foliot::test_support::foliotd_process;
using foliot::test_support::temp_dir;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;
using ::testing::Not;
using ::testing::StartsWith;

struct outcome {
    int exit = -1;
    std::string out;
    std::string err;
};

std::string read_file(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

class cli : public ::testing::Test {
protected:
    static void SetUpTestSuite() {
        folder_ = std::make_unique<temp_dir>();
        foliotd_ = std::make_unique<foliotd_process>(
            foliotd_process::options{.binary = FOLIOTD_BINARY,
                                     .data = folder_->path() / "data",
                                     .log = folder_->path() / "foliotd.log"});
        ASSERT_EQ(foliotd_->start(), "");
    }
    static void TearDownTestSuite() {
        foliotd_.reset();
        folder_.reset();
    }

    /// Runs `foliot <arguments>` by the shell, in a namespace of this test's own.
    outcome foliot(const std::string& arguments, const std::string& url = foliotd_->url()) {
        const auto err = (folder_->path() / "stderr").string();
        const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
        const auto command = std::string("TZ=UTC ") + FOLIOT_BINARY + " --url " + url + " --ns " +
                             std::string(test->name()).substr(0, 60) + " " + arguments + " 2>" +
                             err;
        outcome result;
        FILE* pipe = ::popen(command.c_str(), "r");
        std::array<char, 4096> part;
        for (std::size_t got = 0; (got = ::fread(part.data(), 1, part.size(), pipe)) > 0;) {
            result.out.append(part.data(), got);
        }
        const int status = ::pclose(pipe);
        result.exit = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
        result.err = read_file(err);
        return result;
    }

    /// The string member `key` of the first JSON line.
    static std::string member(const std::string& json, const std::string& key) {
        const auto at = json.find("\"" + key + "\":\"");
        if (at == json.npos) return "";
        const auto from = at + key.size() + 4;
        return json.substr(from, json.find('"', from) - from);
    }

    static std::unique_ptr<temp_dir> folder_;
    static std::unique_ptr<foliotd_process> foliotd_;
};

std::unique_ptr<temp_dir> cli::folder_;
std::unique_ptr<foliotd_process> cli::foliotd_;

TEST_F(cli, set_get_replace_cancel) {
    const auto set = foliot("set x --in 1h --payload '{\"cart\": 1.50}'");
    EXPECT_EQ(set.exit, 0) << set.err;
    EXPECT_THAT(set.out, MatchesRegex("x set, due 20[0-9 :.-]+ \\(in (1h|59m 59s)\\), "
                                      "generation [0-9]+\n"));
    EXPECT_THAT(foliot("set x --in 2h --payload '{\"cart\": 1.50}'").out,
                StartsWith("x replaced, due "));

    const auto got = foliot("get x");
    EXPECT_EQ(got.exit, 0) << got.err;
    EXPECT_THAT(got.out,
                AllOf(HasSubstr("state       pending\n"), HasSubstr("queue       default\n"),
                      HasSubstr("payload     {\"cart\": 1.50}\n")));
    EXPECT_THAT(foliot("--json get x").out, AllOf(StartsWith("{\"id\":\"x\",\"generation\":\""),
                                                  HasSubstr("\"state\":\"pending\""),
                                                  HasSubstr("\"payload\":{\"cart\": 1.50}}\n")));

    const auto cancelled = foliot("cancel x");
    EXPECT_EQ(cancelled.exit, 0);
    EXPECT_EQ(cancelled.out, "x cancelled\n");
    const auto again = foliot("--json cancel x y");
    EXPECT_EQ(again.exit, 1);
    EXPECT_EQ(again.out,
              "{\"id\":\"x\",\"outcome\":\"gone\"}\n{\"id\":\"y\",\"outcome\":\"gone\"}\n");
    const auto missing = foliot("get x");
    EXPECT_EQ(missing.exit, 1);
    EXPECT_THAT(missing.out, IsEmpty());
    EXPECT_THAT(missing.err, StartsWith("foliot: "));
}

TEST_F(cli, conditions_of_a_set) {
    const auto first = foliot("--json set x --in 1h --create-only");
    EXPECT_EQ(first.exit, 0) << first.err;
    const auto generation = member(first.out, "generation");
    EXPECT_EQ(foliot("set x --in 1h --create-only").exit, 1);
    const auto second = foliot("--json set x --in 2h --if-match " + generation);
    EXPECT_EQ(second.exit, 0) << second.err;
    EXPECT_EQ(member(second.out, "previous_generation"), generation);
    EXPECT_EQ(foliot("set x --in 3h --if-match " + generation).exit, 1);
    EXPECT_EQ(foliot("cancel x --if-match " + generation).exit, 1);
    EXPECT_EQ(foliot("cancel x --if-match " + member(second.out, "generation")).exit, 0);
}

TEST_F(cli, modes_keys_and_retention_of_a_set) {
    const auto make = "--json set keyed --in 1h --idempotency-key k --retain 10m";
    const auto first = foliot(make);
    EXPECT_EQ(first.exit, 0) << first.err;
    EXPECT_EQ(foliot(make).out, first.out);
    EXPECT_EQ(foliot("set keyed --in 2h --idempotency-key k").exit, 1);
    EXPECT_THAT(foliot("set keyed --in 1m --mode extend").out, StartsWith("keyed left as it is, "));
    EXPECT_THAT(foliot("--json set keyed --in 1m --mode extend").out,
                HasSubstr(",\"changed\":false}\n"));
    EXPECT_EQ(foliot("set keyed --in 1m --mode create").exit, 1);
    EXPECT_EQ(foliot("set keyed --in 1m --mode sooner").exit, 2);
    EXPECT_EQ(foliot("cancel keyed").exit, 0);
    EXPECT_EQ(foliot(make).out, first.out);
    EXPECT_THAT(foliot("get keyed").out,
                AllOf(HasSubstr("state       cancelled\n"), HasSubstr("ended       20")));
    EXPECT_THAT(foliot("--json get keyed").out, HasSubstr("\"ended_ms\":"));
}

TEST_F(cli, an_ack_sets_the_next) {
    EXPECT_EQ(foliot("set chain --in 1ms --queue chain --payload 1").exit, 0);
    const auto given = foliot("--json lease --queue chain --wait 10s");
    const auto token = member(given.out, "token");
    const auto acked = foliot("ack " + token + " --queue chain --next-delay 1h --next-payload 2");
    EXPECT_EQ(acked.exit, 0) << acked.err;
    EXPECT_THAT(acked.out, HasSubstr(" acked, next due 20"));
    EXPECT_THAT(foliot("--json get chain").out, HasSubstr("\"payload\":2}"));
    EXPECT_THAT(foliot("--json ack " + token + " --queue chain --next-delay 1h").out,
                HasSubstr("\"next_generation\":\""));
    EXPECT_EQ(foliot("ack " + token + " --queue chain --next-payload 2").exit, 2);
}

TEST_F(cli, an_absolute_due) {
    const auto set = foliot("--json set x --at 2100-01-01T01:00:00+01:00");
    EXPECT_EQ(set.exit, 0) << set.err;
    EXPECT_THAT(set.out, HasSubstr("\"due_ms\":4102444800000}"));
    EXPECT_THAT(foliot("get x").out, HasSubstr("due         2100-01-01 00:00:00.000 (in "));
}

TEST_F(cli, payload_from_stdin_and_from_a_file) {
    const auto piped = foliot("set a --in 1h --payload -  < /dev/null");
    EXPECT_EQ(piped.exit, 2);
    EXPECT_THAT(piped.err, HasSubstr("not JSON"));
    const auto file = (folder_->path() / "payload.json").string();
    std::ofstream(file) << "[1,\n2]";
    EXPECT_EQ(foliot("set a --in 1h --payload-file " + file).exit, 0);
    EXPECT_EQ(foliot("set b --in 1h --payload - < " + file).exit, 0);
    for (const char* id : {"a", "b"}) {
        EXPECT_THAT(foliot(std::string("--json get ") + id).out,
                    HasSubstr("\"payload\":[1, 2]}\n"));
    }
    EXPECT_EQ(foliot("set a --in 1h --payload-file /nonexistent").exit, 2);
    const auto directory = foliot("set a --in 1h --payload-file /tmp");
    EXPECT_EQ(directory.exit, 2);
    EXPECT_THAT(directory.err, StartsWith("foliot: cannot read /tmp: "));
    const auto piped_directory = foliot("set a --in 1h --payload - < /tmp");
    EXPECT_EQ(piped_directory.exit, 2);
    EXPECT_THAT(piped_directory.err, StartsWith("foliot: cannot read stdin: "));
}

TEST_F(cli, ls_lists_in_due_order_and_says_when_there_is_more) {
    EXPECT_THAT(foliot("ls").err, HasSubstr("no timers"));
    for (const char* timer : {"a-2 --in 2h", "a-1 --in 1h", "b-1 --in 30m"}) {
        ASSERT_EQ(foliot(std::string("set ") + timer).exit, 0);
    }
    const auto all = foliot("ls --all").out;
    EXPECT_THAT(all, StartsWith("ID "));
    EXPECT_LT(all.find("b-1"), all.find("a-1"));
    EXPECT_LT(all.find("a-1"), all.find("a-2"));
    const auto some = foliot("ls --prefix a- --limit 1");
    EXPECT_THAT(some.out, AllOf(HasSubstr("a-1"), Not(HasSubstr("a-2")), Not(HasSubstr("b-1"))));
    EXPECT_THAT(some.err, HasSubstr("there are more"));
    const auto json = foliot("--json ls --prefix a-").out;
    EXPECT_THAT(json, MatchesRegex("\\{\"id\":\"a-1\"[^\n]+\\}\n\\{\"id\":\"a-2\"[^\n]+\\}\n"));
    EXPECT_THAT(foliot("--json ls --from 2200-01-01T00:00:00Z").out, IsEmpty());
}

TEST_F(cli, lease_and_ack) {
    ASSERT_EQ(foliot("set x --in 0s --queue work --payload 7").exit, 0);
    const auto leased = foliot("--json lease --queue work --wait 5s");
    EXPECT_EQ(leased.exit, 0) << leased.err;
    EXPECT_THAT(leased.out, AllOf(HasSubstr("\"id\":\"x\""), HasSubstr("\"attempt\":1"),
                                  HasSubstr("\"lateness_ms\":"), HasSubstr("\"payload\":7}\n")));
    const auto token = member(leased.out, "token");
    EXPECT_EQ(foliot("cancel x").out, "x in_flight\n");
    EXPECT_EQ(foliot("extend --queue work --lease 1m " + token).exit, 1);  // it was cancelled

    ASSERT_EQ(foliot("set y --in 0s --queue work").exit, 0);
    const auto human = foliot("lease --queue work --wait 5s");
    EXPECT_THAT(human.out, AllOf(StartsWith("ID "), HasSubstr("TOKEN"), HasSubstr("\ny ")));
    ASSERT_EQ(foliot("set z --in 0s --queue work").exit, 0);
    const auto z = member(foliot("--json lease --queue work --wait 5s").out, "token");
    EXPECT_EQ(foliot("extend --queue work --lease 1m " + z).out, z + " extended\n");
    EXPECT_EQ(foliot("nack --queue work --delay 0s " + z).out, z + " nacked\n");
    EXPECT_EQ(foliot("ack --queue work " + z).exit, 1);
    const auto z2 = foliot("--json lease --queue work --wait 5s").out;
    EXPECT_THAT(z2, HasSubstr("\"attempt\":2"));
    const auto acked = foliot("--json ack --queue work " + member(z2, "token"));
    EXPECT_EQ(acked.exit, 0) << acked.err;
    EXPECT_THAT(acked.out, HasSubstr("\"outcome\":\"acked\""));
    const auto nothing = foliot("lease --queue work");
    EXPECT_EQ(nothing.exit, 0);
    EXPECT_THAT(nothing.err, HasSubstr("nothing is due"));
}

TEST_F(cli, watch_prints_firings_with_their_lateness_and_acks_them) {
    for (const char* id : {"w1", "w2", "w3"}) {
        ASSERT_EQ(foliot(std::string("set ") + id + " --in 100ms --payload '\"" + id + "\"'").exit,
                  0);
    }
    const auto watched = foliot("watch --ack --count 3");
    EXPECT_EQ(watched.exit, 0) << watched.err;
    for (const char* id : {"w1", "w2", "w3"}) {
        EXPECT_THAT(watched.out, HasSubstr(std::string(" late  ") + id + "  \"" + id + "\"\n"));
    }
    EXPECT_THAT(foliot("--json ls").out, IsEmpty());
}

TEST_F(cli, an_output_that_cannot_be_written_is_said_and_exits_with_1) {
    ASSERT_EQ(foliot("set y --in 1h").exit, 0);
    for (const char* command :
         {"set x --in 1h", "get y", "ls", "--json ls --all", "cancel y", "stats", "limits",
          "--json limits", "--help", "--version", "get --help"}) {
        for (const char* to : {" >/dev/full", " >&-"}) {
            ASSERT_EQ(foliot("set y --in 1h").exit, 0);  // cancel y took it
            const auto result = foliot(command + std::string(to));
            EXPECT_EQ(result.exit, 1) << command << to;
            EXPECT_THAT(result.err, HasSubstr("cannot write the output: ")) << command << to;
        }
    }
    ASSERT_EQ(foliot("set z --in 0s --queue full").exit, 0);
    const auto leased = foliot("--json lease --queue full --wait 5s >/dev/full");
    EXPECT_EQ(leased.exit, 1);
    EXPECT_THAT(leased.err, HasSubstr("\"message\":\"cannot write the output: "));
    ASSERT_EQ(foliot("set z --in 0s --queue full").exit, 0);
    const auto token = member(foliot("--json lease --queue full --wait 5s").out, "token");
    const auto acked = foliot("ack --queue full " + token + " >/dev/full");
    EXPECT_EQ(acked.exit, 1);
    EXPECT_THAT(acked.err, HasSubstr("cannot write the output: "));
    EXPECT_EQ(foliot("get nothing >/dev/full").exit, 1);
    EXPECT_EQ(foliot("fly >/dev/full").exit, 2);
}

TEST_F(cli, watch_acks_only_what_was_printed) {
    for (const char* id : {"w1", "w2"}) {
        ASSERT_EQ(foliot(std::string("set ") + id + " --in 0s").exit, 0);
    }
    const auto watched = foliot("watch --ack --lease 1s --count 2 >/dev/full");
    EXPECT_EQ(watched.exit, 1);
    EXPECT_THAT(watched.err, HasSubstr("cannot write the output: "));
    const auto again = foliot("watch --ack --count 2");
    EXPECT_EQ(again.exit, 0) << again.err;
    EXPECT_THAT(again.out, AllOf(HasSubstr("  w1  "), HasSubstr("  w2  ")));
    EXPECT_THAT(foliot("--json ls").out, IsEmpty());
}

TEST_F(cli, watch_acks_what_was_printed_before_the_output_failed) {
    // A file may grow by one block of 512 bytes (ulimit -f): room for the first line alone.
    const auto file = (folder_->path() / "watched").string();
    for (const char* id : {"w1", "w2"}) {
        ASSERT_EQ(foliot(std::string("set ") + id + " --in 0s --payload '\"" +
                         std::string(300, 'x') + "\"'")
                      .exit,
                  0);
    }
    const auto script = (folder_->path() / "limited").string();
    std::ofstream(script) << "trap '' XFSZ; ulimit -f 1; exec \"$@\"\n";
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    const auto command = "sh " + script + " " + FOLIOT_BINARY + " --url " + foliotd_->url() +
                         " --ns " + std::string(test->name()).substr(0, 60) +
                         " watch --ack --lease 1s --count 2 >" + file + " 2>/dev/null";
    const int status = std::system(command.c_str());
    EXPECT_EQ(WEXITSTATUS(status), 1);
    const auto again = foliot("watch --ack --count 1");
    EXPECT_EQ(again.exit, 0) << again.err;
    const bool first_printed = read_file(file).find("  w1  ") < 100;
    EXPECT_THAT(again.out, HasSubstr(first_printed ? "  w2  " : "  w1  "));
    EXPECT_THAT(foliot("--json ls").out, IsEmpty());
}

TEST_F(cli, stats_and_limits) {
    ASSERT_EQ(foliot("set x --in 1h").exit, 0);
    const auto stats = foliot("stats");
    EXPECT_EQ(stats.exit, 0) << stats.err;
    for (const char* line :
         {"pending", "in flight", "dead", "fired", "lateness p50", "lateness p99"}) {
        EXPECT_THAT(stats.out, MatchesRegex("(.*\n)?" + std::string(line) + " +[0-9-].*"));
    }
    EXPECT_THAT(stats.out, MatchesRegex("ready +yes\n.*"));
    const auto json = foliot("--json stats").out;
    EXPECT_THAT(json, AllOf(StartsWith("{\"ready\":true,"), HasSubstr("\"lateness_p99_ms\":"),
                            Not(HasSubstr("\"pending\":0,"))));

    EXPECT_THAT(foliot("limits").out,
                MatchesRegex("LIMIT +VALUE +UNIT\n(.*\n)?limits.payload_bytes +65536 +bytes\n.*"));
    EXPECT_THAT(
        foliot("--json limits").out,
        HasSubstr("{\"name\":\"limits.payload_bytes\",\"value\":65536,\"unit\":\"bytes\"}\n"));
}

TEST_F(cli, what_the_server_refuses_is_said_and_exits_with_1) {
    const auto refused = foliot("set x --in 1d1d");
    EXPECT_EQ(refused.exit, 1);
    EXPECT_THAT(refused.err, HasSubstr("delay"));
    const auto json = foliot("--json set x --in 40000d");
    EXPECT_EQ(json.exit, 1);
    EXPECT_THAT(json.out, IsEmpty());
    EXPECT_THAT(json.err, AllOf(StartsWith("{\"code\":\"due_too_far\""), HasSubstr("\"limit\":")));
}

TEST_F(cli, wrong_usage_exits_with_2) {
    for (const char* wrong : {"",
                              "fly",
                              "set",
                              "set x",
                              "set x --in 1s --at 2100-01-01T00:00:00Z",
                              "set x --in 5",
                              "set x --in 1s --payload nonsense",
                              "get",
                              "cancel",
                              "ack",
                              "lease --max 0",
                              "lease --wait soon",
                              "ls --all --limit 3",
                              "watch --count x",
                              "watch --count 0",
                              "watch --count -1",
                              "set x --in 1s --if-match ''",
                              "cancel x --if-match ''",
                              "set x --in 1s --if-match=",
                              "set x --in 1s --payload-file ''",
                              "ls --limit 010",
                              "cancel x --if-match \"$(printf 'a\\rb')\"",
                              "--timeout never get x"}) {
        const auto result = foliot(wrong);
        EXPECT_EQ(result.exit, 2) << wrong;
        EXPECT_THAT(result.err, Not(IsEmpty())) << wrong;
    }
    EXPECT_EQ(foliot("get x", "ftp://nowhere").exit, 2);
}

TEST_F(cli, usage_errors_name_what_is_wrong) {
    EXPECT_THAT(foliot("fly --high").err, HasSubstr("there is no command 'fly'"));
    EXPECT_THAT(foliot("--frob").err, Not(HasSubstr("there is no command")));
    for (const char* limit : {"0", "-1", "x", "99999999999999999999"}) {
        const auto result = foliot(std::string("ls --limit ") + limit);
        EXPECT_EQ(result.exit, 2) << limit;
        EXPECT_THAT(result.err, HasSubstr("--limit: '" + std::string(limit) +
                                          "' is not a whole number from 1 on\n"));
    }
    EXPECT_THAT(foliot("cancel x --if-match ''").err, HasSubstr("--if-match: must not be empty"));
}

TEST_F(cli, version) {
    const auto version = foliot("--version");
    EXPECT_EQ(version.exit, 0) << version.err;
    EXPECT_THAT(version.out, MatchesRegex("foliot [0-9]+\\.[0-9]+\\.[0-9]+.*\n"));
}

TEST_F(cli, a_token_with_a_line_break_is_not_sent) {
    for (const char* token : {"a\\r\\nX-Other: b", "a\\rb", "a\\tb"}) {
        const auto value = "\"$(printf '" + std::string(token) + "')\"";
        const auto given = foliot("--token " + value + " ls");
        EXPECT_EQ(given.exit, 2) << token;
        EXPECT_THAT(given.err, HasSubstr("the token has a control character"));
    }
    ::setenv("FOLIOT_TOKEN", "a\nb", 1);
    EXPECT_EQ(foliot("set x --in 1h").exit, 2);
    ::unsetenv("FOLIOT_TOKEN");
}

TEST_F(cli, no_server_exits_with_3) {
    const auto gone = "http://127.0.0.1:" + std::to_string(foliot::test_support::free_port());
    for (const char* command : {"get x", "set x --in 1s", "ls", "watch", "stats"}) {
        const auto result = foliot(command, gone);
        EXPECT_EQ(result.exit, 3) << command;
        EXPECT_THAT(result.err, HasSubstr("cannot connect")) << command;
    }
}

TEST_F(cli, help_of_every_command_has_examples) {
    const auto help = foliot("--help");
    EXPECT_EQ(help.exit, 0);
    EXPECT_THAT(help.out, HasSubstr("Exit codes: 0 ok"));
    for (const char* command : {"set", "cancel", "get", "ls", "lease", "watch", "ack", "nack",
                                "extend", "stats", "limits"}) {
        EXPECT_THAT(help.out, HasSubstr(std::string("\n  ") + command + " "));
        const auto own = foliot(std::string(command) + " --help");
        EXPECT_EQ(own.exit, 0);
        EXPECT_THAT(own.out, HasSubstr("Examples:\n")) << command;
    }
}

TEST_F(cli, no_colours_when_the_output_is_not_a_terminal) {
    ASSERT_EQ(foliot("set x --in 1h").exit, 0);
    for (const char* command : {"get x", "ls", "stats", "cancel x"}) {
        EXPECT_THAT(foliot(command).out, Not(HasSubstr("\x1b"))) << command;
    }
}

TEST_F(cli, url_and_token_come_from_the_environment) {
    const temp_dir folder;
    const auto tokens = (folder.path() / "tokens").string();
    std::ofstream(tokens) << "secret-token-of-the-test\n";
    foliotd_process guarded({.binary = FOLIOTD_BINARY,
                             .data = folder.path() / "data",
                             .log = folder.path() / "log",
                             .flags = {"--auth-token-file", tokens}});
    ASSERT_EQ(guarded.start(), "");
    EXPECT_EQ(foliot("set x --in 1h", guarded.url()).exit, 1);
    EXPECT_EQ(foliot("--token secret-token-of-the-test set x --in 1h", guarded.url()).exit, 0);
    ::setenv("FOLIOT_TOKEN", "secret-token-of-the-test", 1);
    const auto command = "FOLIOT_URL=" + guarded.url() + " " + FOLIOT_BINARY + " ls >/dev/null";
    EXPECT_EQ(std::system(command.c_str()), 0);
    ::unsetenv("FOLIOT_TOKEN");
}

}  // namespace

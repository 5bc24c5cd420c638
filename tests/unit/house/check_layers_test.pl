#!/usr/bin/perl
# Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#
# The layer check passes on the tree, and catches a planted breach of every row of the table and of
# every ban, by file, line and rule. What is right stands here a second time, written out in full,
# so that a slip in the script's own table shows.
#
# Usage: check_layers_test.pl <source root> <scratch folder>
use strict;
use warnings;

my ($source, $scratch) = @ARGV;
defined $scratch or die "usage: $0 <source root> <scratch folder>\n";
my $failures = 0;

# Row: module, its folder, what it may include; a dot is the module itself.
#                                          base time wheel service asio coro store s_rocksdb s_postgres engine protocol client server
my @others = qw(base time wheel service asio coro store store_rocksdb store_postgres engine protocol client server);
my @matrix = (
    [ 'time',           'include/foliot/time',    '-.-----------' ],
    [ 'wheel',          'include/foliot/wheel',   '-y.----------' ],
    [ 'service',        'include/foliot/service', '-yy.---------' ],
    [ 'asio',           'include/foliot/asio',    '-yyy.--------' ],
    [ 'coro',           'include/foliot/coro',    '-yyy-.-------' ],
    [ 'base',           'src/base',               '.------------' ],
    [ 'service',        'src/service',            'yyy.---------' ],
    [ 'store',          'src/store',              'yy----.------' ],
    [ 'store_rocksdb',  'src/store_rocksdb',      'yy----y.-----' ],
    [ 'store_postgres', 'src/store_postgres',     'yy----y-.----' ],
    [ 'engine',         'src/engine',             'yyy---y--.---' ],
    [ 'protocol',       'src/protocol',           'yy--------.--' ],
    [ 'client',         'src/client',             'yy--------y.-' ],
    [ 'server',         'src/server',             'yyy---yyyyyy.' ],
    [ 'apps',           'apps/foliotd',           'y-----yyy--yy' ],
);

# What breaks a rule: file, rule, line of code.
my @breaches = (
    # clock
    [ 'src/engine/a.cpp',          'clock', 'auto t = std::chrono::steady_clock::now();' ],
    [ 'src/server/a.cpp',          'clock', 'auto t = std::chrono::system_clock::now();' ],
    [ 'src/store/a.cpp',           'clock', 'auto t = std::chrono::system_clock {} . now();' ],
    [ 'src/client/a.cpp',          'clock', 'using c = std::chrono::steady_clock; auto t = c::now();' ],
    [ 'include/foliot/time/a.hpp', 'clock', 'auto t = Clock::now();' ],
    [ 'include/foliot/wheel/a.hpp', 'clock', 'auto f = &std::chrono::high_resolution_clock::now;' ],
    [ 'src/server/b.cpp',          'clock', 'clock_gettime(CLOCK_BOOTTIME, &ts);' ],
    [ 'src/protocol/a.cpp',        'clock', 'gettimeofday(&tv, nullptr);' ],
    [ 'src/protocol/b.cpp',        'clock', 'auto t = time(nullptr);' ],
    [ 'src/store_rocksdb/a.cpp',   'clock', 'auto t = std::time(&when);' ],
    [ 'apps/foliot/a.cpp',         'clock', 'auto t = std::clock();' ],
    [ 'apps/foliotd/clock.cpp',    'clock', 'auto t = std::chrono::steady_clock::now();' ],
    [ 'src/client/clock.cpp',      'clock', 'auto t = std::chrono::steady_clock::now();' ],
    [ 'src/server/c.cpp',          'clock', "char q = '\"'; auto t = c::now();  // a quote hides nothing" ],
    [ 'src/server/d.cpp',          'clock', "int n = 1'000; auto t = c::now(); int m = 2'000;" ],
    # threads, locks, sockets
    (map { [ "include/foliot/wheel/inc_$_.hpp", 'threads', "#include <$_>" ] }
        qw(thread mutex shared_mutex condition_variable future semaphore latch barrier stop_token atomic)),
    [ 'src/engine/b.cpp',          'threads', '#include <mutex>' ],
    [ 'src/protocol/c.cpp',        'threads', '#include <sys/socket.h>' ],
    [ 'src/protocol/d.cpp',        'threads', '#include <boost/asio.hpp>' ],
    [ 'src/protocol/e.cpp',        'threads', '#include <boost/beast/http.hpp>' ],
    [ 'src/store/b.cpp',           'threads', '#include <thread>' ],
    [ 'src/store/c.cpp',           'threads', '#  include  <netinet/in.h>' ],
    [ 'src/engine/c.cpp',          'threads', 'std::atomic<int> n;' ],
    [ 'src/engine/d.cpp',          'threads', 'std::lock_guard lock(m);' ],
    [ 'src/engine/e.cpp',          'threads', 'thread_local int n;' ],
    [ 'src/store/d.cpp',           'threads', 'std::shared_mutex m;' ],
    [ 'src/protocol/f.cpp',        'threads', 'int s = ::socket(AF_INET, SOCK_STREAM, 0);' ],
    # std-only
    [ 'include/foliot/time/b.hpp',    'std-only', '#include <fmt/format.h>' ],
    [ 'include/foliot/wheel/b.hpp',   'std-only', '#include <boost/intrusive/list.hpp>' ],
    [ 'include/foliot/service/a.hpp', 'std-only', '#include <boost/asio/steady_timer.hpp>' ],
    [ 'include/foliot/coro/a.hpp',    'std-only', '#include <unistd.h>' ],
    [ 'include/foliot/asio/a.hpp',    'std-only', '#include <spdlog/spdlog.h>' ],
    # seed
    [ 'src/engine/f.cpp',          'seed', 'std::random_device device;' ],
    [ 'src/server/e.cpp',          'seed', 'int n = std::rand();' ],
    [ 'src/server/f.cpp',          'seed', 'int n = rand() % 6;' ],
    [ 'src/server/g.cpp',          'seed', 'std::mt19937 random;' ],
    [ 'src/server/h.cpp',          'seed', 'std::mt19937_64 random{};' ],
    [ 'src/client/b.cpp',          'seed', 'auto n = std::mt19937{}();' ],
    [ 'src/store/e.cpp',           'seed', 'std::default_random_engine random;' ],
    [ 'include/foliot/wheel/c.hpp', 'seed', 'srand(1);' ],
    [ 'apps/foliot/b.cpp',         'seed', 'const char* built = __DATE__;' ],
    # drivers
    [ 'src/server/i.cpp',          'driver', '#include <rocksdb/db.h>' ],
    [ 'src/store/f.cpp',           'driver', '#include <rocksdb/options.h>' ],
    [ 'src/store_postgres/a.cpp',  'driver', '#include <rocksdb/db.h>' ],
    [ 'src/store_rocksdb/b.cpp',   'driver', '#include <libpq-fe.h>' ],
    # layers, beyond the table
    [ 'src/protocol/g.cpp',        'layers', '#include "engine/engine.hpp"' ],
    [ 'src/engine/g.cpp',          'layers', '#include "../server/clock.hpp"' ],
    [ 'src/engine/h.cpp',          'layers', '#include <server/clock.hpp>' ],
    [ 'src/engine/i.cpp',          'layers', '#include "support/oracle.hpp"' ],
    [ 'src/server/j.cpp',          'layers', '#include "../../apps/foliotd/planted.hpp"' ],
    [ 'include/foliot/service/b.hpp', 'layers', '#include "base/result.hpp"' ],
);

# What breaks none.
my @innocent = (
    [ 'src/server/clock.cpp',      'auto t = std::chrono::steady_clock::now();' ],
    [ 'src/service/clock.hpp',     'auto t = std::chrono::steady_clock::now();' ],
    [ 'apps/foliot/clock.cpp',     'auto t = std::chrono::system_clock::now();' ],
    [ 'src/engine/k.cpp',          '// never std::chrono::steady_clock::now(), std::mutex or rand()' ],
    [ 'src/engine/l.cpp',          '/* #include <mutex> */ const char* s = "std::mutex m; rand()";' ],
    [ 'src/engine/m.cpp',          'auto t = clocks_.now(kind); runtime(0); brand(); operand(1);' ],
    [ 'src/store/memory_store.cpp', '#include <mutex>' ],
    [ 'src/server/k.cpp',          '#include <thread>' ],
    [ 'src/server/l.cpp',          '#include <boost/beast/http.hpp>' ],
    [ 'src/store_rocksdb/c.cpp',   '#include <rocksdb/db.h>' ],
    [ 'src/store_postgres/b.cpp',  '#include <libpq-fe.h>' ],
    [ 'src/protocol/h.cpp',        '#include "engine/command.hpp"' ],
    [ 'src/protocol/i.cpp',        '#include "engine/reply.hpp"' ],
    [ 'src/protocol/j.cpp',        '#include <boost/json.hpp>' ],
    [ 'include/foliot/asio/b.hpp', '#include <boost/asio/steady_timer.hpp>' ],
    [ 'include/foliot/wheel/d.hpp', '#include <cstdint>' ],
    [ 'src/server/m.cpp',          'std::mt19937_64 random(seed); std::mt19937_64 random_;' ],
    [ 'apps/foliotd/planted.hpp',  '#include <CLI/CLI.hpp>' ],
    [ 'apps/foliotd/b.cpp',        '#include "planted.hpp"' ],
);

the_tree_has_no_breach();
breaches_of_every_rule_are_named_by_file_and_line();
one_breach_alone_fails();
a_folder_without_a_row_is_a_breach();
a_wrong_root_is_an_error();
print $failures ? "FAILED: $failures\n" : "passed\n";
exit($failures ? 1 : 0);

sub the_tree_has_no_breach {
    my ($status, @lines) = check_layers($source);
    expect($status == 0, "the tree passes", @lines);
}

sub breaches_of_every_rule_are_named_by_file_and_line {
    fresh_copy();
    my %expected;
    plant_matrix(\%expected);
    for my $case (@breaches) {
        my ($path, $rule, $code) = @$case;
        plant($path, $code);
        $expected{"$path:3: [$rule]"} = $code;
        # The code of some cases breaks a second rule too, rightly.
        $expected{"$path:3: [std-only]"} = $code if $path eq 'include/foliot/coro/a.hpp';
    }
    plant(@$_) for @innocent;

    my ($status, @lines) = check_layers("$scratch/tree");
    my %seen = map { /^(\S+:\d+: \[[a-z-]+\])/ ? ($1 => 1) : () } @lines;
    expect($status == 1, 'a tree with breaches fails');
    for my $breach (sort keys %expected) {
        expect($seen{$breach}, "caught: $breach  $expected{$breach}");
    }
    for my $breach (sort keys %seen) {
        expect($expected{$breach}, "not a breach: $breach");
    }
    expect(keys %expected > 150, 'the table and the bans are all there: ' . keys %expected);
}

sub plant_matrix {
    my ($expected) = @_;
    my %installed = map { $_ => 1 } qw(time wheel service asio coro);
    for my $row (@matrix) {
        my ($module, $folder, $cells) = @$row;
        for my $i (0 .. $#others) {
            my $other = $others[$i];
            my $path  = "$folder/to_$other.hpp";
            my $code  = $installed{$other}
                ? "#include <foliot/$other/planted.hpp>"
                : "#include \"$other/planted.hpp\"";
            plant($path, $code);
            $expected->{"$path:3: [layers]"} = $code if substr($cells, $i, 1) eq '-';
        }
    }
}

sub one_breach_alone_fails {
    fresh_copy();
    plant('src/engine/a.cpp', 'auto t = std::chrono::steady_clock::now();');
    my ($status, @lines) = check_layers("$scratch/tree");
    expect($status == 1, 'one breach fails the check');
    expect(1 == grep({ m{^src/engine/a\.cpp:3: \[clock\]} } @lines), 'and is named', @lines);
}

sub a_folder_without_a_row_is_a_breach {
    fresh_copy();
    plant('src/elsewhere/a.cpp', 'int n;');
    my ($status, @lines) = check_layers("$scratch/tree");
    expect($status == 1, 'a module without a row fails the check');
    expect(1 == grep({ m{^src/elsewhere/a\.cpp:1: \[layers\]} } @lines), 'and is named', @lines);
}

sub a_wrong_root_is_an_error {
    my ($status) = check_layers("$scratch/nowhere");
    expect($status == 2, 'a root without code is an error, not a pass');
}

# ---- helpers -----------------------------------------------------------------------------------

sub check_layers {
    my ($root) = @_;
    my @lines = `perl '$source/tools/check_layers' '$root' 2>&1`;
    return ($? >> 8, @lines);
}

sub fresh_copy {
    system('rm', '-rf', "$scratch/tree") == 0 or die;
    system('mkdir', '-p', "$scratch/tree") == 0 or die;
    system('cp', '-r', "$source/include", "$source/src", "$source/apps", "$scratch/tree") == 0 or die;
}

# Line 3 of a file is the code; it replaces a file of that name in the copy.
sub plant {
    my ($path, $code) = @_;
    (my $folder = "$scratch/tree/$path") =~ s{/[^/]*$}{};
    system('mkdir', '-p', $folder) == 0 or die if !-d $folder;
    open(my $file, '>', "$scratch/tree/$path") or die "$path: $!";
    print $file "// planted\n\n$code\n";
    close $file or die;
}

sub expect {
    my ($holds, $what, @details) = @_;
    return if $holds;
    ++$failures;
    print "FAILED $what\n", map { "    $_" } @details;
}

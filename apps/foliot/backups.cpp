// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
// backup, restore
#include "commands.hpp"
#include "output.hpp"
#include "store_rocksdb/backup.hpp"

#include <fmt/format.h>
#include <cstdio>

namespace foliot::cli {

exit_code run(context& c, const backup_arguments& a) {
    const auto made = c.server.backup(a.to);
    if (!made) return report(c, made.error());
    print(c.json ? json_line{}.text("directory", a.to).str()
                 : fmt::format("backed up to {}\n", printable(a.to)));
    return exit_code::ok;
}

exit_code run(context& c, const restore_arguments& a) {
    const auto restored = store::restore(a.from, a.to);
    if (!restored) {
        const auto& why = restored.error().message;
        std::fputs(
            c.json ? json_line{}.text("code", "restore_failed").text("message", why).str().c_str()
                   : fmt::format("foliot: {}\n", printable(why)).c_str(),
            stderr);
        return exit_code::no;
    }
    print(c.json ? json_line{}.text("directory", a.to).str()
                 : fmt::format("restored to {}; start it with: foliotd --data {}\n",
                               printable(a.to), printable(a.to)));
    return exit_code::ok;
}

}  // namespace foliot::cli

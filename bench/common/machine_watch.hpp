// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

namespace bench {

/// What other programs take of the machine, from here on.
class machine_watch {
public:
    machine_watch() : begin_(look()) {}

    /// How many cores they had meanwhile, in the mean; within a hundredth of a second or two.
    [[nodiscard]] double others() const;
    [[nodiscard]] double seconds() const { return look().time - begin_.time; }

    /// Whether that was enough to spoil a measurement.
    [[nodiscard]] bool disturbed() const;

private:
    // All in seconds.
    struct reading {
        double time;
        double busy;  // all cores, all programs
        double ours;
    };
    static reading look();

    reading begin_;
};

}  // namespace bench

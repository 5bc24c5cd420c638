// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "support/interleaving/operation.hpp"

namespace foliot::interleaving {

namespace {

bool notifies(access a) { return a == access::notify || a == access::notify_nobody; }
bool wakes(access a) { return a == access::wake || a == access::wake_early; }

relation of_mutex(access earlier, access later) {
    switch (later) {
        case access::acquire:
            // The acquire before the release, or the refusal, is what could have been later.
            return earlier == access::acquire || earlier == access::try_acquire ? relation::acquires
                                                                                : relation::through;
        case access::try_acquire:
            return earlier == access::refused ? relation::through : relation::race;
        case access::refused: return earlier == access::refused ? relation::none : relation::race;
        default:  // a release: by who holds it
            return earlier == access::refused ? relation::race : relation::through;
    }
}

relation of_condition(access earlier, access later, bool notified, bool could_be_early) {
    if (notifies(earlier) && wakes(later) && notified) {
        return could_be_early ? relation::instead : relation::enables;
    }
    if (notifies(earlier) && later == access::wake) return relation::none;
    if (notifies(earlier) && notifies(later)) {
        return earlier == access::notify || later == access::notify ? relation::race
                                                                    : relation::none;
    }
    if (notifies(earlier)) return relation::race;  // enqueue, wake_early
    if (notifies(later)) return earlier == access::wake ? relation::none : relation::race;
    return relation::none;  // waits among each other
}

}  // namespace

relation between(access earlier, access later, bool notified, bool could_be_early) noexcept {
    if (earlier == access::destroy || later == access::destroy) return relation::race;
    switch (later) {
        case access::read:
        case access::write:
            return earlier == access::read && later == access::read ? relation::none
                                                                    : relation::race;
        case access::invoke:
        case access::respond: return earlier == later ? relation::none : relation::race;
        case access::acquire:
        case access::release:
        case access::try_acquire:
        case access::refused:
        case access::try_lock: return of_mutex(earlier, later);
        default: return of_condition(earlier, later, notified, could_be_early);
    }
}

bool depends(access made, access next) noexcept {
    if (next == access::try_lock) return made != access::refused;
    if (notifies(made) && wakes(next)) return true;  // whom it notified is not known here
    return between(made, next, false, false) != relation::none;
}

}  // namespace foliot::interleaving

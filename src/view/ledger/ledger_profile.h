/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The ledger as a profile, for the flame graph and every other view of stacks: weights are ns, and
 * a stack is a thread, its state, the reason, who ended or held up the wait, what that one did. */
#ifndef VIEW_LEDGER_PROFILE_H
#define VIEW_LEDGER_PROFILE_H

#include <stdbool.h>

#include "view/ledger/ledger_view.h"

struct profile;

/* Time of no account is a frame "unaccounted"; idle time is left out unless asked for. */
struct profile *ledger_profile(const struct ledger *ledger, enum ledger_rows rows, bool idle);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The ledger as a profile, for flame graphs and all other stack views: weights are ns, and a stack
 * is a thread, its state, the reason, the thread that ended or delayed the wait, and what that one
 * did. */
#ifndef VIEW_LEDGER_PROFILE_H
#define VIEW_LEDGER_PROFILE_H

#include <stdbool.h>

#include "view/ledger/ledger_view.h"

struct profile;

/* Unassigned time is a frame "unaccounted"; idle time is included on request. */
struct profile *ledger_profile(const struct ledger *ledger, enum ledger_rows rows, bool idle);

#endif

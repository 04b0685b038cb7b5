/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Watches what event/activity.h lists: the source "activity". Each event is a struct activity
 * (EVENT_OWN): one by one as they end, or at snapshots the sums since the snapshot before. What the
 * kernel cannot report is named in the source's notes; the rest works without. */
#ifndef SOURCE_ACTIVITY_SOURCE_H
#define SOURCE_ACTIVITY_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include "event/activity.h"
#include "event/syscall.h"

struct err;

struct activity_choice {
	struct activity_rules rules;
	const char *call; /* CALL: only system calls of this name; NULL = all */
};

/* What system calls mean to the chosen kinds, by number. -EINVAL: no call has that name. */
int activity_roles(const struct activity_choice *choice,
		   struct activity_role ret[SYSCALL_ABIS][SYSCALL_NUMBERS], struct err *err);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Probes that are in the kernel for a while, for other programs to use: as long as a program runs,
 * or until a signal arrives. */
#ifndef SESSION_PROBE_PROBE_HOLD_H
#define SESSION_PROBE_PROBE_HOLD_H

#include <stdbool.h>

#include "base/vec.h"
#include "source/options.h"

struct err;
struct probe_defined;

struct probe_hold {
	void (*made)(void *context, const char *notes); /* all are there */
	void *context;
	/* results */
	bool launched, in_use; /* in_use: some are removed later, when another program ends */
	int exit_status;
	/* private */
	struct source_options source;
	VEC(char *) text;
};

void probe_hold_add(struct probe_hold *hold, const struct probe_defined *defined);
/* argv: the program; NULL or empty = until a signal. */
int probe_hold_run(struct probe_hold *hold, char **argv, struct err *err);
void probe_hold_done(struct probe_hold *hold);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The exit status of a comparison: --fail-on rules as a gate for CI. */
#ifndef COMMAND_DIFF_GATE_H
#define COMMAND_DIFF_GATE_H

#include "command/option/option.h"

struct diff;
struct err;

/* Beside those of command.h: 0 = every rule is kept. */
enum diff_status {
	DIFF_STATUS_REGRESSED = 3,    /* a rule is broken */
	DIFF_STATUS_INCONCLUSIVE = 4, /* none is broken, but some may be: more samples are needed */
};

/* Fails for invalid rules. */
int diff_gate_check(const struct option_list *rules, struct err *err);
/* Tells on stderr how each rule fared. Returns the exit status. */
int diff_gate(const struct option_list *rules, const struct diff *diff);

#endif

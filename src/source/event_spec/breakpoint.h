/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Breakpoints of -e mem:ADDRESS[/LENGTH][:rwx][:MODIFIERS]. */
#ifndef SOURCE_BREAKPOINT_H
#define SOURCE_BREAKPOINT_H

#include <linux/perf_event.h>
#include <stdbool.h>

/* Reads what follows "mem:" and sets the attr's bp_* fields. *text ends at the ':' before the
 * modifiers, or at its end. False: invalid. */
bool breakpoint_parse(const char **text, struct perf_event_attr *ret);

#endif

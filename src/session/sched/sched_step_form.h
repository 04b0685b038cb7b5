/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tracepoints of what happens besides the states of threads (profile/sched/sched_lanes.h):
 * interrupts, requests of disks, packets, and system calls that do I/O. */
#ifndef SESSION_SCHED_STEP_FORM_H
#define SESSION_SCHED_STEP_FORM_H

#include <stddef.h>
#include <stdint.h>

#include "profile/sched/sched.h"

#define SCHED_STEP_FIELDS 4

struct sched_step_form {
	const char *event;
	enum sched_lane_kind lane;
	uint8_t doing;
	bool begins, ends;
	bool counts_no_bytes; /* its value is something else */
	const char *name;     /* where the event has none */
	/* ORDER: as STEP_NUMBER, … in sched_plan.h; NULL = it has none. */
	const char *field[SCHED_STEP_FIELDS];
	uint32_t number; /* where there is no field of it */
};

/* NULL = not one of them. */
const struct sched_step_form *sched_step_form_find(const char *event);
/* All of them, one after the other; then NULL. */
const struct sched_step_form *sched_step_form_at(size_t index);
/* number: by field; name: the event's, NULL = it has none. */
void sched_step_make(const struct sched_step_form *form, const int64_t *number, const char *name,
		     size_t name_len, struct sched_step *ret);

#endif

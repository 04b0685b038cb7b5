/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What this machine, kernel, user and build permit. Each check finds out by trying where that is
 * possible, changes nothing, and explains what its finding means for a profile and what to do. */
#ifndef SESSION_DOCTOR_H
#define SESSION_DOCTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/arena.h"

enum doctor_group {
	DOCTOR_RECORDING,
	DOCTOR_RIGHTS,
	DOCTOR_KERNEL,
	DOCTOR_LIMITS,
	DOCTOR_NAMES,
	DOCTOR_OTHERS,
	DOCTOR_GROUPS
};

/* SKIPPED: the question does not arise here, such as names of a program when none was named, or
 * nothing shows its answer. */
enum doctor_level { DOCTOR_OK, DOCTOR_SKIPPED, DOCTOR_LIMITED, DOCTOR_MISSING, DOCTOR_LEVELS };

struct doctor_finding {
	const char *name; /* "kernel-frames" */
	enum doctor_group group;
	enum doctor_level level;
	const char *found;	 /* never empty */
	const char *consequence; /* for a profile; NULL = none */
	const char *fix;	 /* advice in words; NULL = none */
	const char *command;	 /* to type as it stands; NULL = none */
};

struct doctor_options {
	const char *root;    /* in front of /proc and /sys; "" on a live system */
	const char *program; /* NULL = none; found as a shell would */
	pid_t pid;	     /* 0 = none */
};

struct err;

/* -ESRCH or -ENOENT: there is no such process or program. */
int doctor_find_subject(const struct doctor_options *options, struct err *err);

struct doctor_report {
	struct arena arena; /* owns the texts */
	struct doctor_finding *finding;
	size_t count;
	uint64_t elapsed_ns;
};

const char *doctor_level_name(enum doctor_level level);
const char *doctor_group_name(enum doctor_group group);
/* All findings, in the order of the checks. */
void doctor_examine(const struct doctor_options *options, struct doctor_report *ret);
void doctor_report_done(struct doctor_report *report);
/* NULL = no check of that name. */
const struct doctor_finding *doctor_find(const struct doctor_report *report, const char *name);

#endif

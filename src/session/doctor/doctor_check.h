/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Private to the doctor: what checks share. A check fills one finding. */
#ifndef SESSION_DOCTOR_CHECK_H
#define SESSION_DOCTOR_CHECK_H

#include <stdbool.h>

#include "session/doctor/doctor.h"
#include "source/bpf/bpf_kind.h"

#define PARANOID_UNKNOWN 99

struct doctor {
	const struct doctor_options *options;
	struct arena *arena;
	uint64_t capabilities; /* effective ones */
	bool root_user;
	bool has_proc, has_sys;
	bool in_container, in_user_namespace, in_pid_namespace;
	long seccomp;  /* mode: 0 = none, 2 = filter */
	long paranoid; /* PARANOID_UNKNOWN: cannot be read */
	bool hardware; /* a CPU counter could be opened; set by its check */
	int bpf[BPF_KINDS];
};

typedef void doctor_check(struct doctor *doctor, struct doctor_finding *finding);

#define CHECK(name, group, function, needs) doctor_check function;
#include "session/doctor/checks.def"
#undef CHECK

/* Reads what several checks need. */
void doctor_facts(struct doctor *doctor);
bool doctor_has(const struct doctor *doctor, unsigned capability);
/* A failure for lack of rights; filters of system calls may answer that there is no such call. */
bool doctor_is_refusal(const struct doctor *doctor, int code);
/* The text of a small file below root without white space at its end, in the arena; NULL = it
 * cannot be read. */
const char *doctor_read(const struct doctor *doctor, const char *path);
long doctor_number(const struct doctor *doctor, const char *path, long missing);

void finding_set(struct doctor *doctor, struct doctor_finding *finding, enum doctor_level level,
		 const char *fmt, ...) __attribute__((format(printf, 4, 5)));
void finding_command(struct doctor *doctor, struct doctor_finding *finding, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* For a failure of tracefs_find(): what mounts it, or opens it to users. */
void finding_needs_tracefs(struct doctor *doctor, struct doctor_finding *finding, int code);
/* What gives the capabilities that the finding lacks, in this container, namespace or user. */
void finding_needs_rights(struct doctor *doctor, struct doctor_finding *finding);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "session/doctor/doctor.h"

#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "session/doctor/doctor_check.h"

enum needs { NOTHING, PROC, SYS };

static const struct {
	const char *name;
	enum doctor_group group;
	doctor_check *check;
	enum needs needs;
} checks[] = {
#define CHECK(name, group, function, needs) { name, DOCTOR_##group, function, needs },
#include "session/doctor/checks.def"
#undef CHECK
};

#define CHECKS (sizeof(checks) / sizeof(checks[0]))

const char *doctor_level_name(enum doctor_level level)
{
	static const char *const name[DOCTOR_LEVELS] = { "ok", "skipped", "limited", "missing" };

	return name[level];
}

const char *doctor_group_name(enum doctor_group group)
{
	static const char *const name[DOCTOR_GROUPS] = { "recording", "rights", "kernel",
							 "limits",    "names",	"others" };

	return name[group];
}

void doctor_examine(const struct doctor_options *options, struct doctor_report *ret)
{
	uint64_t begin = clock_ns(CLOCK_MONOTONIC);
	struct doctor doctor = { .options = options, .arena = &ret->arena };

	*ret = (struct doctor_report){ .count = CHECKS };
	ret->finding = arena_array(&ret->arena, struct doctor_finding, CHECKS);
	doctor_facts(&doctor);
	for (size_t i = 0; i < CHECKS; i++) {
		struct doctor_finding *finding = &ret->finding[i];

		finding->name = checks[i].name;
		finding->group = checks[i].group;
		if ((checks[i].needs == PROC && !doctor.has_proc) ||
		    (checks[i].needs == SYS && !doctor.has_sys))
			finding_set(&doctor, finding, DOCTOR_SKIPPED, "unknown: see file-systems");
		else
			checks[i].check(&doctor, finding);
	}
	ret->elapsed_ns = clock_ns(CLOCK_MONOTONIC) - begin;
}

void doctor_report_done(struct doctor_report *report)
{
	arena_done(&report->arena);
}

const struct doctor_finding *doctor_find(const struct doctor_report *report, const char *name)
{
	for (size_t i = 0; i < report->count; i++)
		if (strcmp(report->finding[i].name, name) == 0)
			return &report->finding[i];
	return NULL;
}

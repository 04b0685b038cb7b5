/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel's scheduler statistics per CPU and per scheduling domain (groups of CPUs for load
 * balancing): /proc/schedstat, versions 15 to 17, and the difference of two readings. Source of the
 * fields: Documentation/scheduler/sched-stats.rst of the Linux kernel. */
#ifndef PROFILE_SCHEDSTAT_H
#define PROFILE_SCHEDSTAT_H

#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

#define SCHEDSTAT_OLDEST	15
#define SCHEDSTAT_NEWEST	17
#define SCHEDSTAT_CPU_FIELDS	9
#define SCHEDSTAT_DOMAIN_FIELDS 45 /* of version 17; older ones have 36 */
#define SCHEDSTAT_NAME_MAX	16
#define SCHEDSTAT_NONE		UINT8_MAX

/* Numbers under one heading. */
enum schedstat_group {
	SCHEDSTAT_CPU,
	SCHEDSTAT_BUSY,
	SCHEDSTAT_IDLE,
	SCHEDSTAT_NEWIDLE,
	SCHEDSTAT_ACTIVE,
	SCHEDSTAT_EXEC,
	SCHEDSTAT_FORK,
	SCHEDSTAT_WAKEUP,
};

struct schedstat_field {
	char name[32]; /* as perf has them */
	enum schedstat_group group;
	uint8_t share_of; /* the field this is a share of, SCHEDSTAT_NONE = none */
	uint8_t bits;	  /* after which the counter begins again */
	uint8_t paced;	  /* the time between two of them is of interest */
};

/* The fields in the order of the kernel's lines. */
size_t schedstat_cpu_layout(struct schedstat_field ret[SCHEDSTAT_CPU_FIELDS]);
size_t schedstat_domain_layout(uint32_t version,
			       struct schedstat_field ret[SCHEDSTAT_DOMAIN_FIELDS]);

struct schedstat_domain {
	char name[SCHEDSTAT_NAME_MAX]; /* "MC"; "domain0" from kernels that have no names */
	const char *cpus;	       /* as the kernel writes masks: "00000000,00000003" */
	uint64_t value[SCHEDSTAT_DOMAIN_FIELDS];
};

struct schedstat_cpu {
	uint32_t cpu;
	uint64_t value[SCHEDSTAT_CPU_FIELDS];
	size_t first_domain, domain_count; /* in schedstat.domain */
};

struct schedstat {
	uint32_t version;
	uint64_t jiffies;
	VEC(struct schedstat_cpu) cpu;
	VEC(struct schedstat_domain) domain;
	size_t unmatched; /* of a difference: CPUs that one of the readings lacks */
	struct arena arena;
};

/* What happened between two readings, by CPUs and domains that are in both. Outlives neither. */
void schedstat_between(const struct schedstat *before, const struct schedstat *after,
		       struct schedstat *ret);
/* The mean of all CPUs, as one CPU: each of its domains is the mean of those at the same level. */
void schedstat_mean(const struct schedstat *stat, struct schedstat *ret);
void schedstat_done(struct schedstat *stat);

#endif

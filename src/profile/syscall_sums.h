/* SPDX-License-Identifier: GPL-2.0-or-later */
/* System calls of threads, counted and timed, and their sums by thread, process or altogether. Pure
 * data; owns all it refers to. */
#ifndef PROFILE_SYSCALL_SUMS_H
#define PROFILE_SYSCALL_SUMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "event/syscall.h"

struct syscall_row {
	struct syscall_key key;
	uint64_t calls, errors, timed, total_ns, min_ns, max_ns, off_cpu_ns, open_ns;
	uint64_t first; /* in syscall_sums.bucket, for bucket first_bucket */
	uint16_t first_bucket, buckets;
};

struct syscall_call_name {
	uint32_t call;
	char name[48];
};

struct syscall_error_name {
	uint32_t error;
	char name[32];
};

struct syscall_cgroup_name {
	uint64_t cgroup;
	char *name; /* owned */
};

struct syscall_sums {
	uint64_t start_ns, end_ns;
	bool counts_only; /* there are no times */
	bool no_cpu;	  /* times on a CPU are not known */
	VEC(struct syscall_thread) thread;
	VEC(struct syscall_row) row;
	VEC(struct syscall_error) error;
	VEC(uint32_t) bucket; /* without the empty ones at both ends */
	/* To be filled by the caller before the last step; see syscall_sums_name(). */
	VEC(struct syscall_call_name) call_name;
	VEC(struct syscall_error_name) error_name;
	VEC(struct syscall_cgroup_name) cgroup_name; /* may be empty */
	struct syscall_counts counts;
};

enum syscall_group_by {
	SYSCALL_BY_THREAD,
	SYSCALL_BY_PROCESS,
	SYSCALL_BY_TOTAL,
	SYSCALL_BY_CGROUP,
};

enum syscall_quantile {
	SYSCALL_P50,
	SYSCALL_P90,
	SYSCALL_P99,
	SYSCALL_QUANTILES,
};

struct syscall_total_error {
	const char *name; /* borrowed from the sums */
	uint32_t error;
	uint64_t count;
};

/* Calls of one name by a group. */
struct syscall_total {
	uint32_t call;
	const char *name; /* borrowed from the sums */
	uint64_t calls, errors, timed, total_ns, min_ns, max_ns, cpu_ns, open_ns;
	uint64_t quantile_ns[SYSCALL_QUANTILES];
	VEC(struct syscall_total_error) error; /* the most frequent first */
};

struct syscall_group {
	uint32_t pid, tid; /* 0 = all */
	char comm[16];
	bool is_cgroup;
	uint64_t cgroup;
	const char *cgroup_name; /* borrowed from the sums; NULL = unknown */
	uint64_t calls, errors;
	VEC(struct syscall_total) line; /* the longest in total first, then the most frequent */
};

struct syscall_groups {
	VEC(struct syscall_group) group; /* the most calls first */
	uint64_t calls;
};

void syscall_sums_add(struct syscall_sums *sums, const struct syscall_sum *sum);
/* Gives each call and error that occurs its name. */
void syscall_sums_name(struct syscall_sums *sums,
		       const char *(*call_label)(uint32_t call, char buf[48]),
		       const char *(*error_name)(uint32_t error));
void syscall_sums_done(struct syscall_sums *sums);

/* Refers to the sums. */
void syscall_groups_make(const struct syscall_sums *sums, enum syscall_group_by by,
			 struct syscall_groups *ret);
void syscall_groups_done(struct syscall_groups *groups);

/* The shortest length in a bucket, in ns. */
uint64_t syscall_bucket_ns(size_t bucket);
/* The length in ns that so many percent do not exceed, of which all are from min_ns to max_ns. 0:
 * the buckets are empty. */
uint64_t syscall_quantile(const uint64_t bucket[SYSCALL_BUCKETS], unsigned percent, uint64_t min_ns,
			  uint64_t max_ns);

#endif

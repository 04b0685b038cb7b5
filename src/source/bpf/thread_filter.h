/* SPDX-License-Identifier: GPL-2.0-or-later */
/* User space's half of bpf/thread_filter.bpf.h: which threads a BPF program counts. */
#ifndef SOURCE_BPF_THREAD_FILTER_H
#define SOURCE_BPF_THREAD_FILTER_H

#include <string.h>

#include "source/options.h"

struct bpf_map;
struct bpf_object_skeleton;
struct err;
struct perf_target;

/* Before loading. The settings are variables of the skeleton, which differ in type. */
#define THREAD_FILTER_SET_UP(bpf, options)                                                         \
	do {                                                                                       \
		(bpf)->rodata->by_pid = (options)->pids || (options)->program;                     \
		(bpf)->rodata->by_tid = (options)->tids != NULL;                                   \
		(bpf)->rodata->uid_plus_one = (options)->uid_plus_one;                             \
		(bpf)->rodata->cgroup_id = (options)->cgroup_id;                                   \
		(bpf)->rodata->program = (uint32_t)(options)->program;                             \
		if ((options)->comm)                                                               \
			memcpy((char *)(bpf)->rodata->comm_wanted, (options)->comm,                \
			       strnlen((options)->comm, 15));                                      \
		thread_filter_prepare((bpf)->skeleton, (options)->program || (options)->children); \
	} while (0)

/* BPF programs see process ids of the first namespace: -EXDEV in another one, where these are not
 * known. */
int thread_filter_check(struct err *err);
/* Programs that follow a program's children are loaded if there is one. */
void thread_filter_prepare(const struct bpf_object_skeleton *skeleton, bool follows);
/* After loading: fills the map of targets. Fails like thread_filter_check() if there are some, or a
 * program. */
int thread_filter_fill(const struct bpf_map *targets, const struct source_options *options,
		       struct err *err);
/* Fills a map of targets with the threads of these. */
int thread_filter_put(const struct bpf_map *targets, const struct perf_target *target,
		      struct err *err);
/* Attaches what follows the program; nothing if there is none. */
int thread_filter_follow(const struct bpf_object_skeleton *skeleton, struct err *err);
/* The process of -p if it is a single one, else 0: the kernel filters by one at most. */
int thread_filter_pid(const struct source_options *options);

#endif

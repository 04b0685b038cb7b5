/* SPDX-License-Identifier: GPL-2.0-or-later */
/* User space's half of bpf/thread_filter.bpf.h. The settings are variables of the skeleton, which
 * differ in type: so they are filled by this macro, before loading. */
#ifndef SOURCE_PROBE_PROBE_FILTER_H
#define SOURCE_PROBE_PROBE_FILTER_H

#include <stdbool.h>
#include <string.h>

#include <bpf/libbpf.h>

#include "source/options.h"

struct err;

#define PROBE_FILTER_SET_UP(skeleton, options)                                           \
	do {                                                                             \
		(skeleton)->rodata->by_pid = (options)->pids || (options)->program;      \
		(skeleton)->rodata->by_tid = (options)->tids != NULL;                    \
		(skeleton)->rodata->cgroup_id = (options)->cgroup_id;                    \
		(skeleton)->rodata->program = (uint32_t)(options)->program;              \
		if ((options)->comm)                                                     \
			memcpy((char *)(skeleton)->rodata->comm_wanted, (options)->comm, \
			       strnlen((options)->comm, 15));                            \
		(void)bpf_program__set_autoload((skeleton)->progs.on_exec,               \
						(options)->program != 0);                \
		(void)bpf_program__set_autoload((skeleton)->progs.on_fork,               \
						(options)->program != 0);                \
		(void)bpf_program__set_autoload((skeleton)->progs.on_free,               \
						(options)->program != 0);                \
	} while (0)

/* After loading: fills the map of targets. */
int probe_filter_fill(const struct bpf_map *targets, const struct source_options *options,
		      struct err *err);
/* The process of -p if it is a single one, else 0: the kernel filters by one at most. */
int probe_filter_pid(const struct source_options *options);

#endif

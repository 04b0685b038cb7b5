/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Turns /proc into events: what already existed before recording began. Emits FORK (marked as
 * synthetic) and COMM for every thread, MMAP for the executable mappings of every process, and
 * the kernel and module maps. Threads and processes that vanish while being read are skipped, as
 * they have exited. */
#ifndef PROC_SCAN_H
#define PROC_SCAN_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "event/event.h"

struct err;

struct scan_options {
	const char *root; /* in front of /proc and /sys; NULL or "" on a live system */
	bool data_maps;	  /* mappings without PROT_EXEC too (record -d) */
	bool namespaces;  /* a NAMESPACES event for each process */
	bool build_ids;	  /* read the build id of every mapped file (once per file) */
};

/* Emits the process of `pid` (a process or thread id) with all its threads: comm of each, maps of
 * the process. Returns -ESRCH if it does not exist. */
int scan_process(pid_t pid, const struct scan_options *options, struct sink *sink, struct err *err);
/* Every process. */
int scan_all(const struct scan_options *options, struct sink *sink, struct err *err);
/* Kernel text ("[kernel.kallsyms]_text") and loaded modules; silent when addresses are hidden. */
int scan_kernel(const struct scan_options *options, struct sink *sink, struct err *err);

#endif

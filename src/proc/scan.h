/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Turns /proc into events: what already existed before recording began. Emits COMM, FORK-free task
 * list and executable MMAP2 events for existing processes, and the kernel and module maps. Threads
 * and processes that vanish while being read are skipped, as they have exited. */
#ifndef PROC_SCAN_H
#define PROC_SCAN_H

#include <stdint.h>
#include <sys/types.h>

#include "event/event.h"

struct err;

/* One process with all its threads (comm of each, executable maps of the process). */
int scan_process(pid_t pid, struct sink *sink, struct err *err);
/* Every process. */
int scan_all(struct sink *sink, struct err *err);
/* Kernel text ("[kernel.kallsyms]_text") and loaded modules; silent when addresses are hidden. */
int scan_kernel(struct sink *sink, struct err *err);

#endif

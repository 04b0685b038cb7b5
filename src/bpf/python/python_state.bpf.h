/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the reader of Python frames (bpf/python/python.bpf.h) keeps. */
#ifndef BPF_PYTHON_STATE_BPF_H
#define BPF_PYTHON_STATE_BPF_H

#include <linux/bpf.h>
#include <stdbool.h>
#include <stdint.h>

#include "bpf/python/python.h"

#include <bpf/bpf_helpers.h>

#define PYTHON_CODES   8192u /* a power of two */
#define PYTHON_THREADS 4096u /* a power of two */
#define PYTHON_WINDOW  1024u /* a power of two */

/* Preallocated, as kernels before 6.1 demand of programs of perf events. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, PYTHON_PROCESSES);
	__type(key, __u32);
	__type(value, struct python_process);
} python_processes SEC(".maps");

/* Where a thread's state was last time, by thread id. Looked at again before it is used. */
__u64 python_threads[PYTHON_THREADS];

/* Code objects that user space was woken for, so that it reads their names before the process ends;
 * forgets by overwriting. */
__u64 python_codes[PYTHON_CODES];

struct python_walk {
	uint64_t frame; /* to be read next; 0 = no more */
	uint64_t hash;	/* of the words so far, where walks keep a log */
	uint64_t inner; /* the same of the innermost frames */
	uint32_t count;
	bool possible; /* the space may have a runtime */
	bool running;  /* inside a run */
	bool fresh;    /* a code object that user space may not know; kept until sent */
	struct python_process process;
	uint64_t window_start, window_len;
	uint64_t place; /* of the frame that was read, in words of the window */
	uint64_t window[PYTHON_WINDOW / 8];
};

#endif

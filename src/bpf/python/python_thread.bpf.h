/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the CPython runtime's state of the current thread by its thread pointer, which is the value
 * of pthread_self() when the state was created. */
#ifndef BPF_PYTHON_THREAD_BPF_H
#define BPF_PYTHON_THREAD_BPF_H

#include <stdbool.h>
#include <stdint.h>

#include "bpf/kernel.h"
#include "bpf/loop.bpf.h"
#include "bpf/python/python_state.bpf.h"
#include "bpf/subprogram.bpf.h"

#include <bpf/bpf_helpers.h>

#define PYTHON_THREAD_LOOK 128 /* threads and interpreters looked at for one */

struct python_search {
	const struct python_process *process;
	uint64_t self, interpreter, thread;
	bool found;
};

static __always_inline uint64_t python_read(uint64_t addr)
{
	uint64_t word;

	return bpf_probe_read_user(&word, sizeof(word), (void *)addr) ? 0 : word;
}

static long python_look(__u32 index, struct python_search *search)
{
	const struct python_process *process = search->process;

	(void)index;
	if (!process)
		return 1;
	if (!search->thread) {
		if (!search->interpreter)
			return 1;
		search->thread = python_read(search->interpreter + process->first_thread);
		search->interpreter = python_read(search->interpreter + process->next_interpreter);
		return 0;
	}
	if (python_read(search->thread + process->thread_id) == search->self) {
		search->found = true;
		return 1;
	}
	search->thread = python_read(search->thread + process->next_thread);
	return 0;
}

static __always_inline uint64_t python_frame_of(const struct python_process *process,
						uint64_t thread)
{
	uint64_t frame = python_read(thread + process->thread_frame);

	return frame && process->has_cframe ? python_read(frame + process->cframe_frame) : frame;
}

/* The innermost frame of the thread with the thread pointer `self`; 0: none. */
SUBPROGRAM uint64_t python_first_frame(const struct python_process *process, uint64_t self)
{
	__u32 slot = (__u32)bpf_get_current_pid_tgid() & (PYTHON_THREADS - 1);
	struct python_search search = { .process = process, .self = self };
	uint64_t thread = python_threads[slot], frame;

	if (!process || !self)
		return 0;
	if (thread && python_read(thread + process->thread_id) == self) {
		frame = python_frame_of(process, thread);
		if (frame)
			return frame;
	}
	search.interpreter = python_read(process->runtime + process->first_interpreter);
	LOOP(PYTHON_THREAD_LOOK, python_look, &search);
	if (!search.found)
		return 0;
	python_threads[slot] = search.thread;
	return python_frame_of(process, search.thread);
}

#endif

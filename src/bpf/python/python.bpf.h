/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the frames that a CPython runtime keeps of the current thread, a run at a time: the walk
 * over native frames asks for one at every frame of the evaluation function. Nothing of the target
 * is believed: every read may fail and every chain has an end. Layouts: symbol/python/. */
#ifndef BPF_PYTHON_BPF_H
#define BPF_PYTHON_BPF_H

#include <stdbool.h>
#include <stdint.h>

#include "bpf/python/python_thread.bpf.h"

#include "bpf/walk/user_memory.bpf.h"

#include <bpf/bpf_helpers.h>

#include <bpf/bpf_core_read.h>

/* Before a walk. A process that was forked and has not changed its program still has its parent's
 * runtime. */
SUBPROGRAM int python_start(struct python_walk *walk)
{
	const struct task_struct *task = (void *)bpf_get_current_task();
	__u32 tgid = bpf_get_current_pid_tgid() >> 32;
	const struct python_process *process;

	if (!walk)
		return 0;
	walk->running = false;
	walk->frame = walk->hash = walk->inner = walk->window_len = 0;
	walk->count = 0;
	if (!walk->possible)
		return 0;
	process = bpf_map_lookup_elem(&python_processes, &tgid);
	if (!process && BPF_CORE_READ(task, flags) & PF_FORKNOEXEC) {
		tgid = BPF_CORE_READ(task, real_parent, tgid);
		process = bpf_map_lookup_elem(&python_processes, &tgid);
	}
	if (!process)
		return 0;
	walk->process = *process;
	walk->frame = python_first_frame(process, arch_thread_pointer(task));
	return 0;
}

/* pc is a return address, or the leaf's; that of the first instruction has no frame yet. */
static __always_inline bool python_is_eval(const struct python_process *process, uint64_t pc)
{
	return pc - 1 - process->eval[0].start < process->eval[0].len ||
	       pc - 1 - process->eval[1].start < process->eval[1].len;
}

/* Python frames follow the native frame of a pc that evaluates them. */
static __always_inline void python_begin(struct python_walk *walk, uint64_t pc)
{
	walk->running = walk->frame && python_is_eval(&walk->process, pc);
}

static __always_inline void python_end_run(struct python_walk *walk)
{
	walk->running = false;
}

static __always_inline uint64_t python_field(const struct python_walk *walk, uint32_t offset)
{
	uint64_t place = walk->place + offset / 8;

	UNWIND_OPAQUE(place);
	return walk->window[place & (PYTHON_WINDOW / 8 - 1)];
}

/* The byte at an offset; words are little-endian. */
static __always_inline uint8_t python_byte(const struct python_walk *walk, uint32_t offset)
{
	return python_field(walk, offset) >> (offset & 7) * 8;
}

static __always_inline uint64_t python_instr(const struct python_walk *walk, uint64_t code)
{
	const struct python_process *process = &walk->process;
	uint64_t instr = python_field(walk, process->frame_instr);

	if (process->run == PYTHON_RUN_ONE)
		return (uint32_t)(instr >> (process->frame_instr & 4) * 8) >> process->instr_shift;
	return (instr - code - process->code_bytes) / 2;
}

/* Reads a window that ends with the frame. From 3.11 on, frames are next to each other, callers
 * below what they call, and a kilobyte costs hardly more than a frame. No more than the frame is
 * read of another page, which may not be there. */
static __always_inline bool python_fill_window(struct python_walk *walk)
{
	uint64_t end = walk->frame + walk->process.frame_bytes, start = walk->frame, len;

	if (walk->process.run != PYTHON_RUN_ONE)
		start &= ~4095ull;
	if (end - start > PYTHON_WINDOW)
		start = end - PYTHON_WINDOW;
	len = end - start;
	UNWIND_OPAQUE(len);
	if (len > PYTHON_WINDOW || bpf_probe_read_user(walk->window, len, (void *)start))
		return false;
	walk->window_start = start;
	walk->window_len = len;
	return true;
}

static __always_inline bool python_read_frame(struct python_walk *walk)
{
	uint64_t at = walk->frame - walk->window_start;

	if (walk->frame & 7)
		return false;
	if (at >= walk->window_len || at + walk->process.frame_bytes > walk->window_len) {
		if (!python_fill_window(walk))
			return false;
		at = walk->frame - walk->window_start;
	}
	walk->place = at / 8;
	return true;
}

static __always_inline void python_note(struct python_walk *walk, uint64_t code)
{
	uint64_t key = (code ^ walk->process.runtime) + (bpf_get_current_pid_tgid() >> 32);
	uint64_t slot = key * 0x9e3779b97f4a7c15ull >> 51;

	UNWIND_OPAQUE(slot);
	slot &= PYTHON_CODES - 1;
	if (python_codes[slot] == key)
		return;
	python_codes[slot] = key;
	walk->fresh = true;
}

/* The next frame of a run: its word, or 0 for frames that are not shown. */
SUBPROGRAM uint64_t python_next(struct python_walk *walk)
{
	const struct python_process *process;
	uint64_t code;
	bool last;

	if (!walk)
		return 0;
	process = &walk->process;
	if (++walk->count > PYTHON_FRAMES || !python_read_frame(walk)) {
		python_end_run(walk);
		walk->frame = 0;
		return walk->count > PYTHON_FRAMES ? PYTHON_CUT : PYTHON_UNREADABLE;
	}
	code = python_field(walk, process->frame_code) & ~7ull;
	walk->frame = python_field(walk, process->frame_back);
	last = process->run == PYTHON_RUN_ONE || !walk->frame;
	if (process->run != PYTHON_RUN_ONE &&
	    python_byte(walk, process->frame_owner) >= process->shim) {
		last = true;
		if (process->run == PYTHON_RUN_SHIM)
			code = 0;
	}
	if (last)
		python_end_run(walk);
	if (!code || code >= PYTHON_CODE_LIMIT)
		return 0;
	python_note(walk, code);
	return python_word(code, python_instr(walk, code));
}

#endif

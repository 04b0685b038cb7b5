/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Python frames in stacks: what the kernel part has to know of a process with a CPython runtime to
 * read its frames, and the words it puts for them between the addresses of native frames. A word is
 * no canonical address, so it cannot be taken for one. */
#ifndef BPF_PYTHON_H
#define BPF_PYTHON_H

#include <stdint.h>

#define PYTHON_PROCESSES 8192u
#define PYTHON_FRAMES	 860u /* of one stack, beside its native frames */

/* Where a run of Python frames, which one call of the evaluation function is executing, ends. */
enum python_run {
	PYTHON_RUN_ONE,	  /* 3.8 to 3.10: behind each frame object */
	PYTHON_RUN_ENTRY, /* 3.11: behind a frame that is marked as the first */
	PYTHON_RUN_SHIM,  /* 3.12 and newer: at a frame that belongs to no function */
};

/* All offsets are in bytes. */
struct python_process {
	uint64_t runtime; /* address of _PyRuntime */
	struct {
		uint64_t start, len;
	} eval[2]; /* code of the evaluation function, and its cold part */
	uint32_t first_interpreter, next_interpreter, first_thread, next_thread;
	uint32_t thread_id; /* of the thread: pthread_self() */
	uint32_t thread_frame;
	uint32_t cframe_frame; /* when thread_frame leads to something that holds the frame */
	uint32_t frame_code, frame_back, frame_instr, frame_owner, frame_bytes;
	uint32_t code_bytes; /* instructions in a code object */
	uint8_t run;	     /* enum python_run */
	uint8_t shim;	     /* the least owner of a shim */
	uint8_t has_cframe;
	uint8_t instr_shift; /* PYTHON_RUN_ONE: the frame counts bytes, not instructions */
};

#define PYTHON_WORD	  (1ull << 62)
#define PYTHON_INSTR_BITS 18
#define PYTHON_INSTR_NONE ((1u << PYTHON_INSTR_BITS) - 1)
#define PYTHON_CODE_SHIFT 3 /* code objects are aligned */
#define PYTHON_CODE_LIMIT (1ull << 47)

/* Words without a code object. */
#define PYTHON_CUT	  PYTHON_WORD	    /* more frames than there is room for */
#define PYTHON_UNREADABLE (PYTHON_WORD | 1) /* the rest could not be read */

/* instr counts instructions of two bytes. */
static inline uint64_t python_word(uint64_t code, uint64_t instr)
{
	if (instr > PYTHON_INSTR_NONE)
		instr = PYTHON_INSTR_NONE;
	return PYTHON_WORD | code >> PYTHON_CODE_SHIFT << PYTHON_INSTR_BITS | instr;
}

static inline int python_is_word(uint64_t pc)
{
	return pc >> 62 == 1;
}

static inline uint64_t python_word_code(uint64_t word)
{
	return (word & ~PYTHON_WORD) >> PYTHON_INSTR_BITS << PYTHON_CODE_SHIFT;
}

static inline uint32_t python_word_instr(uint64_t word)
{
	return (uint32_t)word & PYTHON_INSTR_NONE;
}

#endif

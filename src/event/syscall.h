/* SPDX-License-Identifier: GPL-2.0-or-later */
/* System calls as the tracer counts them. bpf/syscalls.bpf.c shares this vocabulary with user
 * space, so the header contains only types. Times are CLOCK_MONOTONIC nanoseconds.
 *
 * How the tracer works. Programs at the raw tracepoints sys_enter and sys_exit (tp_btf) follow each
 * thread by its task storage: the open call, when it began, and how long the thread was off the CPU
 * during it (from sched_switch). What returned is added to the sum of (thread, call): one hash map,
 * in which only that thread writes, so that counts are exact without atomic operations; calls of
 * similar lengths are kept with the thread and added together (bpf/syscall_recent.bpf.h). Errors
 * are counted by number in a second map. A thread that ends hands its sums to a ring and removes
 * them; without room in the ring they stay in the map. User space reads the ring, and at the end
 * the map, so nothing is lost unless a map is full, which is counted. Threads have a number of
 * their own, because the kernel reuses thread ids. Children are met at fork; all other threads at
 * the start by an iterator, or with their first call when everything is traced. Names, classes and
 * arguments are in user space (source/syscall/syscall_table.h): the kernel part gets a table of
 * wanted numbers.
 */
#ifndef EVENT_SYSCALL_H
#define EVENT_SYSCALL_H

#include <stdint.h>

/* Programs may call the kernel in more than one way, each with numbers of its own. */
enum syscall_abi {
	SYSCALL_NATIVE,
	SYSCALL_COMPAT, /* 32-bit */
	SYSCALL_ABIS,
};

#define SYSCALL_NUMBERS	   1024	       /* numbers that tables have a row for */
#define SYSCALL_COMPAT_BIT 0x80000000u /* in `call`: the number is that of SYSCALL_COMPAT */
#define SYSCALL_X32_BIT	   0x40000000u /* likewise: with 32-bit pointers; numbers as native */
#define SYSCALL_NONE	   UINT32_MAX

/* Which calls are of interest: to be shown or counted, and to be followed for what they do to
 * descriptors. */
#define SYSCALL_WANTED	 1
#define SYSCALL_FOLLOWED 2

/* Lengths: bucket b < 16 is b ns; above, four for each power of two; the last all longer ones. */
#define SYSCALL_BUCKETS 152

struct syscall_key {
	uint32_t thread; /* struct syscall_thread.number */
	uint32_t call;	 /* number, perhaps with SYSCALL_COMPAT_BIT */
};

/* Calls of one number by one thread. */
struct syscall_sum {
	struct syscall_key key;
	uint64_t calls;	 /* that returned, or never will */
	uint64_t errors; /* of these */
	uint64_t timed;	 /* calls with a length; the times below are theirs */
	uint64_t total_ns, min_ns, max_ns;
	uint64_t off_cpu_ns; /* part of total_ns */
	uint64_t open_ns;    /* of the one that did not return before the end; 0 = there is none */
	uint32_t bucket[SYSCALL_BUCKETS];
};

struct syscall_error_key {
	struct syscall_key key;
	uint32_t error; /* errno */
};

struct syscall_error {
	struct syscall_error_key key;
	uint32_t unused;
	uint64_t count;
};

struct syscall_thread {
	uint64_t cgroup; /* of version 2, the last one: inode number of its folder; 0 = unknown */
	uint32_t number; /* from 1, in the order in which threads were met */
	uint32_t tid, tgid;
	uint32_t unused;
	char comm[16]; /* the last one */
};

/* What the kernel part copies of an argument that is an address. Inputs are copied when the call
 * begins: later the kernel or another thread may have changed them. If the memory is not present
 * then, it is copied when the call returns, but only from memory that the process cannot write.
 * Outputs are copied when the call returns. User space fills a table of these. */
#define SYSCALL_ARGS	       6
#define SYSCALL_COPY_STRING    0x1000 /* to its NUL */
#define SYSCALL_COPY_FIXED     0x2000 /* as many bytes as the low bits say */
#define SYSCALL_COPY_BY_NEXT   0x3000 /* the next argument is the number of things of that size */
#define SYSCALL_COPY_BY_RESULT 0x4000 /* the result is */
#define SYSCALL_COPY_WORDS \
	0x5000 /* strings of an array; of the program that the call begins to run */
#define SYSCALL_COPY_VECTOR  0x6000 /* struct syscall_vector of as many parts as the next says */
#define SYSCALL_COPY_MESSAGE 0x7000 /* the same of a message */
#define SYSCALL_COPY_KIND    0x7000
#define SYSCALL_COPY_INPUT   0x8000 /* with one of these kinds: the kernel reads it only */
#define SYSCALL_COPY_MAX     256    /* bytes of one argument */
#define SYSCALL_COPY_NONE    UINT16_MAX

/* Data in parts, and the beginning of each, as 64-bit programs have it. Addresses are of the traced
 * process. */
#define SYSCALL_PARTS	   4 /* that are copied */
#define SYSCALL_PART_BYTES 32

struct syscall_part {
	uint64_t base, len;
};

struct syscall_message {
	uint64_t name;
	uint32_t name_len, unused;
	uint64_t parts, part_count, control, control_len;
	uint32_t flags, unused2;
};

struct syscall_vector {
	struct syscall_part part[SYSCALL_PARTS];
	uint8_t data[SYSCALL_PARTS][SYSCALL_PART_BYTES];
	struct syscall_message message; /* of SYSCALL_COPY_MESSAGE */
};

/* Whether a thread is stopped when tracing begins. */
enum syscall_stop {
	SYSCALL_RUNS,		/* or sleeps */
	SYSCALL_STOPPED,	/* by a signal */
	SYSCALL_STOPPED_TRACED, /* by a tracer such as a debugger */
};

/* One call; the copies follow, one behind the other. */
struct syscall_line {
	uint64_t start_ns, ns;
	int64_t result;
	uint64_t arg[SYSCALL_ARGS];
	uint32_t call, tid, tgid;
	uint32_t missing; /* calls of this thread that found no room in the ring since its last line
			   */
	uint16_t copied[SYSCALL_ARGS]; /* bytes; SYSCALL_COPY_NONE = nothing, or not readable */
	uint8_t unshown;	       /* it is sent only because it is followed */
	uint8_t not_followed;	       /* such calls found no room since the thread's last line */
	uint8_t returns_never;
	uint8_t headless; /* of a recording: only its end is known; ns and arg are 0 */
	uint8_t open;	  /* it has not returned; ns = its time so far, 0 = not known */
	uint8_t old;	  /* and it began before tracing did: the times are since then */
	uint8_t stopped;  /* an old one: enum syscall_stop; call may be SYSCALL_NONE */
	uint8_t place;	  /* an old one: struct syscall_place (bpf/syscall_place.h) follows */
	char comm[16];
};

#define SYSCALL_LINE_MAX (sizeof(struct syscall_line) + SYSCALL_ARGS * SYSCALL_COPY_MAX)

/* What could not be kept. */
struct syscall_counts {
	uint64_t threads; /* met */
	uint64_t untracked_threads;
	uint64_t lost_calls;  /* in no sum */
	uint64_t lost_errors; /* counted as errors, but not by number */
	uint64_t lost_lines;  /* the sum of syscall_line.missing, and those without a line behind */
};

#endif

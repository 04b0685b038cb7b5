/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fetch programs: what a probe reads of the program it stops, arguments and what they point at.
 * User space compiles expressions to them (session/probe/fetch_expression.h), bpf/fetch.bpf.h runs
 * them. A program is a list of steps of a stack machine. A read that faults marks the value as
 * unreadable and the program continues with the next value. */
#ifndef BPF_FETCH_H
#define BPF_FETCH_H

#include <linux/types.h>

#define FETCH_STEPS	 64u /* of a program; a power of two */
#define FETCH_DEPTH	 8u  /* of the stack; a power of two */
#define FETCH_VALUES	 8u  /* that a program stores; a power of two */
#define FETCH_TEXT	 192u
#define FETCH_STRING_MAX 64u /* bytes of one string with its NUL */

enum fetch_op {
	FETCH_END,
	FETCH_REGISTER, /* push register `value` of the registers of the arch header */
	FETCH_CONSTANT, /* push value */
	FETCH_SPECIAL,	/* push what enum fetch_special names */
	FETCH_PICK,	/* push a copy of the value that is `value` below the top */
	FETCH_ADD,	/* top += value */
	FETCH_READ,	/* top = the `size` bytes at the address top, 1 to 8 */
	FETCH_BITS,	/* top = `size` bits from bit `value` on; `arg`: with their sign */
	FETCH_BINARY,	/* pop b, pop a, push a `arg` b: enum fetch_binary */
	FETCH_STORE,	/* pop into result.value[arg] */
	FETCH_STRING,	/* pop an address; the string there goes to the text, place and length
			   to result.value[arg]; `size` bytes with the NUL at most, 0 = all */
	FETCH_WHEN,	/* pop; 0 or unreadable: the result is dropped */
};

enum fetch_special {
	FETCH_PID,
	FETCH_TID,
	FETCH_UID,
	FETCH_CPU,
	FETCH_TIME,	/* ns */
	FETCH_CONTEXT,	/* the address of the registers, or of a tracepoint's record */
	FETCH_LATENCY,	/* ns since the call began */
	FETCH_ENTRY = 8 /* and those behind it: what was stored when the call began */
};

/* The last value is the time. */
#define FETCH_ENTRY_MAX (FETCH_VALUES - 1)

enum fetch_binary {
	FETCH_PLUS,
	FETCH_MINUS,
	FETCH_MULTIPLY,
	FETCH_DIVIDE, /* signed; by 0 is unreadable */
	FETCH_MODULO,
	FETCH_AND,
	FETCH_OR,
	FETCH_XOR,
	FETCH_LEFT,
	FETCH_RIGHT,
	FETCH_RIGHT_SIGNED,
	FETCH_EQUAL,
	FETCH_UNEQUAL,
	FETCH_LESS, /* signed, as the next */
	FETCH_LESS_EQUAL,
	FETCH_BELOW, /* unsigned, as the next */
	FETCH_BELOW_EQUAL,
};

struct fetch_step {
	__u8 op, arg;
	__u16 unused;
	__u32 size;
	__s64 value;
};

struct fetch_program {
	__u32 count;
	__u32 unused;
	struct fetch_step step[FETCH_STEPS];
};

struct fetch_result {
	__u32 number; /* of the program */
	__u16 text_len;
	__u8 faults; /* bit i: value[i] could not be read */
	__u8 dropped;
	__u64 value[FETCH_VALUES];
	char text[FETCH_TEXT];
};

/* A program at work. */
struct fetch_run {
	__u64 context;	 /* address of the registers */
	__u64 return_at; /* of a call that ends: where its return address lies */
	__u32 depth;
	__u32 fault; /* the value being made is unreadable */
	__u64 stack[FETCH_DEPTH];
	struct fetch_result result;
};

/* What is kept of a call from its beginning to its return: the first part of a result. The last
 * value is the time, in ns. */
struct fetch_entry {
	__u32 number;
	__u16 unused;
	__u8 faults;
	__u8 dropped;
	__u64 value[FETCH_VALUES];
};

/* A string among the values. */
#define FETCH_STRING_AT(value)	((__u32)((value) >> 32))
#define FETCH_STRING_LEN(value) ((__u32)(value))

#endif

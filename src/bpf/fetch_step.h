/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One step of a fetch program, for BPF and for user space. Who includes it defines before
 *   FETCH_GET_REGISTER(run, index, ret)  0 on success
 *   FETCH_GET_MEMORY(of_kernel, to, size, address)  0 on success; size from 1 to 8
 *   FETCH_GET_STRING(of_kernel, to, size, address)  bytes with the NUL, or below 0
 *   FETCH_GET_SPECIAL(run, which)
 * of_kernel is a constant: the probe is in the kernel, and addresses may be its. */
#ifndef BPF_FETCH_STEP_H
#define BPF_FETCH_STEP_H

#include <stdbool.h>

#include "bpf/fetch.h"

static __always_inline void fetch_push(struct fetch_run *run, __u64 value)
{
	run->stack[run->depth & (FETCH_DEPTH - 1)] = value;
	run->depth++;
}

static __always_inline __u64 fetch_pop(struct fetch_run *run)
{
	run->depth--;
	return run->stack[run->depth & (FETCH_DEPTH - 1)];
}

static __always_inline __u64 fetch_arithmetic(struct fetch_run *run, __u8 op, __u64 a, __u64 b)
{
	__u64 x = (__s64)a < 0 ? -a : a, y = (__s64)b < 0 ? -b : b;

	switch (op) {
	case FETCH_PLUS:
		return a + b;
	case FETCH_MINUS:
		return a - b;
	case FETCH_MULTIPLY:
		return a * b;
	case FETCH_DIVIDE: /* BPF divides unsigned numbers only */
		run->fault |= !b;
		x = y ? x / y : 0;
		return (a ^ b) >> 63 ? -x : x;
	case FETCH_MODULO:
		run->fault |= !b;
		x = y ? x % y : 0;
		return a >> 63 ? -x : x;
	case FETCH_AND:
		return a & b;
	case FETCH_OR:
		return a | b;
	case FETCH_XOR:
		return a ^ b;
	case FETCH_LEFT:
		return b < 64 ? a << (b & 63) : 0;
	case FETCH_RIGHT:
		return b < 64 ? a >> (b & 63) : 0;
	default: /* FETCH_RIGHT_SIGNED */
		return (__u64)((__s64)a >> (b < 64 ? b & 63 : 63));
	}
}

static __always_inline __u64 fetch_compare(__u8 op, __u64 a, __u64 b)
{
	switch (op) {
	case FETCH_EQUAL:
		return a == b;
	case FETCH_UNEQUAL:
		return a != b;
	case FETCH_LESS:
		return (__s64)a < (__s64)b;
	case FETCH_LESS_EQUAL:
		return (__s64)a <= (__s64)b;
	case FETCH_BELOW:
		return a < b;
	default: /* FETCH_BELOW_EQUAL */
		return a <= b;
	}
}

static __always_inline void fetch_binary(struct fetch_run *run, __u8 op)
{
	__u64 b = fetch_pop(run), a = fetch_pop(run);

	fetch_push(run,
		   op >= FETCH_EQUAL ? fetch_compare(op, a, b) : fetch_arithmetic(run, op, a, b));
}

static __always_inline void fetch_read(struct fetch_run *run, __u32 size, bool of_kernel)
{
	__u64 value = 0, address = fetch_pop(run);

	size = ((size - 1) & 7) + 1; /* the verifier has to see its limits */
	if (run->fault || FETCH_GET_MEMORY(of_kernel, &value, size, address) != 0)
		run->fault = 1;
	fetch_push(run, value);
}

static __always_inline void fetch_bits(struct fetch_run *run, const struct fetch_step *step)
{
	__u64 value = fetch_pop(run) >> (step->value & 63);
	__u32 unused = (64 - step->size) & 63;

	value <<= unused;
	if (step->arg)
		value = (__u64)((__s64)value >> unused);
	else
		value >>= unused;
	fetch_push(run, value);
}

/* The value is done. */
static __always_inline void fetch_store(struct fetch_run *run, __u32 index, __u64 value)
{
	index &= FETCH_VALUES - 1;
	run->result.value[index] = value;
	if (run->fault)
		run->result.faults = (__u8)(run->result.faults | 1u << index);
	run->fault = 0;
	run->depth = 0;
}

static __always_inline void fetch_string(struct fetch_run *run, const struct fetch_step *step,
					 bool of_kernel)
{
	__u64 address = fetch_pop(run), at = run->result.text_len;
	/* 0 becomes the most */
	const __u32 size = ((step->size - 1) & (FETCH_STRING_MAX - 1)) + 1;
	long len;

	if (at > FETCH_TEXT - FETCH_STRING_MAX) /* no room */
		run->fault = 1;
	else if (!run->fault) {
		len = FETCH_GET_STRING(of_kernel, run->result.text + at, size, address);
		if (len <= 0 || len > FETCH_STRING_MAX) {
			run->fault = 1;
		} else {
			run->result.text_len = (__u16)(at + (__u64)len);
			at = at << 32 | (__u64)(len - 1);
		}
	}
	fetch_store(run, step->arg, at);
}

/* Returns 1 after the last step. */
static __always_inline int fetch_take_step(struct fetch_run *run, const struct fetch_step *step,
					   bool of_kernel)
{
	__u64 value = 0;

	switch (step->op) {
	case FETCH_REGISTER:
		if (FETCH_GET_REGISTER(run, step->value, &value) != 0)
			run->fault = 1;
		fetch_push(run, value);
		return 0;
	case FETCH_CONSTANT:
		fetch_push(run, (__u64)step->value);
		return 0;
	case FETCH_SPECIAL:
		fetch_push(run, FETCH_GET_SPECIAL(run, step->value));
		return 0;
	case FETCH_PICK:
		fetch_push(run,
			   run->stack[(run->depth - 1 - (__u32)step->value) & (FETCH_DEPTH - 1)]);
		return 0;
	case FETCH_ADD:
		fetch_push(run, fetch_pop(run) + (__u64)step->value);
		return 0;
	case FETCH_READ:
		fetch_read(run, step->size, of_kernel);
		return 0;
	case FETCH_BITS:
		fetch_bits(run, step);
		return 0;
	case FETCH_BINARY:
		fetch_binary(run, step->arg);
		return 0;
	case FETCH_STORE:
		fetch_store(run, step->arg, fetch_pop(run));
		return 0;
	case FETCH_STRING:
		fetch_string(run, step, of_kernel);
		return 0;
	case FETCH_WHEN:
		run->result.dropped = run->fault || !fetch_pop(run);
		run->fault = 0;
		run->depth = 0;
		return run->result.dropped;
	default:
		return 1;
	}
}

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sends calls one by one, with copies of what their arguments point to (event/syscall.h). */
#ifndef BPF_SYSCALL_LINE_H
#define BPF_SYSCALL_LINE_H

#include <stdbool.h>

#include "bpf/kernel.h"

#include "event/syscall.h"

#include <bpf/bpf_helpers.h>

#include "bpf/subprogram.bpf.h"
#include "bpf/syscall_input.bpf.h"
#include "bpf/syscall_program.bpf.h"

const volatile bool with_lines;	 /* send them */
const volatile bool with_places; /* of threads that sleep when tracing begins */

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 12); /* more with lines */
} lines SEC(".maps");

#define WAKE_BYTES (2u << 20) /* in the ring */

struct line_scratch {
	struct syscall_line line;
	__u8 data[(SYSCALL_ARGS + 2) *
		  SYSCALL_COPY_MAX]; /* the verifier adds up what cannot be at once */
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct line_scratch);
} scratch SEC(".maps");

#define WORDS_MAX 16

/* The words that an array of pointers of a call that failed names, one behind the other. Returns
 * their bytes. */
SUBPROGRAM int copy_words(__u32 where, __u64 pointers)
{
	const __u32 zero = 0;
	struct line_scratch *to = bpf_map_lookup_elem(&scratch, &zero);
	__u64 at = where, len = 0, word;
	long got;

	__asm__ volatile("" : "+r"(at));
	if (!to || at > SYSCALL_ARGS * SYSCALL_COPY_MAX)
		return 0;
	for (__u32 i = 0; i < WORDS_MAX; i++) {
		if (len >= SYSCALL_COPY_MAX ||
		    bpf_probe_read_user(&word, sizeof(word), (const void *)(pointers + i * 8)) ||
		    !word)
			break;
		got = bpf_probe_read_user_str(to->data + at + len, SYSCALL_COPY_MAX - len,
					      (const void *)word);
		if (got <= 0 || got > SYSCALL_COPY_MAX)
			break;
		len += (__u64)got;
		__asm__ volatile("" : "+r"(len));
		if (len > SYSCALL_COPY_MAX)
			len = SYSCALL_COPY_MAX;
		__asm__ volatile("" : "+r"(len));
	}
	return (int)len;
}

/* Copies one argument of the line in the making behind the others. Returns where the next goes. */
SUBPROGRAM int copy_argument(__u32 argument, __u32 where)
{
	const __u32 zero = 0;
	struct line_scratch *to = bpf_map_lookup_elem(&scratch, &zero);
	__u64 nr = argument, at = where, size;
	struct program_path *program;
	struct call_inputs *kept;
	const void *from;
	__u16 copy;
	long got;

	__asm__ volatile("" : "+r"(nr), "+r"(at));
	if (!to || nr >= SYSCALL_ARGS || at > SYSCALL_ARGS * SYSCALL_COPY_MAX)
		return 0;
	to->line.copied[nr] = SYSCALL_COPY_NONE;
	copy = copy_of(to->line.call, nr);
	from = (const void *)to->line.arg[nr];
	if (!copy || !from)
		return (int)at;
	kept = bpf_task_storage_get(&inputs, bpf_get_current_task_btf(), NULL, 0);
	if (copy & SYSCALL_COPY_INPUT && kept && kept->copied[nr] <= SYSCALL_COPY_MAX) {
		if (bpf_probe_read_kernel(to->data + at, SYSCALL_COPY_MAX,
					  kept->data + nr * SYSCALL_COPY_MAX))
			return (int)at;
		to->line.copied[nr] = kept->copied[nr];
		return (int)(at + (kept->copied[nr] & 0xfff));
	}
	program = bpf_task_storage_get(&program_paths, bpf_get_current_task_btf(), NULL, 0);
	if (program && program->len) {
		if ((copy & SYSCALL_COPY_KIND) == SYSCALL_COPY_WORDS && program->words_len) {
			if (bpf_probe_read_kernel(to->data + at, SYSCALL_COPY_MAX, program->words))
				return (int)at;
			to->line.copied[nr] = (__u16)program->words_len;
			return (int)(at + (program->words_len & 0xfff));
		}
		if ((copy & SYSCALL_COPY_KIND) != SYSCALL_COPY_STRING)
			return (int)at;
		__builtin_memcpy(to->data + at, program->path, sizeof(program->path));
		to->line.copied[nr] = (__u16)program->len;
		return (int)(at + (program->len & 0xfff));
	}
	if ((copy & SYSCALL_COPY_KIND) == SYSCALL_COPY_WORDS &&
	    !(to->line.call & SYSCALL_COMPAT_BIT)) {
		size = (__u32)copy_words((__u32)at, (__u64)(long)from);
		__asm__ volatile("" : "+r"(size));
		if (!size || size > SYSCALL_COPY_MAX)
			return (int)at;
		to->line.copied[nr] = (__u16)size;
		return (int)(at + size);
	}
	if (copy & SYSCALL_COPY_INPUT && !is_constant(from))
		return (int)at;
	if ((copy & SYSCALL_COPY_KIND) == SYSCALL_COPY_STRING) {
		got = bpf_probe_read_user_str(to->data + at, SYSCALL_COPY_MAX, from);
		if (got < 0 || got > SYSCALL_COPY_MAX)
			return (int)at;
		to->line.copied[nr] = (__u16)got;
		return (int)(at + (__u64)got);
	}
	if (is_vector(copy)) {
		if (!copy_vector(to->data + at, to->line.arg, nr, vector_kind(to->line.call, copy)))
			return (int)at;
		to->line.copied[nr] = sizeof(struct syscall_vector);
		return (int)(at + sizeof(struct syscall_vector));
	}
	size = bytes_of(to->line.arg, to->line.result, (__u32)nr, copy);
	__asm__ volatile("" : "+r"(size));
	if (size > SYSCALL_COPY_MAX)
		size = SYSCALL_COPY_MAX;
	__asm__ volatile("" : "+r"(size));
	if (bpf_probe_read_user(to->data + at, size, from))
		return (int)at;
	to->line.copied[nr] = (__u16)size;
	return (int)(at + size);
}

/* The line is filled but for the copies. False: there is no room. */
static __always_inline bool send_line(struct line_scratch *to)
{
	const volatile __u16 *copy = copies_of(to->line.call);
	struct program_path *program;
	__u64 at = 0, wake;

	for (__u32 i = 0; i < SYSCALL_ARGS; i++) {
		if (copy && copy[i] && to->line.arg[i])
			at = (__u32)copy_argument(i, (__u32)at);
		else
			to->line.copied[i] = SYSCALL_COPY_NONE;
	}
	__asm__ volatile("" : "+r"(at));
	if (at > SYSCALL_ARGS * SYSCALL_COPY_MAX)
		at = SYSCALL_ARGS * SYSCALL_COPY_MAX;
	__asm__ volatile("" : "+r"(at));
	program = bpf_task_storage_get(&program_paths, bpf_get_current_task_btf(), NULL, 0);
	if (program)
		program->len = 0;
	/* Else the reader looks from time to time. */
	wake = bpf_ringbuf_query(&lines, BPF_RB_AVAIL_DATA) >= WAKE_BYTES ? BPF_RB_FORCE_WAKEUP
									  : BPF_RB_NO_WAKEUP;
	return !bpf_ringbuf_output(&lines, to, sizeof(to->line) + at, wake);
}

#endif

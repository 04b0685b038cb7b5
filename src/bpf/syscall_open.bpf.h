/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sends calls that have not returned, of any task, with the inputs that were kept when they began.
 */
#ifndef BPF_SYSCALL_OPEN_H
#define BPF_SYSCALL_OPEN_H

#include "bpf/syscall_line.bpf.h"
#include "bpf/syscall_place.h"

/* Copies an input that was kept behind the others. Returns where the next goes. */
static __always_inline __u64 copy_kept(struct line_scratch *to, const struct call_inputs *kept,
				       __u32 nr, __u64 at)
{
	__u64 size = kept->copied[nr];

	to->line.copied[nr] = SYSCALL_COPY_NONE;
	__asm__ volatile("" : "+r"(at));
	if (at > SYSCALL_ARGS * SYSCALL_COPY_MAX || size > SYSCALL_COPY_MAX)
		return at;
	if (bpf_probe_read_kernel(to->data + at, SYSCALL_COPY_MAX,
				  kept->data + nr * SYSCALL_COPY_MAX))
		return at;
	to->line.copied[nr] = (__u16)size;
	return at + size;
}

static __always_inline bool send_copies(struct line_scratch *to, __u64 bytes)
{
	__asm__ volatile("" : "+r"(bytes));
	if (bytes > SYSCALL_ARGS * SYSCALL_COPY_MAX)
		bytes = SYSCALL_ARGS * SYSCALL_COPY_MAX;
	__asm__ volatile("" : "+r"(bytes));
	return !bpf_ringbuf_output(&lines, to, sizeof(to->line) + bytes, BPF_RB_NO_WAKEUP);
}

/* Of a task that may be another one, with the inputs that were kept. What else is there is of
 * earlier calls. */
static __always_inline bool send_open_line(struct line_scratch *to, struct task_struct *task)
{
	struct call_inputs *kept = bpf_task_storage_get(&inputs, task, NULL, 0);
	__u64 at = 0;

	__builtin_memset(to->line.copied, 0xff, sizeof(to->line.copied));
	for (__u32 i = 0; kept && kept->call == to->line.call && i < SYSCALL_ARGS; i++)
		if (copy_of(to->line.call, i) & SYSCALL_COPY_INPUT)
			at = copy_kept(to, kept, i, at);
	return send_copies(to, at);
}

/* Without inputs, and perhaps with a place. */
static __always_inline bool send_old_line(struct line_scratch *to)
{
	__builtin_memset(to->line.copied, 0xff, sizeof(to->line.copied));
	return send_copies(to, to->line.place ? sizeof(struct syscall_place) : 0);
}

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copies what lies behind two addresses: the parts of readv(2), writev(2) and of messages
 * (struct syscall_vector). */
#ifndef BPF_SYSCALL_VECTOR_H
#define BPF_SYSCALL_VECTOR_H

#include <stdbool.h>

#include "bpf/kernel.h"

#include "event/syscall.h"

#include <bpf/bpf_helpers.h>

#include "bpf/subprogram.bpf.h"

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct syscall_vector);
} vectors SEC(".maps");

static __always_inline void copy_part(struct syscall_vector *to, __u32 nr, __u64 count)
{
	__u64 len = to->part[nr].len;

	if (nr >= count)
		return;
	__asm__ volatile("" : "+r"(len));
	if (len > SYSCALL_PART_BYTES)
		len = SYSCALL_PART_BYTES;
	__asm__ volatile("" : "+r"(len));
	(void)bpf_probe_read_user(to->data[nr], len, (const void *)to->part[nr].base);
}

#define VECTOR_MESSAGE 1u
#define VECTOR_COMPAT  2u /* of a 32-bit program */

struct compat_message {
	__u32 name, name_len, parts, part_count, control, control_len, flags;
};

static __always_inline bool read_message(struct syscall_message *to, __u64 from, __u32 kind)
{
	struct compat_message compat = { 0 };

	if (!(kind & VECTOR_COMPAT))
		return !bpf_probe_read_user(to, sizeof(*to), (const void *)from);
	if (bpf_probe_read_user(&compat, sizeof(compat), (const void *)from))
		return false;
	to->name = compat.name;
	to->name_len = compat.name_len;
	to->parts = compat.parts;
	to->part_count = compat.part_count;
	to->control = compat.control;
	to->control_len = compat.control_len;
	to->flags = compat.flags;
	return true;
}

static __always_inline bool read_part(struct syscall_part *to, __u64 from, __u32 nr, __u32 kind)
{
	__u32 compat[2] = { 0 };

	if (!(kind & VECTOR_COMPAT))
		return !bpf_probe_read_user(to, sizeof(*to),
					    (const void *)(from + nr * sizeof(*to)));
	if (bpf_probe_read_user(compat, sizeof(compat), (const void *)(from + nr * sizeof(compat))))
		return false;
	to->base = compat[0];
	to->len = compat[1];
	return true;
}

/* Into `vectors`. Returns 1, or 0 if the memory is not present. */
SUBPROGRAM int gather(__u64 address, __u64 number, __u32 kind)
{
	const __u32 zero = 0;
	struct syscall_vector *to = bpf_map_lookup_elem(&vectors, &zero);
	__u64 from = address, count = number;

	if (!to)
		return 0;
	__builtin_memset(to, 0, sizeof(*to));
	if (kind & VECTOR_MESSAGE) {
		if (!read_message(&to->message, from, kind))
			return 0;
		from = to->message.parts;
		count = to->message.part_count;
	}
	if (count > SYSCALL_PARTS)
		count = SYSCALL_PARTS;
	for (__u32 i = 0; i < SYSCALL_PARTS; i++)
		if (i < count && !read_part(&to->part[i], from, i, kind))
			return 0;
	for (__u32 i = 0; i < SYSCALL_PARTS; i++)
		copy_part(to, i, count);
	return 1;
}

static __always_inline __u32 vector_kind(__u32 call, __u16 copy)
{
	__u32 kind = (copy & SYSCALL_COPY_KIND) == SYSCALL_COPY_MESSAGE ? VECTOR_MESSAGE : 0;

	return call & SYSCALL_COMPAT_BIT ? kind | VECTOR_COMPAT : kind;
}

/* Of an argument with such a kind, to `to`. Returns the bytes; 0 = none. */
static __always_inline __u32 copy_vector(void *to, const uint64_t *arg, __u64 nr, __u32 kind)
{
	const __u32 zero = 0;
	const struct syscall_vector *from = bpf_map_lookup_elem(&vectors, &zero);
	__u64 next = (nr + 1) & 7;

	if (!from || next >= SYSCALL_ARGS || !gather(arg[nr], arg[next], kind))
		return 0;
	return bpf_probe_read_kernel(to, sizeof(*from), from) ? 0 : sizeof(*from);
}

static __always_inline bool is_vector(__u16 copy)
{
	return (copy & SYSCALL_COPY_KIND) == SYSCALL_COPY_VECTOR ||
	       (copy & SYSCALL_COPY_KIND) == SYSCALL_COPY_MESSAGE;
}

#endif

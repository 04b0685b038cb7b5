/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copies what the inputs of a call point to when it begins (event/syscall.h). */
#ifndef BPF_SYSCALL_INPUT_H
#define BPF_SYSCALL_INPUT_H

#include <stdbool.h>

#include "bpf/kernel.h"

#include "event/syscall.h"

#include <bpf/bpf_helpers.h>

#include <bpf/bpf_core_read.h>

#include "bpf/subprogram.bpf.h"
#include "bpf/syscall_vector.bpf.h"

#define VM_WRITE 0x2ul

const volatile __u16 copies[SYSCALL_ABIS][SYSCALL_NUMBERS][SYSCALL_ARGS];

/* What is copied of each argument; NULL = nothing. Calls of x32 programs have none. */
static __always_inline const volatile __u16 *copies_of(__u32 call)
{
	__u64 number = call & ~SYSCALL_COMPAT_BIT;

	__asm__ volatile("" : "+r"(number));
	if (number >= SYSCALL_NUMBERS)
		return NULL;
	return call & SYSCALL_COMPAT_BIT ? copies[SYSCALL_COMPAT][number]
					 : copies[SYSCALL_NATIVE][number];
}

/* nr is below SYSCALL_ARGS. */
static __always_inline __u16 copy_of(__u32 call, __u64 nr)
{
	const volatile __u16 *copy = copies_of(call);

	return copy ? copy[nr] : 0;
}

/* Inputs of the open call, as they were when it began. */
struct call_inputs {
	uint64_t arg[SYSCALL_ARGS];
	__u32 call;
	__u16 copied[SYSCALL_ARGS];		    /* as in struct syscall_line */
	__u8 data[SYSCALL_ARGS * SYSCALL_COPY_MAX]; /* a place for each argument */
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct call_inputs);
} inputs SEC(".maps");

/* The number of bytes that are meant; strings have no length yet. */
static __always_inline __u64 bytes_of(const uint64_t *arg, __s64 result, __u32 nr, __u16 copy)
{
	__u64 unit = copy & ~(SYSCALL_COPY_KIND | SYSCALL_COPY_INPUT);

	switch (copy & SYSCALL_COPY_KIND) {
	case SYSCALL_COPY_FIXED:
		return unit;
	case SYSCALL_COPY_BY_NEXT:
		nr = (nr + 1) & 7;
		return nr < SYSCALL_ARGS ? (arg[nr] & 0xffff) * unit : 0;
	case SYSCALL_COPY_BY_RESULT:
		return result > 0 ? (result & 0xffff) * unit : 0;
	}
	return 0;
}

/* Copies one argument of the call that begins. */
SUBPROGRAM int keep_input(__u32 argument)
{
	struct call_inputs *to = bpf_task_storage_get(&inputs, bpf_get_current_task_btf(), NULL, 0);
	__u64 nr = argument, size;
	const void *from;
	__u16 copy;
	long got;

	__asm__ volatile("" : "+r"(nr));
	if (!to || nr >= SYSCALL_ARGS)
		return 0;
	to->copied[nr] = SYSCALL_COPY_NONE;
	copy = copy_of(to->call, nr);
	from = (const void *)to->arg[nr];
	if (!(copy & SYSCALL_COPY_INPUT) || !from)
		return 0;
	if ((copy & SYSCALL_COPY_KIND) == SYSCALL_COPY_STRING) {
		got = bpf_probe_read_user_str(to->data + nr * SYSCALL_COPY_MAX, SYSCALL_COPY_MAX,
					      from);
		if (got >= 0 && got <= SYSCALL_COPY_MAX)
			to->copied[nr] = (__u16)got;
		return 0;
	}
	if (is_vector(copy)) {
		size = copy_vector(to->data + nr * SYSCALL_COPY_MAX, to->arg, nr,
				   vector_kind(to->call, copy));
		if (size)
			to->copied[nr] = sizeof(struct syscall_vector);
		return 0;
	}
	size = bytes_of(to->arg, 0, (__u32)nr, copy);
	__asm__ volatile("" : "+r"(size));
	if (size > SYSCALL_COPY_MAX)
		size = SYSCALL_COPY_MAX;
	__asm__ volatile("" : "+r"(size));
	if (!bpf_probe_read_user(to->data + nr * SYSCALL_COPY_MAX, size, from))
		to->copied[nr] = (__u16)size;
	return 0;
}

static __always_inline void keep_inputs(__u32 call, const __u64 *arg)
{
	const volatile __u16 *copy = copies_of(call);
	struct call_inputs *to;
	__u16 any = 0;

	for (__u32 i = 0; copy && i < SYSCALL_ARGS; i++)
		any |= copy[i];
	if (!(any & SYSCALL_COPY_INPUT))
		return;
	to = bpf_task_storage_get(&inputs, bpf_get_current_task_btf(), NULL,
				  BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!to)
		return;
	to->call = call;
	__builtin_memcpy(to->arg, arg, sizeof(to->arg));
	for (__u32 i = 0; i < SYSCALL_ARGS; i++)
		if (copy[i] & SYSCALL_COPY_INPUT)
			(void)keep_input(i);
}

/* Of a call that was not seen to begin: there are none. */
static __always_inline void forget_inputs(void)
{
	struct call_inputs *of = bpf_task_storage_get(&inputs, bpf_get_current_task_btf(), NULL, 0);

	if (of)
		__builtin_memset(of->copied, 0xff, sizeof(of->copied));
}

static long see_constant(struct task_struct *task, struct vm_area_struct *vma, bool *constant)
{
	(void)task;
	*constant = !(vma->vm_flags & VM_WRITE);
	return 0;
}

/* Memory that the process cannot write is after a call what it was before. */
static __always_inline bool is_constant(const void *address)
{
	bool constant = false;

	if (bpf_core_enum_value_exists(enum bpf_func_id, BPF_FUNC_find_vma))
		(void)bpf_find_vma(bpf_get_current_task_btf(), (__u64)address, see_constant,
				   &constant, 0);
	return constant;
}

#endif

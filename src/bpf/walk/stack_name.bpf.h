/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names a stack without sending a sample: for programs that add up by stack. */
#ifndef BPF_STACK_NAME_BPF_H
#define BPF_STACK_NAME_BPF_H

#include "bpf/walk/stack_out.bpf.h"

/* The name of the stack in memory, which user space will know. 0 = it will not. */
static __noinline __u64 name_stack(void *ring, struct cpu_memory *memory)
{
	struct outgoing *out = &memory->out;
	struct naming naming;
	__u64 bytes, name;

	name = find_base(memory, cpu_node_root(seed, memory->walk.stop), &naming);
	if (!naming.hang)
		return name;
	out->head.kind = CPU_DEFINE;
	out->head.base = naming.base;
	out->head.frames = naming.hang;
	bytes = sizeof(out->head) + 8ull * naming.hang;
	UNWIND_OPAQUE(bytes);
	if (bytes > sizeof(*out) || bpf_ringbuf_output(ring, out, bytes, wakeup(ring, false)))
		return 0;
	remember_rest(memory, &naming);
	return name;
}

#endif

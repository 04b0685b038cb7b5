/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads of mapped files: page faults that read pages from a disk, as requests of their own. The
 * kernel has no event at the end of a fault: its length is that of its wait. A fault for a page
 * that is there already costs nothing and is not seen. Before including this, define `enabled`. */
#ifndef BPF_IO_FAULT_BPF_H
#define BPF_IO_FAULT_BPF_H

#include "bpf/io/io_disk.bpf.h"
#include "bpf/lock/lock_stack.bpf.h"

/* The current thread reads a page, in no call: it is in a fault if it is in none at all. */
static __always_inline int begin_fault(void *ctx, struct task_struct *task, struct io_call *call,
				       const struct page *page)
{
	struct thread *thread = thread_of(task);
	__u64 now_ns = lock_now();
	struct inode *inode;
	uint64_t arg[3];

	if (!thread || !enabled || task->flags & PF_KTHREAD ||
	    arch_syscall((const struct pt_regs *)bpf_task_pt_regs(task), arg) >= 0)
		return 0;
	inode = BPF_CORE_READ(page, mapping, host);
	call->fault.key.inode = BPF_CORE_READ(inode, i_ino);
	call->fault.key.generation = BPF_CORE_READ(inode, i_generation);
	call->fault.key.device = BPF_CORE_READ(inode, i_sb, s_dev);
	call->fault.key.pid = (__u32)task->tgid;
	call->fault.key.tid = (__u32)task->pid;
	call->fault.key.operation = IO_FAULT;
	call->fault.key.file_kind = IO_FILE_REGULAR;
	(void)take_place(ctx, &call->fault.stand, LOCK_STACK_USER, now_ns);
	call->fault.key.stack = call->fault.stand.stack.name;
	call->fault.key.flags = call->fault.stand.stack.raw ? IO_RAW_STACK : 0;
	call->role.operation_plus_one = IO_FAULT + 1;
	call->role.fd = call->role.offset = 0;
	__builtin_memset(call->layer_ns, 0, sizeof(call->layer_ns));
	call->read_pages = 1;
	call->bio_disk = 0;
	call->waits = call->of_disk = false;
	call->since_ns = now_ns;
	call->fault.open = call->open = true;
	return 0;
}

/* Whichever comes first: it has waited, does something else, or begins a call. Returns whether one
 * was open. in_interrupt: a switch counts as one. */
SUBPROGRAM int end_fault(struct io_call *call, __u32 in_interrupt)
{
	struct io_making *making;
	struct disk_wait *disk;
	__u64 now_ns = lock_now();
	__u32 tid;

	if (!call || !call->fault.open)
		return 0;
	making = making_here(in_interrupt);
	if (!making)
		return 0;
	call->fault.open = call->open = false;
	making->key = call->fault.key;
	making->sum.count = 1;
	for (__u32 i = 0; i < IO_LAYER_COUNT; i++) {
		making->sum.layer_ns[i] = call->layer_ns[i];
		making->sum.ns += call->layer_ns[i];
	}
	making->sum.read_pages = call->read_pages;
	making->sum.disk = call->bio_disk;
	tid = making->key.tid;
	disk = call->of_disk ? bpf_map_lookup_elem(&disk_waits, &tid) : NULL;
	if (disk) {
		making->sum.requests = disk->requests;
		making->sum.disk_read = making->sum.bytes = disk->read_bytes;
		making->sum.disk = disk->disk;
		(void)bpf_map_delete_elem(&disk_waits, &tid);
	}
	(void)add_request(in_interrupt, now_ns);
	return 1;
}

#endif

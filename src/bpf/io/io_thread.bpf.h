/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The request that a thread is in. */
#ifndef BPF_IO_THREAD_BPF_H
#define BPF_IO_THREAD_BPF_H

#include "bpf/lock/lock_thread.bpf.h"

#include "event/io_request.h"
#include "event/syscall.h"

/* Set before loading. */
const volatile struct io_role role_of_call[SYSCALL_NUMBERS];

/* A page fault that reads. */
struct io_fault {
	bool open;
	struct io_key key;
	struct lock_stand stand;
};

struct io_call {
	bool open;
	bool waits;	 /* it has left the CPU */
	bool of_disk;	 /* it made requests to disks */
	bool of_journal; /* a thread of a journal has woken it */
	struct io_role role;
	__u32 account;
	__u64 since_ns, left_ns, woken_ns;
	__u64 arg[SYSCALL_ARGS];
	__u64 layer_ns[IO_LAYER_COUNT];
	__u64 bio_disk; /* that a bio went to, such as one without requests; 0 = none */
	__u64 read_pages;
	/* The file that it read or wrote last, and where it ended. */
	__u64 last_inode, last_end;
	struct io_fault fault; /* while it is open, it is the call */
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct io_call);
} calls SEC(".maps");

static __always_inline struct io_call *call_of_task(struct task_struct *task)
{
	return bpf_task_storage_get(&calls, task, NULL, 0);
}

/* Requests to disks of a thread's open call. They end in interrupts, which find them by thread id.
 * covered_ns: the time until which the wait is in queue_ns or device_ns. */
struct disk_wait {
	__u64 covered_ns;
	__u64 queue_ns, device_ns;
	__u64 requests, read_bytes, written_bytes;
	__u64 disk;
	__u64 waits; /* the thread has left the CPU */
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 65536);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, __u32);
	__type(value, struct disk_wait);
} disk_waits SEC(".maps");

static __always_inline void add_layer(struct io_call *call, __u64 layer, __u64 ns)
{
	UNWIND_OPAQUE(layer);
	if (layer < IO_LAYER_COUNT)
		call->layer_ns[layer] += ns;
}

static __always_inline __u32 layer_of_account(__u32 account)
{
	switch (account) {
	case LEDGER_DISK:
	case LEDGER_PAGE_FAULT:
		return IO_LAYER_OTHERS;
	case LEDGER_NET:
		return IO_LAYER_NET;
	case LEDGER_PIPE:
	case LEDGER_TERMINAL:
		return IO_LAYER_PIPE;
	case LEDGER_LOCK:
	case LEDGER_KERNEL_LOCK:
		return IO_LAYER_LOCK;
	default:
		return IO_LAYER_OTHER;
	}
}

/* Of a wait that is not for its own requests. Devices stacked upon others have none, only bios. */
static __always_inline __u32 layer_of_wait(const struct io_call *call)
{
	if (call->of_journal)
		return IO_LAYER_JOURNAL;
	if (call->account == LEDGER_DISK && call->bio_disk && !call->of_disk)
		return IO_LAYER_DEVICE;
	return layer_of_account(call->account);
}

/* The thread has left its CPU in a call. */
static __always_inline void begin_wait(struct io_call *call, __u32 tid, __u32 account, __u64 now_ns)
{
	struct disk_wait *disk;

	call->waits = true;
	call->account = account;
	call->left_ns = now_ns;
	call->woken_ns = account <= LEDGER_PREEMPTED ? now_ns : 0;
	call->of_journal = false;
	if (!call->of_disk)
		return;
	disk = bpf_map_lookup_elem(&disk_waits, &tid);
	if (!disk)
		return;
	disk->covered_ns = now_ns;
	disk->queue_ns = disk->device_ns = 0;
	disk->waits = call->woken_ns == 0;
}

/* It runs again: each part of the wait is in a layer. */
static __noinline int end_wait(struct io_call *call, __u32 tid, __u64 now_ns)
{
	struct disk_wait *disk = NULL;
	__u64 woken_ns, blocked_ns, part_ns;

	if (!call)
		return 0;
	call->waits = false;
	woken_ns = call->woken_ns ? call->woken_ns : now_ns;
	if (woken_ns > now_ns)
		woken_ns = now_ns;
	blocked_ns = woken_ns > call->left_ns ? woken_ns - call->left_ns : 0;
	call->layer_ns[IO_LAYER_CPU] += now_ns - call->left_ns - blocked_ns;
	if (call->of_disk)
		disk = bpf_map_lookup_elem(&disk_waits, &tid);
	if (disk) {
		disk->waits = 0;
		part_ns = disk->queue_ns < blocked_ns ? disk->queue_ns : blocked_ns;
		call->layer_ns[IO_LAYER_QUEUE] += part_ns;
		blocked_ns -= part_ns;
		part_ns = disk->device_ns < blocked_ns ? disk->device_ns : blocked_ns;
		call->layer_ns[IO_LAYER_DEVICE] += part_ns;
		blocked_ns -= part_ns;
	}
	add_layer(call, layer_of_wait(call), blocked_ns);
	return 0;
}

#endif

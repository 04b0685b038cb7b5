/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The locks of programs that user space has been sent, so that each is sent once. */
#ifndef BPF_LEDGER_TOLD_LOCK_BPF_H
#define BPF_LEDGER_TOLD_LOCK_BPF_H

#include "bpf/ledger/ledger_account.bpf.h"

struct told_lock {
	__u64 lock, tgid;
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 4096); /* more have no names */
	__type(key, struct told_lock);
	__type(value, __u8);
} told_locks SEC(".maps");

/* The thread is about to wait for thread->lock. */
static __noinline int tell_lock(struct thread *thread)
{
	struct told_lock key = { 0 };
	struct ledger_lock lock = { 0 };
	__u8 yes = 1;

	if (!thread)
		return 0;
	key.lock = thread->lock;
	key.tgid = thread->ledger.tgid;
	thread->told_lock = thread->lock;
	if (bpf_map_update_elem(&told_locks, &key, &yes, BPF_NOEXIST))
		return 0;
	lock.address = thread->lock;
	lock.tgid = thread->ledger.tgid;
	lock.tid = thread->ledger.tid;
	if (bpf_ringbuf_output(&ended, &lock, sizeof(lock), 0))
		(void)bpf_map_delete_elem(&told_locks, &key); /* the next wait tells it */
	return 0;
}

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Ledgers of the idle tasks: one per CPU, without a thread id. Time off the CPU counts as idle as
 * well: waiting for something to do. */
#ifndef BPF_IDLE_BPF_H
#define BPF_IDLE_BPF_H

#include "bpf/kernel.h"

#include <bpf/bpf_helpers.h>

#include "bpf/ledger/ledger_account.bpf.h"

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct thread);
} idle_tasks SEC(".maps");

const volatile bool with_idle;

static __always_inline void book_idle(__u32 account, __u64 now_ns)
{
	__u32 zero = 0;
	struct thread *idle = bpf_map_lookup_elem(&idle_tasks, &zero);

	if (!idle)
		return;
	if (idle->ledger.born_ns)
		(void)charge(idle, account, now_ns);
	idle->ledger.account = account;
	idle->ledger.since_ns = now_ns;
	if (!idle->ledger.born_ns)
		idle->ledger.born_ns = now_ns;
}

#endif

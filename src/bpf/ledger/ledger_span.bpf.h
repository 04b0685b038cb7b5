/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Single intervals of ledgers, for a timeline. */
#ifndef BPF_LEDGER_SPAN_BPF_H
#define BPF_LEDGER_SPAN_BPF_H

#include "bpf/kernel.h"

#include "event/ledger_account.h"

#include <bpf/bpf_helpers.h>

#include "bpf/ledger/ledger_account.bpf.h"

/* User space comes by itself. */
struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096); /* more if they are reported */
} spans SEC(".maps");

const volatile bool emit_spans;

static __always_inline bool is_lock(__u32 account)
{
	return account == LEDGER_LOCK || account == LEDGER_KERNEL_LOCK || account == LEDGER_THREAD;
}

/* That an interval is over, and how it ended. */
static __always_inline void emit_span(const struct ledger_edge_key *key, __u64 end_ns, __u64 ns)
{
	struct ledger_span span = { .start_ns = end_ns - ns, .ns = ns };

	if (!emit_spans || key->account >= LEDGER_ACCOUNTS)
		return;
	__builtin_memcpy(&span.key, key, sizeof(span.key));
	if (!is_lock(key->account))
		span.key.lock = 0; /* there may be any number of them */
	if (bpf_ringbuf_output(&spans, &span, sizeof(span), BPF_RB_NO_WAKEUP))
		__sync_fetch_and_add(&counts.lost_spans, 1);
}

#endif

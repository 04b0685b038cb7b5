/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a CPU serves besides its thread, so that wakers are named rightly: the thread on a CPU has
 * nothing to do with what an interrupt does there. Told by the tracepoints around handlers, because
 * the kernel's own preemption count cannot be read on all kernels. */
#ifndef BPF_INTERRUPTS_BPF_H
#define BPF_INTERRUPTS_BPF_H

#include <stdbool.h>

#include "bpf/kernel.h"

#include "event/ledger_account.h"

#include <bpf/bpf_helpers.h>

#include <bpf/bpf_tracing.h>

#define BLOCK_SOFTIRQ 4 /* linux/interrupt.h */

/* What interrupted the thread on this CPU. Timers are hard or soft interrupts as well. */
struct interrupts {
	__u32 timers, irqs, irq, softirq;
	__u32 turn; /* counts the things that the CPU turned to */
	bool in_softirq;
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct interrupts);
} interrupts SEC(".maps");

static __always_inline struct interrupts *interrupts_here(void)
{
	__u32 zero = 0;

	return bpf_map_lookup_elem(&interrupts, &zero);
}

SEC("tp_btf/irq_handler_entry")
int BPF_PROG(on_irq, int number)
{
	struct interrupts *here = interrupts_here();

	if (here) {
		here->irqs++;
		here->turn++;
		here->irq = (__u32)number;
	}
	return 0;
}

SEC("tp_btf/irq_handler_exit")
int BPF_PROG(on_irq_done)
{
	struct interrupts *here = interrupts_here();

	if (here && here->irqs)
		here->irqs--;
	return 0;
}

SEC("tp_btf/softirq_entry")
int BPF_PROG(on_softirq, unsigned int vector)
{
	struct interrupts *here = interrupts_here();

	if (here) {
		here->in_softirq = true;
		here->turn++;
		here->softirq = vector;
	}
	return 0;
}

SEC("tp_btf/softirq_exit")
int BPF_PROG(on_softirq_done)
{
	struct interrupts *here = interrupts_here();

	if (here)
		here->in_softirq = false;
	return 0;
}

static __always_inline int enter_timer(void)
{
	struct interrupts *here = interrupts_here();

	if (here)
		here->timers++;
	return 0;
}

static __always_inline int leave_timer(void)
{
	struct interrupts *here = interrupts_here();

	if (here && here->timers)
		here->timers--;
	return 0;
}

SEC("tp_btf/hrtimer_expire_entry")
int BPF_PROG(on_hrtimer)
{
	return enter_timer();
}

SEC("tp_btf/hrtimer_expire_exit")
int BPF_PROG(on_hrtimer_done)
{
	return leave_timer();
}

SEC("tp_btf/timer_expire_entry")
int BPF_PROG(on_timer)
{
	return enter_timer();
}

SEC("tp_btf/timer_expire_exit")
int BPF_PROG(on_timer_done)
{
	return leave_timer();
}

/* The thread that happens to be on the CPU is the waker only outside of interrupts. */
static __always_inline void find_waker(struct ledger_edge_key *key, __u32 tid)
{
	const struct interrupts *here = interrupts_here();

	key->waker = LEDGER_WAKER_THREAD;
	key->other_tid = tid;
	if (!here)
		return;
	if (here->timers) {
		key->waker = LEDGER_WAKER_TIMER;
		key->other_tid = 0;
	} else if (here->irqs) {
		key->waker = LEDGER_WAKER_IRQ;
		key->other_tid = here->irq;
	} else if (here->in_softirq) {
		key->waker = LEDGER_WAKER_SOFTIRQ;
		key->other_tid = here->softirq;
	}
}

/* What ended a wait for a ring's requests: a device, so they were for a disk, or another event. */
static __always_inline __u32 ring_account(void)
{
	const struct interrupts *here = interrupts_here();

	return here && !here->timers &&
			       (here->irqs || (here->in_softirq && here->softirq == BLOCK_SOFTIRQ))
		       ? LEDGER_DISK
		       : LEDGER_POLL;
}

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Interrupts and soft interrupts, with the time of their handlers. A soft interrupt's time includes
 * the interrupts that come meanwhile. */
#ifndef BPF_ACTIVITY_INTERRUPT_BPF_H
#define BPF_ACTIVITY_INTERRUPT_BPF_H

#include "bpf/activity/deliver.bpf.h"

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct irqaction {
	const char *name;
};

#pragma clang attribute pop

/* When those that are served on a CPU began; 0 = none is. */
struct serving {
	__u64 irq_ns, softirq_ns;
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct serving);
} servings SEC(".maps");

static __always_inline struct serving *serving_here(void)
{
	const __u32 zero = 0;

	if (rules.cpu_plus_one && bpf_get_smp_processor_id() + 1 != rules.cpu_plus_one)
		return NULL;
	return bpf_map_lookup_elem(&servings, &zero);
}

/* What began then has ended; NULL: it is not known when it began. */
static __always_inline struct activity *end_interrupt(__u32 kind, __u64 *began_ns, __u64 number)
{
	struct activity *activity;

	if (!*began_ns)
		return NULL;
	activity = begin_activity(kind);
	if (!activity)
		return NULL;
	activity->ns = activity->time_ns - *began_ns;
	activity->number[INTERRUPT_CPU] = bpf_get_smp_processor_id();
	activity->number[INTERRUPT_NUMBER] = number;
	*began_ns = 0;
	return activity;
}

SEC("raw_tp/irq_handler_entry")
int on_irq_begin(struct bpf_raw_tracepoint_args *ctx)
{
	struct serving *serving = serving_here();

	if (serving)
		serving->irq_ns = bpf_ktime_get_ns();
	return 0;
}

SEC("raw_tp/irq_handler_exit")
int on_irq_end(struct bpf_raw_tracepoint_args *ctx)
{
	const struct irqaction *action = (const struct irqaction *)ctx->args[1];
	struct serving *serving = serving_here();
	struct activity *activity;
	long len;

	if (!serving)
		return 0;
	activity = end_interrupt(ACTIVITY_IRQ, &serving->irq_ns, (__u32)ctx->args[0]);
	if (!activity)
		return 0;
	len = bpf_probe_read_kernel_str(activity->text, 64, BPF_CORE_READ(action, name));
	activity->text_len = len > 0 ? (__u32)len - 1 : 0;
	return deliver(activity);
}

SEC("raw_tp/softirq_entry")
int on_softirq_begin(struct bpf_raw_tracepoint_args *ctx)
{
	struct serving *serving = serving_here();

	if (serving)
		serving->softirq_ns = bpf_ktime_get_ns();
	return 0;
}

SEC("raw_tp/softirq_exit")
int on_softirq_end(struct bpf_raw_tracepoint_args *ctx)
{
	struct serving *serving = serving_here();
	struct activity *activity =
		serving ? end_interrupt(ACTIVITY_SOFTIRQ, &serving->softirq_ns, (__u32)ctx->args[0])
			: NULL;

	return activity ? deliver(activity) : 0;
}

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A profile with the kernel's work on two CPUs, for the tests of kwork. */
#ifndef TEST_UNIT_KWORK_EVENTS_H
#define TEST_UNIT_KWORK_EVENTS_H

#include <stdint.h>

#include "profile/kwork.h"
#include "profile/profile.h"

#define ALL ((1u << KWORK_CLASSES) - 1)

static inline void put(struct profile *p, const char *event, uint64_t time_us, uint32_t cpu,
		       const uint64_t value[KWORK_VALUES])
{
	struct frame frame = { .function = strtab_puts(p->strings, "flush"), .kind = FRAME_KERNEL };
	struct profile_sample sample = { .event = profile_event(p, event, "count"),
					 .thread = profile_thread(p, 7, cpu ? 7 : 0, "app"),
					 .cpu = cpu,
					 .time_ns = time_us * 1000,
					 .weight = 1,
					 .addr = p->values.count };

	if (value[KWORK_FUNCTION])
		sample.stack = profile_stack_push(p, STACK_EMPTY, profile_frame(p, &frame));
	for (size_t i = 0; i < KWORK_VALUES; i++)
		vec_push(&p->values, value[i]);
	profile_add(p, &sample);
}

static inline struct profile *make(void)
{
	struct profile *p = profile_new(PROFILE_KEEP_TIME | PROFILE_KEEP_CPU | PROFILE_KEEP_ADDR |
					PROFILE_ADDR_IS_VALUES);
	const uint64_t disk = strtab_puts(p->strings, "disk").v;
	const uint64_t irq[KWORK_VALUES] = { [KWORK_IRQ_NUMBER] = 41, [KWORK_IRQ_NAME] = disk };
	const uint64_t timer[KWORK_VALUES] = { [KWORK_VECTOR] = 1 };
	const uint64_t work[KWORK_VALUES] = { [KWORK_FUNCTION] = 0xffff, [KWORK_WORK] = 0x10 };
	const uint64_t next[KWORK_VALUES] = { [KWORK_NEXT_TID] = 7 };
	const uint64_t none[KWORK_VALUES] = { 0 };

	put(p, "irq:irq_handler_exit", 1000, 0, irq); /* it began before */
	put(p, "irq:softirq_raise", 1010, 0, timer);
	put(p, "irq:softirq_raise", 1015, 0, timer);
	put(p, "irq:softirq_entry", 1020, 0, timer);
	put(p, "irq:irq_handler_entry", 1022, 0, irq); /* meanwhile */
	put(p, "irq:irq_handler_exit", 1025, 0, irq);
	put(p, "irq:softirq_exit", 1040, 0, timer);
	put(p, "workqueue:workqueue_activate_work", 1050, 0, work);
	put(p, "workqueue:workqueue_execute_start", 1150, 1, work); /* on another CPU */
	put(p, "workqueue:workqueue_execute_end", 1250, 1, work);
	put(p, "sched:sched_switch", 1500, 1, none); /* thread 7 leaves */
	put(p, "sched:sched_switch", 1600, 0, next); /* the idle task does */
	put(p, "other:event", 2000, 0, none);
	return p;
}

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A small ledger for tests of its views. */
#ifndef TEST_UNIT_LEDGER_SCENE_H
#define TEST_UNIT_LEDGER_SCENE_H

#include "profile/ledger/ledger.h"

/* A reader that waited for a slow disk three times out of four, and for a lock of a writer. */
static inline void ledger_scene(struct ledger *ledger)
{
	struct ledger_thread reader = {
		.tid = 11, .tgid = 10, .comm = "reader", .born_ns = 1000, .end_ns = 1001000
	};
	struct ledger_thread writer = {
		.tid = 12, .tgid = 10, .comm = "wri\"ter", .born_ns = 1000, .end_ns = 1001000
	};
	struct ledger_link disk = { .key = { .waiter_tid = 11,
					     .other_tid = 4,
					     .device = 253 << LEDGER_MINOR_BITS,
					     .relation = LEDGER_WOKEN_BY,
					     .waker = LEDGER_WAKER_SOFTIRQ,
					     .account = LEDGER_DISK },
				    .edge.wait = { 450000, 3, 200000 } };
	struct ledger_link held = { .key = { .lock = 0xabc,
					     .waiter_tid = 11,
					     .other_tid = 12,
					     .relation = LEDGER_HELD_BY,
					     .account = LEDGER_LOCK },
				    .edge = { .wait = { 300000, 2, 160000 },
					      .other_comm = "wri\"ter" } };
	struct ledger_device slow = { 253 << LEDGER_MINOR_BITS, "dm-0", "slow, part of md0" };

	*ledger = (struct ledger){ .start_ns = 1000, .end_ns = 1001000 };
	reader.user_ns = 1;
	reader.cell[LEDGER_RUNNING] = (struct ledger_cell){ 200000, 7, 50000 };
	reader.cell[LEDGER_DISK] = (struct ledger_cell){ 500000, 4, 200000 };
	reader.cell[LEDGER_LOCK] = (struct ledger_cell){ 300000, 2, 160000 };
	writer.system_ns = 1;
	writer.cell[LEDGER_RUNNING] = (struct ledger_cell){ 990000, 1, 990000 };
	held.edge.owner_ns[LEDGER_RUNNING] = 300000;
	vec_push(&ledger->thread, reader);
	vec_push(&ledger->thread, writer);
	vec_push(&ledger->link, held);
	vec_push(&ledger->link, disk);
	vec_push(&ledger->device, slow);
	ledger_finish(ledger);
}

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* view/ledger/ledger_text: devices stand below the reason, what is not known of them last; locks
 * and devices in the list of who blocked whom. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "profile/ledger/ledger.h"
#include "view/ledger/ledger_view.h"

/* A reader that waited for a slow disk three times out of four, and for a lock of a writer. */
static void fill(struct ledger *ledger)
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

static void test_devices(void **state)
{
	struct ledger_view_options options = { .max_rows = 20 };
	struct ledger ledger;
	struct buf out = { 0 };

	(void)state;
	fill(&ledger);
	ledger_text(&ledger, &options, &out);
	assert_non_null(strstr(
		out.data,
		"    disk                  0.001   25.0%           4   125.00 us   200.00 us\n"
		"      dm-0                0.000   22.5%           3   150.00 us   200.00 us"
		"  slow, part of md0\n"
		"      unknown device      0.000    2.5%           1    50.00 us\n"));
	assert_non_null(strstr(out.data, "reader:11 blocked disk dm-0, woken by softirq 4\n"));
	assert_non_null(strstr(out.data, "reader:11 blocked lock 0xabc, held by wri\"ter:12\n"
					 "      |-  300.00 us  the holder was running\n"));
	assert_non_null(strstr(out.data, "unaccounted 0.500 %\n"));
	buf_done(&out);
	ledger_done(&ledger);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_devices),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* view/ledger/ledger_json: the whole of version 1, which other programs read. A change here is a
 * change for all of them; what is new may only be added. */
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

static void test_version_1(void **state)
{
	struct ledger ledger;
	struct buf out = { 0 };

	(void)state;
	fill(&ledger);
	ledger_json(&ledger, NULL, &out);
	assert_string_equal(out.data,
			    "{\"cupel\":1,\"duration_ns\":1000000,\"threads\":["
			    "{\"pid\":10,\"tid\":11,\"comm\":\"reader\","
			    "\"lifetime_ns\":1000000,\"states\":{\"running-user\":200000,"
			    "\"running-kernel\":0,\"runnable\":0,\"blocked\":800000,\"idle\":0},"
			    "\"unaccounted_ns\":0},"
			    "{\"pid\":10,\"tid\":12,\"comm\":\"wri\\\"ter\","
			    "\"lifetime_ns\":1000000,\"states\":{\"running-user\":0,"
			    "\"running-kernel\":990000,\"runnable\":0,\"blocked\":0,\"idle\":0},"
			    "\"unaccounted_ns\":10000}],"
			    "\"reasons\":["
			    "{\"state\":\"blocked\",\"reason\":\"lock\","
			    "\"ns\":300000,\"count\":2,\"max_ns\":160000},"
			    "{\"state\":\"blocked\",\"reason\":\"disk\","
			    "\"ns\":500000,\"count\":4,\"max_ns\":200000,\"devices\":["
			    "{\"device\":\"dm-0\",\"about\":\"slow, part of md0\","
			    "\"ns\":450000,\"count\":3,\"max_ns\":200000},"
			    "{\"device\":null,\"about\":\"\",\"ns\":50000,\"count\":1}]}],"
			    "\"blocked_by\":["
			    "{\"waiter\":\"reader:11\",\"lock\":null,"
			    "\"holder\":\"[softirq block]\",\"device\":\"dm-0\","
			    "\"relation\":\"woken-by\",\"state\":\"blocked\",\"reason\":\"disk\","
			    "\"ns\":450000,\"count\":3,\"then\":[]},"
			    "{\"waiter\":\"reader:11\",\"lock\":\"0xabc\","
			    "\"holder\":\"wri\\\"ter:12\","
			    "\"relation\":\"held-by\",\"state\":\"blocked\",\"reason\":\"lock\","
			    "\"ns\":300000,\"count\":2,\"then\":["
			    "{\"waiter\":\"wri\\\"ter:12\",\"lock\":null,\"holder\":null,"
			    "\"relation\":null,\"state\":\"running\",\"reason\":\"\","
			    "\"ns\":300000,\"count\":null,\"then\":[]}]}],\"ran_instead\":[],"
			    "\"lost\":{\"threads\":0,\"edges\":0,\"untracked\":0}}\n");
	buf_done(&out);
	ledger_done(&ledger);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_version_1),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

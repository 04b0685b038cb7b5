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
#include "ledger_scene.h"
#include "profile/ledger/ledger.h"
#include "view/ledger/ledger_view.h"

static void test_version_1(void **state)
{
	struct ledger ledger;
	struct buf out = { 0 };

	(void)state;
	ledger_scene(&ledger);
	ledger_json(&ledger, NULL, &out);
	assert_string_equal(
		out.data,
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
		"\"lost\":{\"threads\":0,\"edges\":0,\"intervals\":0,\"untracked\":0}}\n");
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

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* view/ledger/ledger_text: devices stand below the reason, what is not known of them last; locks
 * and devices in the list of blockers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/buf.h"
#include "event/lock_wait.h"
#include "ledger_scene.h"
#include "profile/ledger/ledger.h"
#include "view/ledger/ledger_view.h"

static void test_devices(void **state)
{
	struct ledger_view_options options = { .max_rows = 20 };
	struct ledger ledger;
	struct buf out = { 0 };

	(void)state;
	ledger_scene(&ledger);
	ledger_text(&ledger, &options, &out);
	assert_non_null(strstr(
		out.data,
		"    disk                  0.001   25.0%           4   125.00 us   200.00 us\n"
		"      dm-0                0.000   22.5%           3   150.00 us   200.00 us"
		"  slow, part of md0\n"
		"      unknown device      0.000    2.5%           1    50.00 us\n"));
	assert_non_null(strstr(out.data, "reader:11 blocked disk dm-0, woken by softirq block\n"));
	assert_non_null(strstr(out.data, "reader:11 blocked lock 0xabc, held by wri\"ter:12\n"
					 "      |-  300.00 us  the holder was running\n"));
	assert_non_null(strstr(out.data, "unaccounted 0.500 %\n"));
	buf_done(&out);
	ledger_done(&ledger);
}

static void test_names_of_locks(void **state)
{
	struct ledger_view_options options = { .max_rows = 20 };
	struct ledger_link kernel = {
		.key = { .lock = 0xffff8880aa, .waiter_tid = 12, .account = LEDGER_KERNEL_LOCK },
		.edge.wait = { 1000, 1, 1000 }
	};
	struct ledger ledger;
	struct buf out = { 0 };

	(void)state;
	ledger_scene(&ledger);
	/* an address of another process is another lock */
	vec_push(&ledger.lock, ((struct ledger_lock_name){ 0xabc, 99, mem_strdup("other") }));
	vec_push(&ledger.lock, ((struct ledger_lock_name){ 0xabc, 10, mem_strdup("cache+0x8") }));
	vec_push(&ledger.lock, ((struct ledger_lock_name){ 0xffff8880aa, 0, mem_strdup("rtnl") }));
	vec_push(&ledger.link, kernel);
	kernel.key.lock++;
	kernel.key.lock_flags = LOCK_MMAP;
	vec_push(&ledger.link, kernel);
	ledger_finish(&ledger);
	ledger_text(&ledger, &options, &out);
	assert_non_null(strstr(out.data, "reader:11 blocked lock cache+0x8, held by wri"));
	assert_non_null(strstr(out.data, " blocked kernel-lock rtnl, "));
	assert_non_null(strstr(out.data, " blocked kernel-lock mmap_lock, "));
	buf_clear(&out);
	ledger_json(&ledger, NULL, &out);
	assert_non_null(strstr(out.data, "\"lock\":\"0xabc\",\"lock_name\":\"cache+0x8\","));
	buf_done(&out);
	ledger_done(&ledger);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_devices),
		cmocka_unit_test(test_names_of_locks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

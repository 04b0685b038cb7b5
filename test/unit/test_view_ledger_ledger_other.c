/* SPDX-License-Identifier: GPL-2.0-or-later */
/* view/ledger/ledger_other: text for the end of a wait; names that fill all their bytes or
 * carry control characters, and vectors that no kernel has. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "profile/ledger/ledger.h"
#include "view/ledger/ledger_view.h"

static void expect(enum ledger_relation relation, enum ledger_waker waker, uint32_t id,
		   const char *comm, const char *text)
{
	struct ledger_link link = {
		.key = { .relation = (uint8_t)relation, .waker = (uint8_t)waker, .other_tid = id }
	};
	struct buf out = { 0 };

	memcpy(link.edge.other_comm, comm, strnlen(comm, sizeof(link.edge.other_comm)));
	ledger_put_other(&link, true, &out);
	assert_string_equal(out.data, text);
	buf_done(&out);
}

static void test_words(void **state)
{
	(void)state;
	expect(LEDGER_HELD_BY, LEDGER_WAKER_THREAD, 12, "worker", "held by worker:12");
	expect(LEDGER_RELEASED_BY, LEDGER_WAKER_THREAD, 1, "0123456789abcdef",
	       "released by 0123456789abcdef:1");
	expect(LEDGER_RAN_INSTEAD, LEDGER_WAKER_THREAD, 7, "a\nb", "ran instead: a?b:7");
	expect(LEDGER_WOKEN_BY, LEDGER_WAKER_TIMER, 0, "", "woken by a timer");
	expect(LEDGER_WOKEN_BY, LEDGER_WAKER_IRQ, 36, "", "woken by interrupt 36");
	expect(LEDGER_WOKEN_BY, LEDGER_WAKER_SOFTIRQ, 3, "", "woken by softirq net-receive");
	expect(LEDGER_WOKEN_BY, LEDGER_WAKER_SOFTIRQ, UINT32_MAX, "", "woken by softirq ?");
}

static void test_without_number(void **state)
{
	struct ledger_link link = { .key.other_tid = 12, .edge.other_comm = "worker" };
	struct buf out = { 0 };

	(void)state;
	ledger_put_other(&link, false, &out);
	assert_string_equal(out.data, "woken by worker");
	buf_done(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_without_number),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* view/ledger/ledger_pictures: every picture has the title and what the ledger says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/err.h"
#include "ledger_scene.h"
#include "profile/ledger/ledger_slices.h"
#include "view/ledger/ledger_pictures.h"

static void check(ledger_draw draw, bool html, const char *const *expected)
{
	struct ledger_slices slices = { 0 };
	struct ledger ledger;
	struct buf out = { 0 };
	struct err err = { 0 };
	struct ledger_picture picture = {
		.ledger = &ledger, .title = "a scene", .html = html, .slices = &slices
	};

	ledger_scene(&ledger);
	ledger_slices_finish(&slices, &ledger);
	assert_int_equal(draw(&picture, &out, &err), 0);
	assert_int_equal(buf_putc(&out, '\0'), 0);
	for (; *expected; expected++)
		assert_non_null(strstr(out.data, *expected));
	buf_done(&out);
	ledger_slices_done(&slices);
	ledger_done(&ledger);
}

static void test_pictures(void **state)
{
	const char *const svg[] = { "<svg", "Wall-clock time of a scene", "thread-seconds", NULL };
	const char *const html[] = { "<!DOCTYPE html>", "Wall-clock time of a scene", NULL };
	const char *const page[] = { "<!DOCTYPE html>", "a scene", NULL };
	const char *const trace[] = { "\"traceEvents\"", "reader", NULL };

	(void)state;
	check(ledger_flame_graph, false, svg);
	check(ledger_flame_graph, true, html);
	check(ledger_timeline_page, false, page);
	check(ledger_timeline_trace, false, trace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pictures),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

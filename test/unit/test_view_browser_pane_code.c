/* SPDX-License-Identifier: GPL-2.0-or-later */
/* view/browser: the code of rows without a name is asked for by an address in it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "profile/profile.h"
#include "view/browser/browser.h"
#include "view/browser/cells.h"
#include "view/report/report.h"

#define ROWS	12
#define ADDRESS 0x12c4

static char asked[64];

static int annotate(void *context, const struct browser_function *function, struct annotation **ret,
		    struct err *err)
{
	(void)context;
	(void)ret;
	(void)snprintf(asked, sizeof(asked), "%s %s 0x%llx", function->name, function->module,
		       (unsigned long long)function->start);
	return err_set(err, -2, "not here");
}

static void add_nameless(struct profile *profile)
{
	struct frame frame = { .function = STRING_EMPTY,
			       .module = profile_module(profile, "app", ""),
			       .offset = ADDRESS,
			       .kind = FRAME_USER };
	struct profile_sample sample = { .event = profile_event(profile, "cycles", "count"),
					 .thread = profile_thread(profile, 7, 7, "app"),
					 .stop = STACK_STOP_ROOT,
					 .cpu = PROFILE_NO_CPU,
					 .weight = 1,
					 .count = 1 };

	sample.stack = profile_stack_push(profile, sample.stack, profile_frame(profile, &frame));
	profile_add(profile, &sample);
	profile_count(profile);
}

static void test_code_without_a_name_is_found_by_address(void **state)
{
	const struct report_options view = { .graph = REPORT_GRAPH_NONE };
	const struct browser_host host = { .name = "perf.data", .annotate = annotate };
	struct profile *profile = profile_new(0);
	struct cells lines[ROWS] = { 0 };
	struct browser *browser;
	struct err err = { 0 };

	(void)state;
	add_nameless(profile);
	assert_int_equal(0, browser_new(profile, &view, &host, &browser, &err));
	browser_resize(browser, ROWS, 80);
	assert_int_equal(BROWSER_RUNS, browser_key(browser, 'a'));
	assert_string_equal(" app 0x12c4", asked);
	asked[0] = '\0';
	browser_show_code(browser, "0x00000000000012c4"); /* as top does */
	assert_string_equal(" app 0x12c4", asked);
	asked[0] = '\0';
	browser_show_code(browser, "0x00000000000012c5");
	assert_string_equal("", asked);
	browser_draw(browser, lines);
	for (size_t i = 0; i < ROWS; i++)
		cells_done(&lines[i]);
	browser_free(browser);
	profile_free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_code_without_a_name_is_found_by_address),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

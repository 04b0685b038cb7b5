/* SPDX-License-Identifier: GPL-2.0-or-later */
/* command/top/top_browser: top's keys reach the panes, and names cannot command the terminal.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "command/top/top_browser.h"
#include "command/top/top_keys.h"
#include "profile/profile.h"
#include "view/report/report.h"

static struct top_browser *begin(void)
{
	const struct report_options report = { .sort = "symbol" };
	static const char *const names[] = { "evil\033[2J", "good" };
	struct profile *p = profile_new(0);

	for (unsigned i = 0; i < 2; i++) {
		struct frame frame = { .function = strtab_puts(p->strings, names[i]) };
		struct profile_sample sample = { .event = profile_event(p, "cpu-clock", "ns"),
						 .thread = profile_thread(p, 1, 1, "x"),
						 .cpu = PROFILE_NO_CPU,
						 .weight = 5 - i };

		sample.stack = profile_stack_push(p, STACK_EMPTY, profile_frame(p, &frame));
		profile_add(p, &sample);
	}
	profile_count(p);
	return top_browser_open(&(struct top_browser_input){ .profile = p, .report = &report });
}

static void assert_draws(struct top_browser *b, const char *want)
{
	struct buf out = { 0 };

	top_browser_draw(b, 6, 60, &out);
	assert_non_null(strstr(out.data, want));
	assert_null(strstr(out.data, "\033[2J"));
	buf_done(&out);
}

static void test_top_browser__draws_and_leaves(void **state)
{
	struct top_browser *b = begin();

	(void)state;
	(void)unsetenv("NO_COLOR");
	assert_draws(b, "evil?[2J");
	top_browser_annotate(b, "nothing");
	assert_draws(b, "nothing: not among the functions here");
	top_browser_key(&b, TOP_KEY_DOWN);
	assert_draws(b, "[.] good");
	top_browser_key(&b, 'x');
	assert_draws(b, "Callers and callees of good");
	top_browser_key(&b, TOP_KEY_ESCAPE);
	assert_draws(b, "Samples: 2");
	top_browser_key(&b, 'q');
	assert_null(b);
	top_browser_free(b);
}

static void test_top_browser__obeys_no_color(void **state)
{
	struct top_browser *b;

	(void)state;
	(void)setenv("NO_COLOR", "1", 1);
	b = begin();
	assert_draws(b, "\033[7mSamples: 2");
	top_browser_free(b);
	(void)unsetenv("NO_COLOR");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_top_browser__draws_and_leaves),
		cmocka_unit_test(test_top_browser__obeys_no_color),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

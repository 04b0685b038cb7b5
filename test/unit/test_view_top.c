/* SPDX-License-Identifier: GPL-2.0-or-later */
/* view/top: a screen has as many lines and columns as there is room for, and says what is not in
 * its table. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/err.h"
#include "profile/profile.h"
#include "view/report/report.h"
#include "view/top.h"

static const struct report_options report = { .sort = "symbol", .brief = true };

/* Ten functions, function_9 the most expensive. */
static struct profile *ten(void)
{
	struct profile *p = profile_new(0);

	for (unsigned i = 0; i < 10; i++) {
		struct frame frame = { 0 };
		struct profile_sample sample = { .event = profile_event(p, "cpu-clock", "ns"),
						 .thread = profile_thread(p, 1, 1, "x"),
						 .stop = i ? STACK_STOP_ROOT : STACK_STOP_NO_TABLE,
						 .cpu = PROFILE_NO_CPU,
						 .weight = 1 + i };
		char name[32];

		(void)snprintf(name, sizeof(name), "fünction_%u", i);
		frame.function = strtab_puts(p->strings, name);
		sample.stack = profile_stack_push(p, STACK_EMPTY, profile_frame(p, &frame));
		profile_add(p, &sample);
	}
	p->meta.duration_ns = 2000000000;
	p->meta.lost_samples = 7;
	profile_count(p);
	return p;
}

static struct top_shown assert_screen(const struct top_view *view, const char *want)
{
	struct profile *p = ten();
	struct top_shown shown;
	struct buf screen = { 0 };
	struct err err = { 0 };

	assert_int_equal(top_screen(p, view, &shown, &screen, &err), 0);
	assert_string_equal(screen.data, want);
	buf_done(&screen);
	profile_free(p);
	return shown;
}

static void test_top__fits(void **state)
{
	(void)state;
	assert_screen(&(struct top_view){ .report = &report,
					  .rows = 6,
					  .columns = 28,
					  .cost = 0.0125,
					  .keys = "q: quit, and a lot of other keys" },
		      "10 samples, lost 7\n"
		      "# Samples: 10  of event 'cpu\n"
		      "# Overhead  Symbol\n"
		      "    18.18%  [.] fünction_9\n"
		      "    16.36%  [.] fünction_8\n"
		      "q: quit, and a lot of other\n");
	assert_screen(&(struct top_view){ .report = &report, .rows = 1, .columns = 16, .cost = -1 },
		      "10 samples, lost\n");
	assert_screen(&(struct top_view){ .report = &report, .rows = 4, .columns = 17, .cost = -1 },
		      "10 samples, lost\n"
		      "# Samples: 10  of\n"
		      "# Overhead  Symbo\n"
		      "    18.18%  [.] f\n");
	assert_screen(&(struct top_view){ .report = &report, .rows = 4, .columns = 18, .cost = -1 },
		      "10 samples, lost 7\n"
		      "# Samples: 10  of\n"
		      "# Overhead  Symbol\n"
		      "    18.18%  [.] fü\n");
}

static void test_top__says_what_is_left_out(void **state)
{
	(void)state;
	assert_screen(
		&(struct top_view){ .report = &report,
				    .entries = 1,
				    .whole_stacks = true,
				    .idle = 30,
				    .cost = 0.004,
				    .kernel = 5 },
		"cupel top: 10 samples in 2.0 s, lost 7, cost 0.4%, whole stacks 90.0%, kernel "
		"50.0%, idle 75.0%, 5 a second, few samples: shares are rough\n"
		"# Samples: 10  of event 'cpu-clock'\n"
		"# Overhead  Symbol\n"
		"    18.18%  [.] fünction_9\n");
}

/* A fact is there as a whole or not at all. */
static void test_top__facts_fit_80_columns(void **state)
{
	(void)state;
	assert_screen(&(struct top_view){ .report = &report,
					  .rows = 1,
					  .columns = 80,
					  .whole_stacks = true,
					  .idle = 30,
					  .cost = 0.004,
					  .kernel = 5 },
		      "cupel top: 10 samples in 2.0 s, lost 7, cost 0.4%, whole stacks 90.0%\n");
}

/* 40×8: the module's column gives way to the names. */
static void test_top__columns_give_way_to_names(void **state)
{
	static const struct report_options both = { .sort = "dso,symbol",
						    .brief = true,
						    .interval = REPORT_INTERVAL_COLUMNS };

	(void)state;
	assert_screen(&(struct top_view){ .report = &both, .rows = 4, .columns = 40, .cost = -1 },
		      "10 samples, lost 7, kernel 0.0%\n"
		      "# Samples: 10  of event 'cpu-clock'\n"
		      "# Overhead  Shared Obje  Symbol\n"
		      "    18.18%  [unknown]    [.] fünction_9\n");
}

static void test_top__scrolls_and_selects(void **state)
{
	struct top_shown shown;

	(void)state;
	shown = assert_screen(&(struct top_view){ .report = &report,
						  .rows = 6,
						  .columns = 28,
						  .first = 4,
						  .selected = 6,
						  .cost = -1,
						  .keys = "q quit" },
			      "10 samples, lost 7\n"
			      "# Samples: 10  of event 'cpu\n"
			      "# Overhead  Symbol\n"
			      "    10.91%  [.] fünction_5\n"
			      "     9.09%  [.] fünction_4\n"
			      "q quit\n");
	assert_int_equal(10, shown.lines);
	assert_int_equal(2, shown.room);
	assert_int_equal(4, shown.selected);
	assert_string_equal("fünction_4", shown.symbol);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_top__fits),
		cmocka_unit_test(test_top__says_what_is_left_out),
		cmocka_unit_test(test_top__facts_fit_80_columns),
		cmocka_unit_test(test_top__columns_give_way_to_names),
		cmocka_unit_test(test_top__scrolls_and_selects),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

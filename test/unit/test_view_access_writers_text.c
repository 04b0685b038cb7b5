/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writers of words as text and as JSON. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "profile/access/writers.h"
#include "profile/profile.h"
#include "view/access/writers_view.h"

static void test_writers_text__line_map(void **state)
{
	struct profile *p = profile_new(0);
	const struct frame frame = { .function = strtab_puts(p->strings, "adds") };
	const struct profile_sample sample = {
		.event = profile_event(p, "mem:0x1008/8:w", "count"),
		.stack = profile_stack_push(p, STACK_EMPTY, profile_frame(p, &frame)),
		.thread = profile_thread(p, 1, 5, "app\033"),
		.stop = STACK_STOP_ROOT,
		.weight = 1,
		.count = 3,
	};
	struct buf text = { 0 }, json = { 0 };
	struct writers writers;
	const struct writers_view view = { .profile = p,
					   .writers = &writers,
					   .name = "counters",
					   .base = 0x1000,
					   .words_of_line = 8,
					   .lost = 2 };

	(void)state;
	profile_add(p, &sample);
	writers_sum_up(p, &writers);
	writers_text(&view, &text);
	assert_non_null(strstr(text.data, "The cache line of counters at 0x1000: 3 writes\n"));
	assert_non_null(strstr(text.data, "no sharing seen"));
	assert_non_null(strstr(text.data, "+0x08\n          3  app? (5)  adds\n"));
	assert_non_null(strstr(text.data, "2 samples and records were lost"));
	writers_json(&view, &json);
	assert_non_null(strstr(json.data, "\"sharing\": \"none\""));
	assert_non_null(strstr(json.data, "\"offset\": 8, \"command\": \"app?\", \"tid\": 5"));
	buf_done(&text);
	buf_done(&json);
	writers_done(&writers);
	profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_writers_text__line_map),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* script -D: a record's bytes and its meaning, in perf's layout. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "event/perf_record.h"
#include "session/script/script_private.h"

static void test_dump__shows_bytes_and_the_text_of_a_record(void **state)
{
	static const struct {
		struct perf_event_header header;
		uint32_t pid, tid;
		char name[8];
	} record = { { PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC, sizeof(record) }, 5, 6, "ls" };
	const struct script_options options = { .name = "x.data" };
	struct script script = { .options = &options };
	struct event event = { .type = EVENT_COMM,
			       .pid = 5,
			       .tid = 6,
			       .has_time = true,
			       .time_ns = 77,
			       .file_offset = 0x108,
			       .raw = &record.header,
			       .comm = { record.name, true } };

	(void)state;
	script_put_dump(&script, &event, NULL);
	assert_string_equal(
		"\n0x108@x.data [0x18]: event: 3\n.\n. ... raw event: size 24 bytes\n"
		".  0000:  03 00 00 00 00 20 18 00 05 00 00 00 06 00 00 00  ..... ..........\n"
		".  0010:  6c 73 00 00 00 00 00 00                          ls......        \n\n"
		"77 0x108 [0x18]: PERF_RECORD_COMM exec: ls:5/6\n",
		script.out.data);
	buf_done(&script.out);
}

static void test_dump__names_records_that_have_no_text(void **state)
{
	static const struct perf_event_header record = { 82, 0, sizeof(record) };
	const struct script_options options = { .name = "x.data" };
	struct script script = { .options = &options };
	struct event event = { .type = EVENT_UNKNOWN, .raw = &record };
	char number[24];

	(void)state;
	script_put_dump(&script, &event, NULL);
	assert_non_null(strstr(script.out.data, ": PERF_RECORD_FINISHED_INIT\n"));
	assert_string_equal("type 200", perf_record_name(200, number, sizeof(number)));
	buf_done(&script.out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_dump__shows_bytes_and_the_text_of_a_record),
		cmocka_unit_test(test_dump__names_records_that_have_no_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Folded text in and out: every spelling that is read, and that nothing is lost on the way. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/err.h"
#include "format/folded/fold_stacks.h"
#include "format/folded/folded.h"
#include "format/format.h"
#include "format/input.h"
#include "profile/profile.h"

static struct profile *parse(const char *text)
{
	struct profile *profile = profile_new(0);

	folded_parse(text, strlen(text), profile);
	return profile;
}

static void assert_written(struct profile *profile, const char *event, const char *wanted)
{
	struct fold_options options = { .names = FOLD_NAMES_WHOLE, .event = event };
	struct buf text = { 0 };
	struct err err = { 0 };

	assert_int_equal(folded_write(profile, &options, &text, &err), 0);
	assert_string_equal(text.data ? text.data : "", wanted);
	buf_done(&text);
	profile_free(profile);
}

static void test_parse__sums_and_sorts_by_bytes(void **state)
{
	(void)state;
	assert_written(parse("a;b 1\na 2\na-b;c 3\na;b;c 4\na;b 5\na:b 6\n"), NULL,
		       "a 2\na-b;c 3\na:b 6\na;b 6\na;b;c 4\n");
}

static void test_parse__keeps_annotations(void **state)
{
	static const char text[] = "p;[unknown];[libc.so];k_[k];[[ext4]]_[k];j_[j];i_[i];w_[w];-;--"
				   ";[unknown]_[k] 7\n";
	struct profile *profile = parse(text);

	(void)state;
	assert_int_equal(profile->frames.item[3].kind, FRAME_KERNEL);
	assert_int_equal(profile->frames.item[5].kind, FRAME_JIT);
	assert_true(profile->frames.item[6].inlined);
	assert_int_equal(profile->frames.item[8].kind, FRAME_SEPARATOR);
	assert_written(profile, NULL, text);
}

static void test_parse__spellings(void **state)
{
	(void)state;
	assert_written(parse("# comment\r\na;b 1\r\n\r\na;b\t2\r\nfoo bar;x y 3"), NULL,
		       "a;b 3\nfoo bar;x y 3\n");
}

static void test_parse__fractions(void **state)
{
	(void)state;
	assert_written(parse("a 1\nb 0.5\nc 2.250\nd 3.0\na 0.000001\n"), NULL,
		       "a 1.000001\nb 0.5\nc 2.25\nd 3\n");
}

/* Samples are added a few at a time; weights that are waiting get the decimals of a later line,
 * too. */
static void test_parse__many_lines(void **state)
{
	struct profile *profile;
	struct buf text = { 0 };

	(void)state;
	for (int i = 0; i < 300; i++)
		(void)buf_printf(&text, "a;f%d 1%s\n", i % 3, i == 100 ? ".5" : "");
	profile = parse(text.data);
	assert_int_equal(profile->events.item[0].scale, 10);
	assert_int_equal(profile->events.item[0].weight, 3005);
	assert_int_equal(profile->events.item[0].samples, 301);
	assert_written(profile, NULL, "a;f0 100\na;f1 100.5\na;f2 100\n");
	buf_done(&text);
}

static void test_parse__two_columns_are_two_events(void **state)
{
	static const char text[] = "a;b 1 2\na;c 0 4\n";

	(void)state;
	assert_written(parse(text), NULL, "a;b 2\na;c 4\n");
	assert_written(parse(text), "before", "a;b 1\n");
	assert_written(parse("a;b 1 2\na;c 4\n"), NULL, "a;b 1 2\na;c 4\n"); /* a name "b 1" */
}

static void test_parse__counts_what_it_cannot_read(void **state)
{
	struct profile *profile = parse("a;b\na;b x\na;b 1\n12\n99999999999999999999999 \n");

	(void)state;
	assert_int_equal(profile->meta.unknown_records, 3);
	assert_int_equal(profile->events.item[0].weight, 13);
	profile_free(profile);
}

static void test_parse__sums_do_not_wrap(void **state)
{
	struct profile *profile =
		parse("a 4611686018427387903\na 4611686018427387903\nb 18446744073709551615\n");

	(void)state;
	assert_int_equal(profile->meta.unknown_records, 2);
	profile_free(profile);
}

static void read_bytes(const void *data, size_t len, const char *wanted)
{
	struct profile *profile = profile_new(0);
	struct input *input = input_memory(data, len);
	struct err err = { 0 };

	assert_int_equal(folded_sniff(data, len), 1);
	assert_int_equal(format_read(&format_folded, input, NULL, profile, &err), 0);
	input_close(input);
	assert_written(profile, NULL, wanted);
}

static void test_read__utf16(void **state)
{
	static const uint8_t little[] = { 0xff, 0xfe, 'a', 0,	';', 0,	   0x3d, 0xd8, 0x25,
					  0xdd, ' ',  0,   '3', 0,   '\r', 0,	 '\n', 0 };
	static const uint8_t big[] = { 0xfe, 0xff, 0, 'a', 0, ';', 0, 0xe9, 0, ' ', 0, '3' };

	(void)state;
	read_bytes(little, sizeof(little), "a;\xf0\x9f\x94\xa5 3\n");
	read_bytes(big, sizeof(big), "a;\xc3\xa9 3\n");
	read_bytes("\xef\xbb\xbf"
		   "a 1\n",
		   7, "a 1\n");
}

static void test_sniff__knows_folded_text(void **state)
{
	static const char yes[] = "a;b 1\nc 2\n";
	static const char no[] = "int main(void)\n{\n\treturn 0;\n}\n";

	(void)state;
	assert_int_equal(folded_sniff((const uint8_t *)yes, sizeof(yes) - 1), 1);
	assert_int_equal(folded_sniff((const uint8_t *)no, sizeof(no) - 1), 0);
	assert_int_equal(folded_sniff((const uint8_t *)"", 0), 0);
	assert_int_equal(folded_sniff((const uint8_t *)"oops\na;b 3\n", 11), 1); /* one bad line */
	assert_int_equal(folded_sniff((const uint8_t *)"a;b 3\noops\n", 11), 1);
	assert_int_equal(folded_sniff((const uint8_t *)"oops\nline 3\n", 12), 0);
	assert_int_equal(folded_sniff((const uint8_t *)"a;b 3\n# x\nline\nc 4\n", 19), 1);
}

/* Deep stacks of long names: the first 64 KiB may not hold a whole line. */
static void test_sniff__knows_a_line_longer_than_the_head(void **state)
{
	static char head[65536];

	(void)state;
	memset(head, 'f', sizeof(head));
	assert_int_equal(folded_sniff((const uint8_t *)head, sizeof(head)), 0);
	head[100] = ';';
	assert_int_equal(folded_sniff((const uint8_t *)head, sizeof(head)), 1);
	head[200] = 0;
	assert_int_equal(folded_sniff((const uint8_t *)head, sizeof(head)), 0);
}

static void test_write__unknown_event(void **state)
{
	struct profile *profile = parse("a 1\n");
	struct fold_options options = { .event = "cycles" };
	struct buf text = { 0 };
	struct err err = { 0 };

	(void)state;
	assert_true(folded_write(profile, &options, &text, &err) < 0);
	assert_string_equal(err.msg, "no event 'cycles'");
	buf_done(&text);
	profile_free(profile);
}

static void test_cut__skip_after_and_recursion(void **state)
{
	static const char *const base[] = { "b", "x" };
	struct fold_options names = { .names = FOLD_NAMES_TIDY };
	struct fold_cuts cuts = { .merge_recursion = true };
	struct profile *profile = parse("a;r;r;r;h 1\na;r;r;h 2\na;n;r 4\n");

	(void)state;
	fold_stacks(profile, &names, &cuts);
	assert_written(profile, NULL, "a;n;r 4\na;r;h 3\n");
	profile = parse("a;b;c 1\na;b;d;b;c 2\na;e 4\nx 8\n");
	cuts = (struct fold_cuts){ .skip_after = base, .skip_after_count = 2 };
	fold_stacks(profile, &names, &cuts);
	assert_written(profile, NULL, "a;e 4\nb;c 3\nx 8\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cut__skip_after_and_recursion),
		cmocka_unit_test(test_parse__sums_and_sorts_by_bytes),
		cmocka_unit_test(test_parse__keeps_annotations),
		cmocka_unit_test(test_parse__spellings),
		cmocka_unit_test(test_parse__fractions),
		cmocka_unit_test(test_parse__many_lines),
		cmocka_unit_test(test_parse__two_columns_are_two_events),
		cmocka_unit_test(test_parse__counts_what_it_cannot_read),
		cmocka_unit_test(test_parse__sums_do_not_wrap),
		cmocka_unit_test(test_read__utf16),
		cmocka_unit_test(test_sniff__knows_folded_text),
		cmocka_unit_test(test_sniff__knows_a_line_longer_than_the_head),
		cmocka_unit_test(test_write__unknown_event),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

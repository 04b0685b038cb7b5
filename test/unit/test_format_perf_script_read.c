/* SPDX-License-Identifier: GPL-2.0-or-later */
/* perf script text as a whole: samples, inlined frames, source lines, pieces of any size. Results
 * are compared as folded text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/err.h"
#include "format/folded/folded.h"
#include "format/format.h"
#include "format/input.h"
#include "format/perf_script/perf_script_read.h"
#include "profile/profile.h"

static struct profile *read_text(const char *text)
{
	struct profile *profile = profile_new(0);
	struct input *input = input_memory(text, strlen(text));
	struct err err = { 0 };

	assert_int_equal(format_read(&format_perf_script, input, NULL, profile, &err), 0);
	input_close(input);
	return profile;
}

static void assert_folded(struct profile *profile, struct fold_options options, const char *wanted)
{
	struct buf text = { 0 };
	struct err err = { 0 };

	assert_int_equal(folded_write(profile, &options, &text, &err), 0);
	assert_string_equal(text.data ? text.data : "", wanted);
	buf_done(&text);
	profile_free(profile);
}

static void test_read__stacks(void **state)
{
	(void)state;
	assert_folded(read_text("# cmdline : /usr/bin/perf record x\n"
				"a b 1/2 [000] 1.5: 7 cycles: \n"
				"\t  20 leaf+0x1 (/bin/a)\r\n"
				"\t  10 main+0x2 (/bin/a)\n\n"
				"a b 1/2 [000] 1.6: 3 cycles: \n"
				"\t  20 leaf+0x1 (/bin/a)\n"
				"\t  10 main+0x2 (/bin/a)\n\n"
				"a b 1/2 [000] 1.7: cycles: \n\n"),
		      (struct fold_options){ .tid = true }, "a_b-1/2 1\na_b-1/2;main;leaf 10\n");
}

static void test_read__inlined_frames_take_their_module(void **state)
{
	struct profile *profile = read_text("a 1 1.5: 1 cycles: \n"
					    "\t  20 deep (inlined)\n"
					    "\t  20 outer+0x1 (/bin/a)\n\n");
	bool found = false;

	(void)state;
	for (size_t i = 0; i < profile->frames.count; i++) {
		const struct frame *f = &profile->frames.item[i];

		if (!f->inlined)
			continue;
		found = true;
		assert_string_equal(profile_string(profile, profile->modules.item[f->module].path),
				    "/bin/a");
	}
	assert_true(found);
	assert_folded(profile, (struct fold_options){ .inlined = true }, "a;outer;deep_[i] 1\n");
}

static void test_read__source_lines_belong_to_the_frame_above(void **state)
{
	(void)state;
	assert_folded(read_text("a 1 1.5: 1 cycles: \n"
				"\t  20 f+0x1 (/bin/a)\n  f.c:12\n"
				"\t  10 main (/bin/a)\n  a[10]\n\n"),
		      (struct fold_options){ .srcline = true }, "a;main;f:f.c:12 1\n");
}

static void test_read__java_inlining(void **state)
{
	(void)state;
	assert_folded(read_text("java 1 1.5: 1 cycles: \n"
				"\t  20 La/B;::c->La/D;::e->La/F;::g (/tmp/perf-1.map)\n"
				"\t  10 std::p<int>::operator->() (/bin/java)\n\n"),
		      (struct fold_options){ .jit = true },
		      "java;std::p<int>::operator->;a/B:::c_[j];a/D:::e_[i];a/F:::g_[i] 1\n");
}

static void test_read__one_line_samples(void **state)
{
	(void)state;
	assert_folded(read_text("   x 5 1.5:   2 cycles:  ff f+0x1 (/bin/x)\n"
				"  dd 5 1.6:   3 cycles:  ff f+0x1 (/bin/x)\n"
				"  dd 5 1.7:   4 cycles:\n"),
		      (struct fold_options){ 0 }, "dd 4\ndd;f 3\nx;f 2\n");
}

static void test_read__one_line_samples_with_source_lines(void **state)
{
	struct profile *profile =
		read_text("   x 5 1.5:   2 cycles:  ff f+0x1 (/bin/x)\n  f.c:12\n"
			  "  dd 5 1.6:   3 cycles:  fe g+0x1 (/bin/x)\n  x[fe]\n");

	(void)state;
	assert_int_equal(profile->meta.unfinished.count, 0);
	assert_folded(profile, (struct fold_options){ .srcline = true }, "dd;g 3\nx;f:f.c:12 2\n");
}

static void test_read__headers_without_time_and_event(void **state)
{
	struct profile *profile = read_text("a 1/2 \n\t1 f (/a)\n\na 1/2 \n\t1 g (/a)\n\na 3 \n");

	(void)state;
	assert_int_equal(profile->meta.unknown_records, 1);
	assert_folded(profile, (struct fold_options){ .tid = true }, "a-1/2;f 1\na-1/2;g 1\n");
}

static void test_read__headers_without_comm(void **state)
{
	(void)state;
	assert_folded(read_text(" 1 1.5: 2 cycles: \n\t1 f (/a)\n\n 1 1.6: 2 cycles:  1 f (/a)\n"),
		      (struct fold_options){ 0 }, "f 4\n");
}

static void test_read__other_records_are_no_samples(void **state)
{
	struct profile *profile =
		read_text("s 0 0.0: PERF_RECORD_MMAP -1/0: [0x81(0x1) @ 0]: x [k]\n"
			  "a 1 1.4: PERF_RECORD_COMM: a:1/1\n"
			  "a 1 1.5: 1 cycles: \n\t1 f (/a)\n\n"
			  "a 1 1.6: PERF_RECORD_EXIT(1:1):(1:1)\n");

	(void)state;
	assert_int_equal(profile->meta.unknown_records, 0);
	assert_int_equal(profile->events.count, 1);
	assert_folded(profile, (struct fold_options){ 0 }, "a;f 1\n");
}

static void test_read__first_event_unless_asked(void **state)
{
	static const char text[] = "a 1 1.5: 1 cycles: \n\t1 f (/a)\n\n"
				   "a 1 1.5: 10 faults: \n\t1 f (/a)\n\n";

	(void)state;
	assert_folded(read_text(text), (struct fold_options){ 0 }, "a;f 1\n");
	assert_folded(read_text(text), (struct fold_options){ .event = "faults" }, "a;f 10\n");
	assert_folded(read_text(text), (struct fold_options){ .all_events = true }, "a;f 11\n");
}

static void test_read__cores_of_one_event_stay_together(void **state)
{
	(void)state;
	assert_folded(read_text("a 1 1.5: 1 cpu_core/cycles/u: \n\t1 f (/a)\n\n"
				"a 1 1.5: 2 cpu_atom/cycles/u: \n\t1 f (/a)\n\n"
				"a 1 1.5: 4 cpu_atom/faults/u: \n\t1 f (/a)\n\n"),
		      (struct fold_options){ 0 }, "a;f 3\n");
}

static void test_read__counts_what_it_cannot_read(void **state)
{
	struct profile *profile = read_text("garbage\nmore garbage\n"
					    "a 1 1.5: 1 cycles: \n\t1 f (/a)\n\t!!!\n\n");

	(void)state;
	assert_int_equal(profile->meta.unknown_records, 3);
	assert_folded(profile, (struct fold_options){ 0 }, "a;f 1\n");
}

static void test_read__last_stack_without_end(void **state)
{
	struct profile *profile = read_text("a 1 1.5: 6 cycles: \n\t1 f (/a)\n");

	(void)state;
	assert_int_equal(profile->meta.unfinished.count, 1);
	assert_int_equal(profile->meta.unfinished.weight, 6);
	assert_folded(profile, (struct fold_options){ 0 }, "a;f 6\n");
}

static void test_read__blank_line_below_the_header(void **state)
{
	(void)state;
	assert_folded(read_text("a 1 1.5: 6 cycles:\n\n\t1 f (/a)\n\n"), (struct fold_options){ 0 },
		      "a;f 6\n");
}

/* However the text is cut into pieces, the result is the same. */
static void test_feed__pieces_of_any_size(void **state)
{
	static const char text[] =
		"# arch : x86_64\na 1 1.5: 1 cycles: \n\t1 f (/a)\n\t2 g (/a)\n\n"
		"b 1 [001] 1.6: 2 cycles: \n\n\t1 f (/a)\n\nc 2 1.7: 4 cycles:\n"
		"d 2 1.8: 8 cycles:  1 f (/a)\n";

	(void)state;
	for (size_t piece = 1; piece < sizeof(text); piece++) {
		struct profile *profile = profile_new(0);
		struct script_reader *reader = script_reader_new(profile);
		size_t have = 0, used = 0;

		while (have < sizeof(text) - 1) {
			have += piece;
			if (have > sizeof(text) - 1)
				have = sizeof(text) - 1;
			used += script_reader_feed(reader, text + used, have - used,
						   have == sizeof(text) - 1);
			assert_true(used <= have);
		}
		assert_int_equal(used, sizeof(text) - 1);
		script_reader_free(reader);
		assert_int_equal(profile->meta.unknown_records, 0);
		assert_folded(profile, (struct fold_options){ 0 }, "a;g;f 1\nb;f 2\nc 4\nd;f 8\n");
	}
}

/* Samples of changing length, so that parts end at all places of them. */
static void make_text(struct buf *ret, size_t bytes)
{
	for (unsigned i = 0; ret->len < bytes; i++) {
		(void)buf_printf(ret, "comm %u/%u [000] %u.%06u: %u cycles: \n", i % 3, i % 5, i, i,
				 i % 7);
		for (unsigned j = 0; j < i % 40; j++)
			(void)buf_printf(ret, "\t%16x f%u+0x%x (/bin/a)\n", i * j, j * i % 50, i);
		(void)buf_puts(ret, i % 11 ? "\n" : "\n\n");
	}
}

/* Read on several threads, in one go and without a cache of bodies the profile is the same. */
static void test_read__parts_give_the_same(void **state)
{
	struct profile *parts = profile_new(PROFILE_KEEP_TIME | PROFILE_MERGE_NAMES);
	struct profile *whole = profile_new(PROFILE_KEEP_TIME);
	struct script_reader *reader = script_reader_new(whole);
	struct buf text = { 0 };
	struct input *input;
	struct err err = { 0 };

	(void)state;
	make_text(&text, 9 << 20);
	input = input_memory(text.data, text.len);
	assert_int_equal(format_read(&format_perf_script, input, NULL, parts, &err), 0);
	input_close(input);
	assert_int_equal(script_reader_feed(reader, text.data, text.len, true), text.len);
	script_reader_free(reader);
	buf_done(&text);
	assert_int_equal(parts->samples.count, whole->samples.count);
	for (size_t i = 0; i < whole->samples.count; i++)
		assert_int_equal(parts->samples.item[i].time_ns, whole->samples.item[i].time_ns);
	assert_int_equal(parts->meta.first_ns, whole->meta.first_ns);
	assert_int_equal(parts->meta.last_ns, whole->meta.last_ns);
	assert_int_equal(folded_write(parts, &(struct fold_options){ .tid = true }, &text, &err),
			 0);
	assert_folded(whole, (struct fold_options){ .tid = true }, text.data);
	buf_done(&text);
	profile_free(parts);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_read__stacks),
		cmocka_unit_test(test_read__inlined_frames_take_their_module),
		cmocka_unit_test(test_read__source_lines_belong_to_the_frame_above),
		cmocka_unit_test(test_read__java_inlining),
		cmocka_unit_test(test_read__one_line_samples),
		cmocka_unit_test(test_read__one_line_samples_with_source_lines),
		cmocka_unit_test(test_read__headers_without_time_and_event),
		cmocka_unit_test(test_read__headers_without_comm),
		cmocka_unit_test(test_read__other_records_are_no_samples),
		cmocka_unit_test(test_read__first_event_unless_asked),
		cmocka_unit_test(test_read__cores_of_one_event_stay_together),
		cmocka_unit_test(test_read__counts_what_it_cannot_read),
		cmocka_unit_test(test_read__last_stack_without_end),
		cmocka_unit_test(test_read__blank_line_below_the_header),
		cmocka_unit_test(test_feed__pieces_of_any_size),
		cmocka_unit_test(test_read__parts_give_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

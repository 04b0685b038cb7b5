/* SPDX-License-Identifier: GPL-2.0-or-later */
/* JSON in the words of a test → the folded stacks it comes to; and written in a format and read
 * back. */
#ifndef TEST_UNIT_JSON_TEXT_H
#define TEST_UNIT_JSON_TEXT_H

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
#include "format/json/json_read.h"
#include "format/perf_script/perf_script_read.h"
#include "profile/profile.h"

static inline struct profile *read_json(const char *text)
{
	struct profile *profile = profile_new(0);
	struct input *input = input_memory(text, strlen(text));
	struct err err = { 0 };

	assert_int_equal(format_json.sniff((const uint8_t *)text, strlen(text)), 2);
	assert_int_equal(format_read(&format_json, input, NULL, profile, &err), 0);
	input_close(input);
	return profile;
}

/* Frees the profile. */
static inline void assert_stacks(struct profile *profile, const char *event, const char *wanted)
{
	struct fold_options fold = { .tid = true,
				     .inlined = true,
				     .kernel = true,
				     .event = event,
				     .all_events = !event,
				     .srcline = true };
	struct buf text = { 0 };
	struct err err = { 0 };

	assert_int_equal(folded_write(profile, &fold, &text, &err), 0);
	assert_string_equal(text.data ? text.data : "", wanted);
	buf_done(&text);
	profile_free(profile);
}

/* Events, threads, inlined frames, lines, a nameless frame. */
static const char round_trip_text[] = "a b 1/2 [000] 1.5: 7 cycles: \n"
				      "\t20 deep (inlined)\n"
				      "\t20 leaf+0x1 (/bin/a)\n  f.c:12\n"
				      "\tffffffff81000010 main+0x2 ([kernel.kallsyms])\n\n"
				      "c 3/4 [001] 2.5: 9 cpu-clock: \n"
				      "\t30 [unknown] (/bin/b)\n\n";

static inline void assert_round_trip(const struct format_ops *format)
{
	struct format_write_options all = { 0 };
	struct profile *profile = profile_new(PROFILE_KEEP_TIME);
	struct input *input = input_memory(round_trip_text, strlen(round_trip_text));
	struct buf text = { 0 };
	struct err err = { 0 };

	assert_int_equal(format_read(&format_perf_script, input, NULL, profile, &err), 0);
	assert_int_equal(format->write(profile, &all, &text, &err), 0);
	input_close(input);
	profile_free(profile);
	profile = read_json(text.data);
	assert_int_equal(profile->meta.unknown_records, 0);
	assert_stacks(profile, "cycles", "a_b-1/2;main_[k];leaf:f.c:12;deep_[i] 7\n");
	assert_stacks(read_json(text.data), "cpu-clock", "c-3/4;[b] 9\n");
	buf_done(&text);
}

#endif

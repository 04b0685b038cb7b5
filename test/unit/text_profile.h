/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Text in the words of a test → the folded stacks it comes to, by the reader that claims it. */
#ifndef TEST_UNIT_TEXT_PROFILE_H
#define TEST_UNIT_TEXT_PROFILE_H

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
#include "profile/profile.h"

static inline void assert_text(const char *text, const char *reader, const char *event,
			       const char *wanted)
{
	const struct format_ops *format = format_sniff((const uint8_t *)text, strlen(text));
	struct fold_options fold = { .event = event, .inlined = true, .names = FOLD_NAMES_WHOLE };
	struct profile *profile = profile_new(0);
	struct input *input = input_memory(text, strlen(text));
	struct buf folded = { 0 };
	struct err err = { 0 };

	assert_non_null(format);
	assert_string_equal(format->name, reader);
	assert_int_equal(format_read(format, input, NULL, profile, &err), 0);
	assert_int_equal(folded_write(profile, &fold, &folded, &err), 0);
	assert_string_equal(folded.data ? folded.data : "", wanted);
	buf_done(&folded);
	input_close(input);
	profile_free(profile);
}

#endif

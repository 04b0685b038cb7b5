/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which runtimes are known, and what those that describe themselves may not say. */
#include "symbol/python/python_layout.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"

#define WORDS (PYTHON_SELF_DESCRIPTION / 8)

static int get(uint32_t version, const uint64_t *word, struct python_layout *ret)
{
	struct err err = { 0 };

	return python_layout_get(version, word, word ? WORDS * 8 : 0, ret, &err);
}

/* 3.13, with offsets of a real one. */
static void describe(uint64_t word[WORDS])
{
	memset(word, 0, WORDS * 8);
	memcpy(word, "xdebugpy", 8);
	word[1] = 0x030d00f0;
	word[5] = 632;
	word[8] = 7264;
	word[9] = 7344;
	word[21] = 8;
	word[23] = 72;
	word[24] = 152;
	word[29] = 8;
	word[31] = 56;
	word[33] = 70;
}

static void test_python_layout__versions(void **state)
{
	struct python_layout layout;

	(void)state;
	assert_int_equal(get(0x0307, NULL, &layout), -ENOTSUP);
	assert_int_equal(get(0x030f, NULL, &layout), -ENOTSUP);
	assert_int_equal(get(0, NULL, &layout), -ENOTSUP);
	for (uint32_t version = 0x0308; version <= 0x030c; version++) {
		assert_int_equal(get(version, NULL, &layout), 0);
		assert_int_equal(layout.version, version);
		assert_true(layout.frame_bytes <= 128);
		assert_true(layout.frame_code + 8 <= layout.frame_bytes);
		assert_true(layout.frame_back + 8 <= layout.frame_bytes);
		assert_true(layout.frame_instr + 4 <= layout.frame_bytes);
	}
}

static void test_python_layout__self_description(void **state)
{
	uint64_t word[WORDS];
	struct python_layout layout;

	(void)state;
	describe(word);
	assert_int_equal(get(0x030d, word, &layout), 0);
	assert_int_equal(layout.first_thread, 7344);
	assert_int_equal(layout.thread_frame, 72);
	assert_int_equal(layout.frame_owner, 70);
	assert_int_equal(layout.frame_bytes, 72);
	assert_int_equal(get(0x030e, word, &layout), -ENOTSUP); /* describes 3.13 */
	assert_int_equal(get(0x030d, NULL, &layout), -ENOTSUP);
}

static void test_python_layout__refuses(void **state)
{
	uint64_t word[WORDS];
	struct python_layout layout;

	(void)state;
	describe(word);
	word[2] = 1; /* free-threaded */
	assert_int_equal(get(0x030d, word, &layout), -ENOTSUP);
	describe(word);
	word[0]++;
	assert_int_equal(get(0x030d, word, &layout), -ENOTSUP);
	describe(word);
	word[31] = 4096; /* the instruction outside of what is read of a frame */
	assert_int_equal(get(0x030d, word, &layout), -ENOTSUP);
	describe(word);
	word[31] = 57; /* not a word */
	assert_int_equal(get(0x030d, word, &layout), -ENOTSUP);
	describe(word);
	word[9] = UINT64_MAX;
	assert_int_equal(get(0x030d, word, &layout), -ENOTSUP);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_python_layout__versions),
		cmocka_unit_test(test_python_layout__self_description),
		cmocka_unit_test(test_python_layout__refuses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

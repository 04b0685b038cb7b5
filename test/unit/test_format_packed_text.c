/* SPDX-License-Identifier: GPL-2.0-or-later */
/* format/packed_text: a packed file from any offset on, by several readers. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/err.h"
#include "format/gzip.h"
#include "format/input.h"
#include "format/packed_text.h"

#define MEMBER	4000000u     /* numbers of a member */
#define NUMBERS (5 * MEMBER) /* 80 MB, so that places 1 MB apart are thinned out */

/* Numbers that count up, in members with the same content. */
static struct input *open_numbers(size_t cut)
{
	char path[] = "/tmp/cupel-packed-XXXXXX";
	struct buf text = { 0 };
	struct input *input;
	struct err err = { 0 };
	FILE *file = fdopen(mkstemp(path), "w");

	assert_non_null(file);
	for (uint32_t i = 0; i < MEMBER; i++) {
		uint32_t value = i >> 4; /* packs better */

		(void)buf_append(&text, &value, sizeof(value));
	}
	assert_int_equal(0, gzip_pack(&text, &err));
	for (uint32_t i = 0; i < NUMBERS / MEMBER; i++)
		assert_int_equal(text.len, fwrite(text.data, 1, text.len, file));
	buf_done(&text);
	assert_int_equal(0, fflush(file));
	if (cut)
		assert_int_equal(0, ftruncate(fileno(file), (off_t)cut));
	assert_int_equal(0, fclose(file));
	assert_int_equal(0, input_open(path, &input, &err));
	(void)unlink(path);
	assert_true(input_rewinds(input));
	return input;
}

static void assert_number(const struct json_text *text, void *reader, uint32_t number)
{
	uint32_t value = 0;
	size_t len = 0;

	while (len < sizeof(value)) {
		size_t n = text->read(reader, (char *)&value + len, sizeof(value) - len);

		assert_true(n > 0);
		len += n;
	}
	assert_int_equal(number % MEMBER >> 4, value);
}

static void test_packed_text__any_offset(void **state)
{
	struct input *input = open_numbers(0);
	struct packed_text *packed = packed_text_new(input);
	struct json_text text = packed_text_json(packed, 0);
	void *last = text.open(text.context, (uint64_t)(NUMBERS - 1) * 4), *two[2];
	char byte;

	(void)state;
	assert_number(&text, last, NUMBERS - 1);
	assert_int_equal(0, text.read(last, &byte, 1));
	for (uint32_t i = 0; i < 30; i++) { /* back and forth */
		uint32_t a = i * 7919 * 2521 % NUMBERS, b = i * 104729 * 31 % NUMBERS;

		two[0] = text.open(text.context, (uint64_t)a * 4);
		two[1] = text.open(text.context, (uint64_t)b * 4);
		assert_number(&text, two[0], a);
		assert_number(&text, two[1], b);
		text.close(two[0]);
		text.close(two[1]);
	}
	text.close(last);
	packed_text_free(packed);
	input_close(input);
}

static void test_packed_text__ends_where_the_file_is_cut(void **state)
{
	struct input *input = open_numbers(10000);
	struct packed_text *packed = packed_text_new(input);
	struct json_text text = packed_text_json(packed, 0);
	void *reader = text.open(text.context, 0);
	char piece[4096];
	size_t sum = 0, n;

	(void)state;
	while ((n = text.read(reader, piece, sizeof(piece))) > 0)
		sum += n;
	assert_true(sum > 10000 && sum < NUMBERS * 4);
	text.close(reader);
	reader = text.open(text.context, sum + 1000);
	assert_int_equal(0, text.read(reader, piece, sizeof(piece)));
	text.close(reader);
	packed_text_free(packed);
	input_close(input);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_packed_text__any_offset),
		cmocka_unit_test(test_packed_text__ends_where_the_file_is_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* format/input_window: a packed file or pipe a piece at a time, again from its beginning, and
 * readers that make the same profile of it as of the plain text. */
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
#include "base/fd.h"
#include "format/format.h"
#include "format/gzip.h"
#include "format/input.h"
#include "format/input_window.h"
#include "profile/profile.h"

static char path[] = "/tmp/cupel-window-XXXXXX";

static struct input *file_of(const struct buf *bytes)
{
	struct input *input;
	struct err err = { 0 };
	FILE *file;

	(void)memcpy(path + sizeof(path) - 7, "XXXXXX", 6);
	file = fdopen(mkstemp(path), "w");
	assert_non_null(file);
	assert_int_equal(bytes->len, fwrite(bytes->data, 1, bytes->len, file));
	assert_int_equal(0, fclose(file));
	assert_int_equal(0, input_open(path, &input, &err));
	(void)unlink(path);
	return input;
}

/* A child writes the bytes. */
static struct input *pipe_of(const struct buf *bytes)
{
	struct input *input;
	struct err err = { 0 };
	char name[32];
	int ends[2];
	pid_t child;

	assert_int_equal(0, pipe(ends));
	child = fork();
	assert_true(child >= 0);
	if (!child) {
		(void)close(ends[0]);
		_exit(fd_write_all(ends[1], bytes->data, bytes->len) != 0);
	}
	(void)close(ends[1]);
	(void)snprintf(name, sizeof(name), "/proc/self/fd/%d", ends[0]);
	assert_int_equal(0, input_open(name, &input, &err));
	(void)close(ends[0]);
	return input;
}

/* A packed file or pipe of the text, which is emptied. */
static struct input *packed(struct buf *text, bool from_pipe)
{
	struct input *input;
	struct err err = { 0 };

	assert_int_equal(0, gzip_pack(text, &err));
	input = from_pipe ? pipe_of(text) : file_of(text);
	buf_done(text);
	return input;
}

static void put_lines(struct buf *text, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		(void)buf_printf(text, "main;work %u;f%u;leaf%u 1\n", i % 7, i % 100, i % 1000);
}

static void expect_all_bytes_twice(bool from_pipe)
{
	struct buf text = { 0 };
	struct input_window window;
	struct input *input;
	struct err err = { 0 };
	const uint8_t *head;
	size_t len;

	for (uint32_t i = 0; i < 1000000; i++)
		(void)buf_append(&text, &i, sizeof(i));
	input = packed(&text, from_pipe);
	assert_true(input_rewinds(input));
	assert_int_equal(0, input_peek(input, &head, &len, &err));
	for (int round = 0; round < 2; round++) {
		uint32_t next = 0, value;

		assert_int_equal(0, input_window_open(&window, input, &err));
		while (window.bytes.len) {
			size_t used = window.bytes.len / 3 * 2 & ~(size_t)3;

			used = used ? used : window.bytes.len;
			for (size_t at = 0; at < used; at += sizeof(value)) {
				memcpy(&value, window.bytes.data + at, sizeof(value));
				assert_int_equal(next++, value);
			}
			assert_int_equal(0, input_window_fill(&window, used, &err));
			assert_true(window.bytes.len <= 3 * INPUT_WINDOW_BYTES);
		}
		assert_true(window.ended);
		assert_int_equal(1000000, next);
		input_window_close(&window);
	}
	input_close(input);
}

static void test_window__all_bytes_in_order_twice(void **state)
{
	(void)state;
	expect_all_bytes_twice(false);
	expect_all_bytes_twice(true);
}

/* As a recording is read: it may take hours, and is not kept. */
static void test_window__pipe_that_is_not_begun_again(void **state)
{
	struct buf text = { 0 };
	struct input *input;
	uint8_t bytes[16384];
	size_t at = 0;
	ssize_t n;

	(void)state;
	for (unsigned i = 0; i < 4000000; i++)
		(void)buf_putc(&text, (char)(i % 251));
	input = packed(&text, true);
	assert_true(input_rewinds(input));
	while ((n = input_read(input, bytes, sizeof(bytes))) > 0) {
		assert_false(input_rewinds(input));
		for (ssize_t i = 0; i < n; i++)
			assert_int_equal(at++ % 251, bytes[i]);
	}
	assert_int_equal(4000000, at);
	input_close(input);
}

static struct profile *read_profile(const char *format, struct input *input)
{
	struct profile *profile = profile_new(0);
	struct err err = { 0 };

	assert_int_equal(0, format_read(format_find(format), input, NULL, profile, &err));
	input_close(input);
	return profile;
}

static void expect_equal_from(const char *format, const struct buf *text, bool from_pipe)
{
	struct input *plain = input_memory(text->data, text->len);
	struct buf copy = { 0 }, ret[2] = { 0 };
	struct profile *profile[2];
	struct err err = { 0 };

	(void)buf_append(&copy, text->data, text->len);
	profile[0] = read_profile(format, plain);
	profile[1] = read_profile(format, packed(&copy, from_pipe));
	for (int i = 0; i < 2; i++) {
		assert_int_equal(
			0, format_find("folded")->write(
				   profile[i], &(struct format_write_options){ 0 }, &ret[i], &err));
		assert_true(profile[i]->samples.count > 0);
	}
	assert_int_equal(profile[0]->meta.truncated_bytes, profile[1]->meta.truncated_bytes);
	assert_int_equal(profile[0]->meta.unknown_records, profile[1]->meta.unknown_records);
	assert_int_equal(ret[0].len, ret[1].len);
	assert_memory_equal(ret[0].data, ret[1].data, ret[0].len);
	for (int i = 0; i < 2; i++) {
		buf_done(&ret[i]);
		profile_free(profile[i]);
	}
}

static void expect_equal(const char *format, const struct buf *text)
{
	expect_equal_from(format, text, false);
	expect_equal_from(format, text, true);
}

static void test_window__folded_reads_the_same(void **state)
{
	struct buf text = { 0 };

	(void)state;
	put_lines(&text, 100000); /* some windows */
	(void)buf_puts(&text, "a line that is longer than a window;");
	(void)buf_pad(&text, 'x', 3 * INPUT_WINDOW_BYTES);
	(void)buf_puts(&text, " 3\nno weight\nlast;one 5");
	expect_equal("folded", &text);
	buf_clear(&text);
	(void)buf_puts(&text, "\xef\xbb\xbf"
			      "main;a 1\r\nmain;b 2\r\n");
	expect_equal("folded", &text);
	buf_done(&text);
}

static void test_window__pprof_reads_the_same(void **state)
{
	struct buf text = { 0 }, bytes = { 0 };
	struct profile *profile;
	struct err err = { 0 };

	(void)state;
	put_lines(&text, 30000);
	profile = read_profile("folded", input_memory(text.data, text.len));
	assert_int_equal(0, format_find("pprof")->write(
				    profile, &(struct format_write_options){ 0 }, &bytes, &err));
	profile_free(profile);
	buf_done(&text);
	{
		struct buf copy = { 0 };
		struct input *input = file_of(&bytes); /* pprof is written packed */
		const uint8_t *data;
		size_t len;

		assert_int_equal(0, input_map(input, &data, &len, &err));
		(void)buf_append(&copy, data, len);
		input_close(input);
		expect_equal("pprof", &copy);
		copy.len -= 3; /* cut off */
		expect_equal("pprof", &copy);
		buf_done(&copy);
	}
	buf_done(&bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_window__all_bytes_in_order_twice),
		cmocka_unit_test(test_window__pipe_that_is_not_begun_again),
		cmocka_unit_test(test_window__folded_reads_the_same),
		cmocka_unit_test(test_window__pprof_reads_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

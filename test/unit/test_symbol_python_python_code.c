/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Code objects in images of memory laid out as each version of CPython does. */
#include "symbol/python/python_code.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/err.h"

#define BASE  0x7f0000000000ull
#define BYTES 4096

struct image {
	uint8_t byte[BYTES];
};

static struct image image; /* of the test that runs */

static bool read_image(const struct python_memory *memory, uint64_t addr, void *to, size_t len)
{
	(void)memory;
	if (addr < BASE || addr - BASE > BYTES || len > BYTES - (addr - BASE))
		return false;
	memcpy(to, image.byte + (addr - BASE), len);
	return true;
}

static void put(uint64_t at, uint64_t value, size_t len)
{
	memcpy(image.byte + at, &value, len);
}

/* A compact string of `width` bytes a character, at an offset of the image; its address. */
static uint64_t put_string(uint64_t at, const struct python_layout *layout, const char *text,
			   unsigned width)
{
	size_t len = strlen(text);
	uint64_t data = at + (width ? layout->other_text : layout->ascii_text);

	put(at + 16, len, 8);
	put(at + 32, (width ? width : 1) << 2 | 0x20 | (width ? 0 : 0x40), 4);
	for (size_t i = 0; i < len; i++)
		put(data + i * (width ? width : 1), (uint8_t)text[i], width ? width : 1);
	return BASE + at;
}

static uint64_t put_bytes(uint64_t at, const struct python_layout *layout, const void *data,
			  size_t len)
{
	put(at + 16, len, 8);
	memcpy(image.byte + at + layout->bytes_data, data, len);
	return BASE + at;
}

/* The debug offsets of a runtime of 3.13 or 3.14. */
static void describe(uint32_t version, uint64_t word[PYTHON_SELF_DESCRIPTION / 8])
{
	unsigned thread = version == 0x030d ? 19 : 22, frame = version == 0x030d ? 28 : 31;
	unsigned code = version == 0x030d ? 34 : 39;

	memset(word, 0, PYTHON_SELF_DESCRIPTION);
	memcpy(word, "xdebugpy", 8);
	word[1] = (uint64_t)version << 16 | 0x00f0;
	word[5] = 632;
	word[8] = 7264;
	word[9] = 7344;
	word[thread + 2] = 8;
	word[thread + 4] = 72;
	word[thread + 5] = 152;
	word[frame + 1] = 8;
	word[frame + 2] = 0;
	word[frame + 3] = 56;
	word[frame + 5] = version == 0x030d ? 70 : 74;
	word[code + 1] = 112;
	word[code + 2] = 120;
	word[code + 3] = 128;
	word[code + 4] = 136;
	word[code + 5] = 68;
	word[code + 9] = 200;
}

static struct python_layout layout_of(uint32_t version)
{
	uint64_t word[PYTHON_SELF_DESCRIPTION / 8];
	struct python_layout layout;
	struct err err = { 0 };

	describe(version, word);
	assert_int_equal(python_layout_get(version, word, sizeof(word), &layout, &err), 0);
	return layout;
}

/* A function with first line 10 and 6 instructions: two on line 10, two on 11, two on 13. */
static uint64_t put_function(const struct python_layout *layout)
{
	static const uint8_t by_bytes[] = { 4, 1, 4, 2 };
	static const uint8_t by_ranges[] = { 4, 0, 4, 1, 4, 2 };
	/* Two instructions each: one line, columns follow; one line further; long, by 2, of which
	 * two numbers for columns follow. */
	static const uint8_t by_locations[] = {
		0x80 | 10 << 3 | 1, 0, 4, 0x80 | 11 << 3 | 1, 0, 4, 0x80 | 14 << 3 | 1, 4, 0, 1, 1
	};
	const uint64_t code = 64;

	memset(&image, 0, sizeof(image));
	put(code + layout->code_first_line, 10, 4);
	put(code + layout->code_file, put_string(1024, layout, "/srv/app.py", 0), 8);
	put(code + layout->code_name, put_string(1280, layout, "run", 0), 8);
	if (layout->code_qualname)
		put(code + layout->code_qualname, put_string(1536, layout, "Job.run", 0), 8);
	if (layout->lines == PYTHON_LINES_BYTES)
		put(code + layout->code_lines, put_bytes(2048, layout, by_bytes, sizeof(by_bytes)),
		    8);
	else if (layout->lines == PYTHON_LINES_RANGES)
		put(code + layout->code_lines,
		    put_bytes(2048, layout, by_ranges, sizeof(by_ranges)), 8);
	else
		put(code + layout->code_lines,
		    put_bytes(2048, layout, by_locations, sizeof(by_locations)), 8);
	return BASE + code;
}

static void test_python_code__every_version(void **state)
{
	static const uint32_t line[] = { 10, 10, 11, 11, 13, 13 };

	(void)state;
	for (uint32_t version = PYTHON_OLDEST; version <= PYTHON_NEWEST; version++) {
		struct python_layout layout = layout_of(version);
		const struct python_memory memory = { .layout = &layout, .read = read_image };
		struct buf name = { 0 }, file = { 0 };
		struct python_function function;

		assert_true(python_function_read(&memory, put_function(&layout), &function, &name,
						 &file));
		(void)buf_putc(&name, '\0');
		(void)buf_putc(&file, '\0');
		assert_string_equal(name.data, version < 0x030b ? "run" : "Job.run");
		assert_string_equal(file.data, "/srv/app.py");
		assert_int_equal(function.identity.first_line, 10);
		for (uint32_t i = 0; i < 6; i++)
			assert_int_equal(python_line(&function, i), line[i]);
		python_function_done(&function);
		buf_done(&name);
		buf_done(&file);
	}
}

static void test_python_code__wide_strings(void **state)
{
	struct python_layout layout = layout_of(0x030c);
	const struct python_memory memory = { .layout = &layout, .read = read_image };
	uint64_t code = put_function(&layout);
	struct python_function function;
	struct buf name = { 0 }, file = { 0 };

	(void)state;
	(void)put_string(1536, &layout, "a\xe9", 1);
	(void)put_string(1024, &layout, "b", 2);
	put(1024 + layout.other_text, 0x20ac, 2);
	assert_true(python_function_read(&memory, code, &function, &name, &file));
	(void)buf_putc(&name, '\0');
	(void)buf_putc(&file, '\0');
	assert_string_equal(name.data, "a\xc3\xa9");
	assert_string_equal(file.data, "\xe2\x82\xac");
	python_function_done(&function);
	buf_done(&name);
	buf_done(&file);
}

static void test_python_code__another_one_in_its_place(void **state)
{
	struct python_layout layout = layout_of(0x030b);
	const struct python_memory memory = { .layout = &layout, .read = read_image };
	uint64_t code = put_function(&layout);
	struct python_identity before, after;

	(void)state;
	assert_true(python_identity_read(&memory, code, &before));
	put(code - BASE + layout.code_first_line, 77, 4);
	assert_true(python_identity_read(&memory, code, &after));
	assert_false(python_identity_equal(&before, &after));
}

static void test_python_code__not_a_code_object(void **state)
{
	struct python_layout layout = layout_of(0x030b);
	const struct python_memory memory = { .layout = &layout, .read = read_image };
	struct python_function function;
	struct buf name = { 0 }, file = { 0 };

	(void)state;
	memset(&image, 0xff, sizeof(image));
	assert_false(python_function_read(&memory, BASE, &function, &name, &file));
	assert_false(python_function_read(&memory, 0, &function, &name, &file));
	assert_false(python_function_read(&memory, BASE + BYTES - 8, &function, &name, &file));
	buf_done(&name);
	buf_done(&file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_python_code__every_version),
		cmocka_unit_test(test_python_code__wide_strings),
		cmocka_unit_test(test_python_code__another_one_in_its_place),
		cmocka_unit_test(test_python_code__not_a_code_object),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* symbol/jitdump: loads, moves, lines in both byte orders; truncation and lies. */
#include <byteswap.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "symbol/jit/jitdump.h"

struct writer {
	uint8_t data[2048];
	size_t len;
	bool swap;
};

static void put_u32(struct writer *w, uint32_t v)
{
	v = w->swap ? bswap_32(v) : v;
	memcpy(w->data + w->len, &v, sizeof(v));
	w->len += sizeof(v);
}

static void put_u64(struct writer *w, uint64_t v)
{
	v = w->swap ? bswap_64(v) : v;
	memcpy(w->data + w->len, &v, sizeof(v));
	w->len += sizeof(v);
}

static void put_text(struct writer *w, const char *s)
{
	memcpy(w->data + w->len, s, strlen(s) + 1);
	w->len += strlen(s) + 1;
}

static void put_header(struct writer *w)
{
	put_u32(w, 0x4a695444);
	put_u32(w, 1);
	put_u32(w, 40);
	for (int i = 0; i < 3; i++)
		put_u32(w, 0);
	put_u64(w, 0);
	put_u64(w, 0);
}

static size_t begin(struct writer *w, uint32_t id)
{
	size_t at = w->len;

	put_u32(w, id);
	put_u32(w, 0);
	put_u64(w, 1);
	return at;
}

static void end(struct writer *w, size_t at)
{
	uint32_t size = (uint32_t)(w->len - at);

	size = w->swap ? bswap_32(size) : size;
	memcpy(w->data + at + 4, &size, sizeof(size));
}

static void put_load(struct writer *w, uint64_t addr, uint64_t size, const char *name)
{
	size_t at = begin(w, 0);

	put_u64(w, 0); /* pid, tid */
	put_u64(w, addr);
	put_u64(w, addr);
	put_u64(w, size);
	put_u64(w, 1);
	put_text(w, name);
	put_u64(w, 0x9090909090909090);
	end(w, at);
}

static void put_move(struct writer *w, uint64_t from, uint64_t to, uint64_t size)
{
	size_t at = begin(w, 1);

	put_u64(w, 0);
	put_u64(w, to);
	put_u64(w, from);
	put_u64(w, to);
	put_u64(w, size);
	put_u64(w, 1);
	end(w, at);
}

static void put_lines(struct writer *w, uint64_t addr)
{
	static const struct {
		uint64_t at;
		uint32_t line;
		const char *file;
	} lines[] = { { 0, 10, "a.js" }, { 8, 11, "\xff" }, { 16, 3, "b.js" } };
	size_t at = begin(w, 2);

	put_u64(w, addr);
	put_u64(w, 3);
	for (int i = 0; i < 3; i++) {
		put_u64(w, addr + lines[i].at);
		put_u32(w, lines[i].line);
		put_u32(w, 0);
		put_text(w, lines[i].file);
	}
	end(w, at);
}

static const char *name_at(const struct jitdump *dump, uint64_t address)
{
	const struct range *range = range_table_find(&dump->ranges, address);

	return range ? dump->text.data + range->name : NULL;
}

static void check_line(const struct jitdump *dump, uint64_t address, const char *file,
		       uint32_t line)
{
	const struct range *range = range_table_find(&dump->ranges, address);
	uint32_t got = 0;

	assert_string_equal(file, jitdump_line(dump, range, address, &got));
	assert_int_equal(line, got);
}

static void write_sample(struct writer *w)
{
	put_header(w);
	put_lines(w, 0x1000);
	put_load(w, 0x1000, 0x20, "first");
	put_load(w, 0x2000, 0x10, "sec\nond");
	put_move(w, 0x1000, 0x3000, 0x20);
	put_load(w, 0x1000, 0x10, "reuse");
}

static void check_sample(bool swap)
{
	struct writer w = { .swap = swap };
	struct err err = { 0 };
	struct jitdump dump;
	uint32_t line;

	write_sample(&w);
	assert_int_equal(0, jitdump_parse(w.data, w.len, &dump, &err));
	assert_int_equal(0, dump.malformed);
	assert_string_equal("reuse", name_at(&dump, 0x100f));
	assert_string_equal("first", name_at(&dump, 0x1010));
	assert_null(name_at(&dump, 0x1020));
	assert_string_equal("sec?ond", name_at(&dump, 0x2000));
	assert_string_equal("first", name_at(&dump, 0x301f));
	check_line(&dump, 0x3000, "a.js", 10);
	check_line(&dump, 0x300f, "a.js", 11);
	check_line(&dump, 0x301f, "b.js", 3);
	assert_null(jitdump_line(&dump, range_table_find(&dump.ranges, 0x2000), 0x2000, &line));
	jitdump_done(&dump);
}

static void test_jitdump__either_byte_order(void **state)
{
	(void)state;
	check_sample(false);
	check_sample(true);
}

static void test_jitdump__truncated_files_keep_what_is_whole(void **state)
{
	struct writer w = { 0 };
	struct err err = { 0 };

	(void)state;
	write_sample(&w);
	for (size_t len = 0; len < w.len; len++) {
		uint8_t *copy = malloc(len + 1);
		struct jitdump dump;

		memcpy(copy, w.data, len);
		if (jitdump_parse(copy, len, &dump, &err) == 0) {
			assert_true(len >= 40);
			jitdump_done(&dump);
		} else {
			assert_true(len < 40);
		}
		free(copy);
	}
}

static void test_jitdump__lies_are_counted(void **state)
{
	struct writer w = { 0 };
	struct err err = { 0 };
	struct jitdump dump;
	size_t at;

	(void)state;
	put_header(&w);
	put_move(&w, 0x9000, 0xa000, 0x10); /* of nothing */
	put_load(&w, UINT64_MAX - 1, 0x10, "wraps");
	at = begin(&w, 2);
	put_u64(&w, 0x1000);
	put_u64(&w, UINT64_MAX); /* lines that are not there */
	end(&w, at);
	put_load(&w, 0x1000, 0x10, "good");
	assert_int_equal(0, jitdump_parse(w.data, w.len, &dump, &err));
	assert_int_equal(3, dump.malformed);
	assert_string_equal("good", name_at(&dump, 0x1000));
	jitdump_done(&dump);
	assert_int_equal(-EINVAL, jitdump_parse((const uint8_t *)"nothing", 7, &dump, &err));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_jitdump__either_byte_order),
		cmocka_unit_test(test_jitdump__truncated_files_keep_what_is_whole),
		cmocka_unit_test(test_jitdump__lies_are_counted),
	};

	return cmocka_run_group_tests_name("symbol/jitdump", tests, NULL, NULL);
}

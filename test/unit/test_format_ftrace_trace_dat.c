/* SPDX-License-Identifier: GPL-2.0-or-later */
/* format/ftrace/trace_dat: records of ring buffer pages, and files that are damaged. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "format/ftrace/trace_dat.h"

#define PAGE 4096

static uint8_t page[2 * PAGE];
static size_t used;

static void put_u32(uint32_t value)
{
	memcpy(page + 16 + used, &value, 4);
	used += 4;
}

static void begin_page(uint64_t stamp)
{
	memset(page, 0, sizeof(page));
	memcpy(page, &stamp, 8);
	used = 0;
}

static void end_page(uint32_t flags)
{
	uint32_t commit = (uint32_t)used | flags;

	memcpy(page + 8, &commit, 4);
}

static struct trace_dat_reader open_pages(struct trace_dat *dat, struct trace_dat_cpu *cpu)
{
	struct trace_dat_reader reader;

	*dat = (struct trace_dat){ .long_size = 8 };
	*cpu = (struct trace_dat_cpu){ .cpu = 3, .pages = page, .len = PAGE, .page_size = PAGE };
	trace_dat_reader_init(&reader, dat, cpu);
	return reader;
}

static void test_page__has_records_of_all_types(void **state)
{
	struct trace_dat_reader reader;
	struct trace_dat_event event;
	struct trace_dat_cpu cpu;
	struct trace_dat dat;

	(void)state;
	begin_page(1000);
	put_u32(2 | 5 << 5); /* 8 bytes of data, 5 ns later */
	put_u32(0x11);
	put_u32(0x22);
	put_u32(30 | 7 << 5); /* the time alone: 1 << 27, and 7 */
	put_u32(1);
	put_u32(29 | 1 << 5); /* an event that was discarded, 8 bytes */
	put_u32(8);
	put_u32(0xdead);
	put_u32(0 | 2 << 5); /* with a length of its own */
	put_u32(4 + 6);
	put_u32(0x33);
	put_u32(0x44);
	put_u32(31 | 9 << 5); /* the time as a whole */
	put_u32(2);
	put_u32(1 | 0 << 5);
	put_u32(0x55);
	end_page(0);
	reader = open_pages(&dat, &cpu);
	assert_true(trace_dat_next(&reader, &event));
	assert_int_equal(event.time_ns, 1005);
	assert_int_equal(event.cpu, 3);
	assert_int_equal(event.len, 8);
	assert_int_equal(event.data[0], 0x11);
	assert_true(trace_dat_next(&reader, &event));
	assert_int_equal(event.time_ns, 1005 + (1u << 27) + 7 + 1 + 2);
	assert_int_equal(event.len, 6);
	assert_int_equal(event.data[0], 0x33);
	assert_true(trace_dat_next(&reader, &event));
	assert_int_equal(event.time_ns, (2ull << 27) + 9);
	assert_int_equal(event.data[0], 0x55);
	assert_false(trace_dat_next(&reader, &event));
}

static void test_page__tells_what_was_lost(void **state)
{
	struct trace_dat_reader reader;
	struct trace_dat_event event;
	struct trace_dat_cpu cpu;
	struct trace_dat dat;
	uint64_t lost = 42;

	(void)state;
	begin_page(1);
	put_u32(1);
	put_u32(0);
	end_page(3u << 30);
	memcpy(page + 16 + used, &lost, 8);
	reader = open_pages(&dat, &cpu);
	assert_true(trace_dat_next(&reader, &event));
	assert_int_equal(event.lost, 42);
	end_page(1u << 31);
	reader = open_pages(&dat, &cpu);
	assert_true(trace_dat_next(&reader, &event));
	assert_true(event.lost == UINT64_MAX);
}

static void test_page__ends_where_it_is_damaged(void **state)
{
	struct trace_dat_reader reader;
	struct trace_dat_event event;
	struct trace_dat_cpu cpu;
	struct trace_dat dat;

	(void)state;
	begin_page(1);
	put_u32(0);
	put_u32(5000); /* longer than the page */
	end_page(0);
	reader = open_pages(&dat, &cpu);
	assert_false(trace_dat_next(&reader, &event));
	begin_page(1);
	put_u32(28);
	end_page(0);
	reader = open_pages(&dat, &cpu);
	(void)trace_dat_next(&reader, &event);
}

static void test_time__is_scaled(void **state)
{
	struct trace_dat_reader reader;
	struct trace_dat_event event;
	struct trace_dat_cpu cpu;
	struct trace_dat dat;

	(void)state;
	begin_page(1000);
	put_u32(1);
	put_u32(0);
	end_page(0);
	reader = open_pages(&dat, &cpu);
	dat.multiplier = 3;
	dat.shift = 1;
	dat.tsc_offset = 7;
	dat.offset = -100;
	assert_true(trace_dat_next(&reader, &event));
	assert_int_equal(event.time_ns, 1500 + 7 - 100);
}

static void test_field__is_found_by_its_whole_name(void **state)
{
	static const char text[] =
		"name: x\nID: 7\nformat:\n"
		"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
		"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n"
		"\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:1;\n";
	const struct trace_dat_text format = { text, sizeof(text) - 1 };
	uint32_t offset, size;

	(void)state;
	assert_true(trace_dat_field(format, "common_pid", &offset, &size));
	assert_int_equal(offset, 4);
	assert_true(trace_dat_field(format, "comm", &offset, &size));
	assert_int_equal(size, 16);
	assert_false(trace_dat_field(format, "pid", &offset, &size));
}

static void test_open__refuses_with_a_reason(void **state)
{
	static const char old[] = "\x17\x08\x44tracing5\0\0\x08\0\x10\0\0";
	static const char swapped[] = "\x17\x08\x44tracing6\0\1\x08\0\0\x10\0";
	static const char cut[] = "\x17\x08\x44tracing6\0\0\x08\0\x10\0\0header_page\0";
	struct trace_dat *dat;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(trace_dat_open((const uint8_t *)"", 0, &dat, &err), -EINVAL);
	assert_int_equal(trace_dat_open((const uint8_t *)old, sizeof(old) - 1, &dat, &err),
			 -ENOTSUP);
	assert_non_null(strstr(err.msg, "version 5"));
	assert_int_equal(trace_dat_open((const uint8_t *)swapped, sizeof(swapped) - 1, &dat, &err),
			 -ENOTSUP);
	assert_non_null(strstr(err.msg, "byte order"));
	assert_int_equal(trace_dat_open((const uint8_t *)cut, sizeof(cut) - 1, &dat, &err),
			 -EBADMSG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_page__has_records_of_all_types),
		cmocka_unit_test(test_page__tells_what_was_lost),
		cmocka_unit_test(test_page__ends_where_it_is_damaged),
		cmocka_unit_test(test_time__is_scaled),
		cmocka_unit_test(test_field__is_found_by_its_whole_name),
		cmocka_unit_test(test_open__refuses_with_a_reason),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

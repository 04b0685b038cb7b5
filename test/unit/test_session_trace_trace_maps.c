/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session/trace/trace_maps: mappings of processes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "event/event.h"
#include "session/trace/trace_maps.h"

static void map_file(struct trace_maps *maps, uint32_t pid, uint64_t start, const char *path)
{
	const struct event event = { .type = EVENT_MMAP,
				     .pid = pid,
				     .mmap = { .start = start, .len = 0x1000, .path = path } };

	trace_maps_apply(maps, &event);
}

static const char *path_at(const struct trace_maps *maps, uint32_t pid, uint64_t address)
{
	const struct trace_mapping *mapping = trace_maps_find(maps, pid, address);

	return mapping ? trace_maps_path(maps, mapping) : "";
}

static void test_maps__follow_processes(void **state)
{
	struct event event = { .type = EVENT_FORK, .pid = 8, .tid = 8, .task = { 7, 7 } };
	struct trace_maps maps;

	(void)state;
	trace_maps_init(&maps);
	map_file(&maps, 7, 0x1000, "a");
	map_file(&maps, 7, 0x2000, "b");
	assert_string_equal(path_at(&maps, 7, 0x1fff), "a");
	assert_string_equal(path_at(&maps, 7, 0x2000), "b");
	assert_string_equal(path_at(&maps, 7, 0x3000), "");
	assert_string_equal(path_at(&maps, 8, 0x1000), "");
	trace_maps_apply(&maps, &event);
	map_file(&maps, 7, 0x1800, "c"); /* over both */
	assert_string_equal(path_at(&maps, 7, 0x1fff), "c");
	assert_string_equal(path_at(&maps, 8, 0x1fff), "a");
	event = (struct event){ .type = EVENT_COMM, .pid = 8, .comm = { "x", true } };
	trace_maps_apply(&maps, &event);
	assert_string_equal(path_at(&maps, 8, 0x1000), "");
	event = (struct event){ .type = EVENT_EXIT, .pid = 7, .tid = 9 };
	trace_maps_apply(&maps, &event);
	assert_string_equal(path_at(&maps, 7, 0x1000), "a");
	event.tid = 7;
	trace_maps_apply(&maps, &event);
	assert_string_equal(path_at(&maps, 7, 0x1000), "");
	trace_maps_done(&maps);
}

static void test_maps__that_are_hidden_are_forgotten(void **state)
{
	struct trace_maps maps;

	(void)state;
	trace_maps_init(&maps);
	for (int i = 0; i < 100; i++)
		map_file(&maps, 7, 0x1000, "a");
	assert_int_equal(maps.process.item[0].mapping.count, 1);
	trace_maps_done(&maps);
}

static void test_maps__tell_32_bit_programs(void **state)
{
	struct event event = { .type = EVENT_FORK, .pid = 8, .tid = 8, .task = { 7, 7 } };
	struct trace_maps maps;

	(void)state;
	trace_maps_init(&maps);
	map_file(&maps, 7, 0x400000, "static");
	assert_false(trace_maps_is_compat(&maps, 7));
	map_file(&maps, 7, 0xf7fc0000, "[vdso]");
	assert_true(trace_maps_is_compat(&maps, 7));
	trace_maps_apply(&maps, &event);
	assert_true(trace_maps_is_compat(&maps, 8));
	event = (struct event){ .type = EVENT_COMM, .pid = 8, .comm = { "x", true } };
	trace_maps_apply(&maps, &event);
	map_file(&maps, 8, 0x7ffff7fc0000, "[vdso]");
	assert_false(trace_maps_is_compat(&maps, 8));
	assert_true(trace_maps_is_compat(&maps, 7));
	trace_maps_done(&maps);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_maps__follow_processes),
		cmocka_unit_test(test_maps__that_are_hidden_are_forgotten),
		cmocka_unit_test(test_maps__tell_32_bit_programs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

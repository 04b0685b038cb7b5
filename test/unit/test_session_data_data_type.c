/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Types and fields of this program's own variables; test/live/mem_stalls.sh has pointers in
 * registers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/err.h"
#include "event/event.h"
#include "event/sink.h"
#include "proc/proc.h"
#include "proc/scan.h"
#include "session/data/data_module.h"
#include "session/data/data_place.h"
#include "session/data/data_type.h"
#include "symbol/dwarf/dwarf_type.h"

struct known_item {
	uint64_t key;
	union {
		struct known_item *next;
		long other;
	};
	struct {
		char text[4];
		uint32_t count;
	} inner[3];
};

struct known_item known_items[4], *known_pointer = known_items;

struct world {
	struct sink sink;
	struct module_table *modules;
	struct proc_table *procs;
	struct data_modules *files;
	struct data_places *places;
};

static int apply(struct sink *sink, const struct event *event, struct err *err)
{
	struct world *world = (struct world *)sink;

	(void)err;
	data_places_apply(world->places, event);
	proc_table_apply(world->procs, event);
	return 0;
}

static void open_world(struct world *world)
{
	const struct scan_options scan = { .data_maps = true };
	struct err err = { 0 };

	world->sink = (struct sink){ .event = apply };
	world->modules = module_table_new();
	world->procs = proc_table_new(world->modules);
	world->files = data_modules_new("");
	world->places = data_places_new(world->files, world->modules);
	assert_int_equal(scan_process(getpid(), &scan, &world->sink, &err), 0);
}

static void close_world(struct world *world)
{
	data_places_free(world->places);
	data_modules_free(world->files);
	proc_table_free(world->procs);
	module_table_free(world->modules);
}

static void find(struct world *world, const void *address, struct data_place *ret)
{
	uint32_t pid = (uint32_t)getpid();
	const struct data_subject subject = {
		.pid = pid, .space = proc_table_thread(world->procs, pid, pid)->process->space
	};

	data_place_find(world->places, &subject, (uintptr_t)address, ret);
	assert_non_null(ret->of);
	if (!data_module_dwarf(ret->of))
		skip();
}

static void check(struct world *world, const void *address, const char *want)
{
	struct buf text = { 0 };
	struct data_place place;

	find(world, address, &place);
	assert_true(data_type_put_variable(place.of, place.address, place.offset, &text));
	assert_string_equal(want, text.data);
	buf_done(&text);
}

static void test_data_type__variables(void **state)
{
	struct buf text = { 0 };
	struct data_place place;
	struct world world;

	(void)state;
	open_world(&world);
	check(&world, &known_items[2].key, "known_items[].key (uint64_t)");
	check(&world, &known_items[3].next, "known_items[].next (struct known_item*)");
	check(&world, &known_items[1].inner[2].count, "known_items[].inner[].count (uint32_t)");
	check(&world, &known_items[1].inner[1].text[3], "known_items[].inner[].text[] (char)");
	check(&world, &known_pointer, "known_pointer (struct known_item*)");
	find(&world, &known_pointer, &place);
	assert_false(data_type_put_variable(place.of, place.address + 1, 0, &text));
	assert_int_equal(0, text.len);
	close_world(&world);
}

static void test_data_type__targets(void **state)
{
	const int64_t size = sizeof(struct known_item);
	struct buf text = { 0 };
	struct data_pointer pointer = { 0 };
	struct data_place place;
	struct dwarf_type type;
	struct world world;

	(void)state;
	open_world(&world);
	find(&world, &known_pointer, &place);
	assert_true(data_type_put_variable(place.of, place.address, 0, &text));
	dwarf_type_of(&data_module_variable(place.of, place.address)->die, &type);
	pointer.type = type.die;
	for (int64_t at = -3 * size; at <= 3 * size; at += size) {
		buf_clear(&text);
		assert_true(data_type_put_target(&pointer, at, &text));
		assert_string_equal("struct known_item.key (uint64_t)", text.data);
	}
	assert_false(data_type_pointer(place.of, 0, 0, &pointer));
	assert_false(data_type_pointer(place.of, 0, -1, &pointer));
	buf_done(&text);
	close_world(&world);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_data_type__variables),
		cmocka_unit_test(test_data_type__targets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

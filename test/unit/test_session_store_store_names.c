/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session/store: inputs that are parts of a store, and names for stored places: from this machine,
 * and from what the store learned when the file is gone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <link.h>

#include "store_samples.h"

#include "event/event.h"
#include "proc/build_id.h"
#include "proc/elf_file.h"
#include "session/load/load.h"
#include "session/store/store_input.h"
#include "session/store/store_names.h"
#include "store/selector.h"
#include "view/over_time.h"

#define NOW_NS ((uint64_t)1764000000 * 1000000000)

static void test_store_input__is_taken_apart(void **state)
{
	struct store_input input;
	struct err err = { 0 };

	(void)state;
	assert_false(store_input_is("perf.data"));
	assert_true(store_input_is("store:"));
	assert_int_equal(store_input_parse("store:", NOW_NS, &input, &err), 0);
	assert_string_equal(input.location, STORE_DEFAULT);
	assert_int_equal(input.to_ns, NOW_NS);
	store_input_done(&input);
	assert_int_equal(
		store_input_parse("store:/a/b{x=\"}\", y=~'[a]'}[-2h,-1h]", NOW_NS, &input, &err),
		0);
	assert_string_equal(input.location, "/a/b");
	assert_int_equal(input.selector->count, 2);
	assert_int_equal(NOW_NS - input.from_ns, 7200 * SECOND_NS);
	store_input_done(&input);
	assert_int_not_equal(store_input_parse("store:a[now,-1h]", NOW_NS, &input, &err), 0);
	assert_int_not_equal(store_input_parse("store:a[-1h", NOW_NS, &input, &err), 0);
	assert_int_not_equal(store_input_parse("store:a{x", NOW_NS, &input, &err), 0);
}

static uint64_t file_offset; /* of main() */

static int find_offset(struct dl_phdr_info *info, size_t size, void *context)
{
	uint64_t at = (uint64_t)(uintptr_t)context - info->dlpi_addr;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		if (p->p_type == PT_LOAD && at >= p->p_vaddr && at < p->p_vaddr + p->p_memsz) {
			file_offset = at - p->p_vaddr + p->p_offset;
			return 1;
		}
	}
	return 1; /* the program comes first */
}

int main(void);

static struct profile *raw_profile(const char *path, const struct build_id *id)
{
	struct profile *p = profile_new(0);
	char hex[2 * BUILD_ID_MAX + 1];
	struct frame frame = { .kind = FRAME_USER, .offset = file_offset + 4 };
	struct profile_sample sample = { .event = profile_event(p, "cpu-clock", "ns"),
					 .cpu = PROFILE_NO_CPU,
					 .count = 1,
					 .weight = 7 };

	build_id_hex(id, hex);
	frame.module = profile_module(p, path, hex);
	sample.thread = profile_thread(p, 1, 1, "x");
	sample.stack = profile_stack_push(p, STACK_EMPTY, profile_frame(p, &frame));
	profile_add(p, &sample);
	return p;
}

static void check_name(const char *folder, const struct profile *raw, const char *name)
{
	struct load_options options = { .symbol = { .symfs = "", .demangle = true },
					.detail = RESOLVE_NAMES };
	struct profile *p = profile_new(PROFILE_MERGE_NAMES);
	struct err err = { 0 };
	const struct frame *frame;

	assert_int_equal(store_names_apply(folder, raw, &options, p, &err), 0);
	assert_int_equal(p->events.item[0].weight, 7);
	frame = &p->frames.item[p->nodes.item[p->samples.item[0].stack.v].frame.v];
	assert_string_equal(profile_string(p, frame->function), name);
	profile_free(p);
}

static void test_store_names__come_late_and_stay(void **state)
{
	const struct symbol_options symbol = { .symfs = "" };
	struct build_id id = { 0 };
	struct profile *raw, *gone;
	struct err err = { 0 };
	uint64_t count;
	char folder[64], path[256];
	ssize_t len = readlink("/proc/self/exe", path, sizeof(path) - 1);

	(void)state;
	assert_true(len > 0);
	path[len] = '\0';
	assert_true(build_id_read_file(path, &id));
	(void)dl_iterate_phdr(find_offset, (void *)(uintptr_t)main);
	make_folder(folder);
	raw = raw_profile(path, &id);
	gone = raw_profile("/gone/program", &id);
	check_name(folder, raw, "main");
	check_name(folder, gone, ""); /* no such file, no name */
	assert_int_equal(store_names_learn(folder, raw, &symbol, &count, &err), 0);
	assert_int_equal(count, 1);
	check_name(folder, gone, "main");
	profile_free(raw);
	profile_free(gone);
	remove_folder(folder);
}

static void test_over_time__functions(void **state)
{
	struct over_time self = { .first_ns = MONDAY_NS,
				  .step_ns = 100 * SECOND_NS,
				  .columns = 10 };
	struct over_time total = self;
	struct sample_plan plan = { MONDAY_NS, SECOND_NS, 1, 1000, NULL };
	struct profile *p = profile_new(PROFILE_KEEP_TIME);
	uint64_t sum = fill_samples(p, &plan), rows = 0;

	(void)state;
	over_time_of_functions(p, false, &self);
	over_time_of_functions(p, true, &total);
	for (size_t i = 0; i < self.rows.count; i++)
		for (size_t c = 0; c < 10; c++)
			rows += self.rows.item[i].weight[c];
	assert_int_equal(rows, sum);
	assert_int_equal(self.total, sum);
	assert_int_equal(self.rows.count, 11);
	assert_int_equal(total.rows.count, 33);
	assert_true(total.rows.item[0].total >= self.rows.item[0].total);
	over_time_done(&self);
	over_time_done(&total);
	profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_store_input__is_taken_apart),
		cmocka_unit_test(test_store_names__come_late_and_stay),
		cmocka_unit_test(test_over_time__functions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

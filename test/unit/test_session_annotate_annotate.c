// SPDX-License-Identifier: GPL-2.0-or-later
/* session/annotate: this program's own code, with samples at known instructions. */
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/suggest.h"
#include "proc/elf_file.h"
#include "profile/profile.h"
#include "session/annotate/annotate.h"
#include "session/annotate/annotate_index.h"
#include "session/annotate/annotate_source.h"

#define FUNCTION_BYTES 128 /* about */

/* A loop, and a call. */
__attribute__((noinline, used)) static unsigned long sampled_loop(unsigned long n)
{
	unsigned long sum = 0;

	for (unsigned long i = 0; i < n; i++)
		sum += strtoul(i & 1 ? "1" : "2", NULL, 10);
	return sum;
}

static int take_base(struct dl_phdr_info *info, size_t size, void *ret)
{
	(void)size;
	*(uint64_t *)ret = info->dlpi_addr;
	return 1; /* the first is the program */
}

/* Where the function lies in the file. */
static uint64_t offset_of(const struct elf_file *elf)
{
	uint64_t base, offset;

	(void)dl_iterate_phdr(take_base, &base);
	assert_true(elf_file_offset(elf, (uintptr_t)sampled_loop - base, &offset));
	return offset;
}

struct scene {
	struct profile *profile;
	struct annotate_index index;
	struct elf_file *elf;
	uint64_t start;
	char path[PATH_MAX];
};

static void add_sample(struct scene *scene, uint64_t offset, const char *function, uint64_t count)
{
	struct profile *p = scene->profile;
	char id[2 * BUILD_ID_MAX + 1];
	struct frame frame = { .function = strtab_puts(p->strings, function),
			       .offset = offset,
			       .symbol_start = scene->start,
			       .symbol_end = scene->start + FUNCTION_BYTES };
	struct profile_sample s = { .event = profile_event(p, "cpu-clock", "ns"),
				    .thread = profile_thread(p, 1, 1, "app"),
				    .weight = count * 1000,
				    .count = count };

	build_id_hex(&scene->elf->build_id, id);
	frame.module = profile_module(p, scene->path, id);
	s.stack = profile_stack_push(p, STACK_EMPTY, profile_frame(p, &frame));
	profile_add(p, &s);
}

static void set_up(struct scene *scene)
{
	struct err err = { 0 };
	ssize_t len = readlink("/proc/self/exe", scene->path, sizeof(scene->path) - 1);

	assert_true(len > 0);
	scene->path[len] = '\0';
	assert_int_equal(0, elf_file_open(scene->path, &scene->elf, &err));
	scene->start = offset_of(scene->elf);
	scene->profile = profile_new(0);
}

static void tear_down(struct scene *scene)
{
	annotate_index_done(&scene->index);
	profile_free(scene->profile);
	elf_file_close(scene->elf);
}

static int build(struct scene *scene, struct annotation **ret, struct err *err)
{
	struct annotate_options options = { .lines = true, .source = true };
	struct annotator *annotator;
	size_t at;
	int code;

	profile_count(scene->profile);
	annotate_index_find(scene->profile, &scene->index);
	at = annotate_index_search(&scene->index, "sampled_loop", ANNOTATE_NAME, NULL, 0);
	assert_true(at != SIZE_MAX);
	options.symbol.demangle = true;
	annotator = annotator_new(&options);
	code = annotator_build(annotator, &scene->index, at, ret, err);
	annotator_free(annotator);
	return code;
}

static void test_annotate__samples_are_at_their_instructions(void **state)
{
	struct scene scene = { 0 };
	struct annotation *a;
	struct err err = { 0 };

	(void)state;
	set_up(&scene);
	add_sample(&scene, scene.start, "sampled_loop", 3);
	add_sample(&scene, scene.start, "sampled_loop", 4);
	assert_int_equal(0, build(&scene, &a, &err));
	assert_string_equal("sampled_loop", a->function);
	assert_int_equal(7, annotation_count(a, 0, 0)->samples);
	assert_int_equal(7000, annotation_count(a, 0, 0)->weight);
	assert_int_equal(0, annotation_count(a, 1, 0)->samples);
	assert_int_equal(7, a->events.item[0].samples.samples);
	for (size_t i = 1; i < a->rows.count; i++)
		assert_int_equal(a->rows.item[i - 1].address + a->rows.item[i - 1].len,
				 a->rows.item[i].address);
	annotation_free(a);
	tear_down(&scene);
}

static void test_annotate__calls_and_lines_are_resolved(void **state)
{
	struct scene scene = { 0 };
	struct annotation *a;
	struct err err = { 0 };
	bool called = false, lines = false;

	(void)state;
	set_up(&scene);
	add_sample(&scene, scene.start, "sampled_loop", 1);
	assert_int_equal(0, build(&scene, &a, &err));
	for (size_t i = 0; i < a->rows.count; i++) {
		const struct annotation_frame *place = annotation_place(a, &a->rows.item[i]);

		called |= a->rows.item[i].callee && strstr(a->rows.item[i].callee, "strtoul");
		lines |= place && place->file && strstr(place->file, "test_session_annotate");
	}
	assert_true(called);
	assert_true(lines);
	annotation_free(a);
	tear_down(&scene);
}

static void test_annotate__changed_file_is_refused(void **state)
{
	struct scene scene = { 0 };
	struct annotation *a;
	struct err err = { 0 };

	(void)state;
	set_up(&scene);
	scene.elf->build_id.bytes[0] ^= 1; /* the recorded one */
	add_sample(&scene, scene.start, "sampled_loop", 1);
	assert_true(build(&scene, &a, &err) < 0);
	assert_non_null(strstr(err.msg, "build id"));
	tear_down(&scene);
}

static void test_annotate__other_cpu_is_refused(void **state)
{
	struct scene scene = { 0 };
	struct annotation *a;
	struct err err = { 0 };

	(void)state;
	set_up(&scene);
	scene.profile->meta.arch = strtab_puts(
		scene.profile->strings, scene.elf->machine == EM_X86_64 ? "aarch64" : "x86_64");
	add_sample(&scene, scene.start, "sampled_loop", 1);
	assert_int_equal(-ENOEXEC, build(&scene, &a, &err));
	assert_non_null(strstr(err.msg, "another CPU"));
	tear_down(&scene);
}

static void test_annotate_index__distinguishes_functions(void **state)
{
	struct scene scene = { 0 };
	struct suggest suggest = { .word = "sampled_lop" };
	uint32_t *order;
	size_t count;

	(void)state;
	set_up(&scene);
	add_sample(&scene, scene.start + 1, "sampled_loop", 2);
	scene.start += FUNCTION_BYTES;
	add_sample(&scene, scene.start, "other", 5);
	add_sample(&scene, scene.start + FUNCTION_BYTES, "other", 1); /* outside of its function */
	annotate_index_find(scene.profile, &scene.index);
	assert_int_equal(2, scene.index.functions.count);
	assert_int_equal(1, scene.index.nameless);
	order = annotate_index_order(&scene.index, 0, &count);
	assert_int_equal(2, count);
	assert_int_equal(annotate_index_search(&scene.index, "other", ANNOTATE_NAME, NULL, 0),
			 order[0]);
	free(order);
	assert_true(annotate_index_search(&scene.index, NULL, ANNOTATE_NAME, "libc.so.6,libm.so.6",
					  0) == SIZE_MAX);
	assert_int_equal(0,
			 annotate_index_search(&scene.index, NULL, ANNOTATE_NAME, scene.path, 0));
	annotate_index_suggest(&scene.index, &suggest);
	assert_int_equal(1, suggest.count);
	assert_string_equal("sampled_loop", suggest.best[0].name);
	tear_down(&scene);
}

static void test_annotate_index__two_functions_of_one_name_are_apart(void **state)
{
	struct scene scene = { 0 };
	size_t first, second;

	(void)state;
	set_up(&scene);
	add_sample(&scene, scene.start, "hot", 1);
	scene.start += FUNCTION_BYTES;
	add_sample(&scene, scene.start, "hot", 5);
	annotate_index_find(scene.profile, &scene.index);
	first = annotate_index_at(&scene.index, "hot", scene.path, scene.start - FUNCTION_BYTES);
	second = annotate_index_at(&scene.index, "hot", scene.path, scene.start);
	assert_int_equal(scene.index.functions.item[first].count[0].samples, 1);
	assert_int_equal(scene.index.functions.item[second].count[0].samples, 5);
	/* One that begins elsewhere: the one with most samples. */
	assert_int_equal(annotate_index_at(&scene.index, "hot", NULL, 1), second);
	assert_true(annotate_index_at(&scene.index, "cold", NULL, 1) == SIZE_MAX);
	/* Without a name, by an address in it. */
	assert_int_equal(annotate_index_covering(&scene.index, scene.path, scene.start + 1),
			 second);
	assert_int_equal(annotate_index_covering(&scene.index, NULL, scene.start - 1), first);
	assert_true(annotate_index_covering(&scene.index, "libc.so.6", scene.start) == SIZE_MAX);
	assert_true(annotate_index_covering(&scene.index, NULL, scene.start + FUNCTION_BYTES) ==
		    SIZE_MAX);
	tear_down(&scene);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_annotate__samples_are_at_their_instructions),
		cmocka_unit_test(test_annotate__calls_and_lines_are_resolved),
		cmocka_unit_test(test_annotate__changed_file_is_refused),
		cmocka_unit_test(test_annotate__other_cpu_is_refused),
		cmocka_unit_test(test_annotate_index__distinguishes_functions),
		cmocka_unit_test(test_annotate_index__two_functions_of_one_name_are_apart),
	};

	(void)sampled_loop(1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}

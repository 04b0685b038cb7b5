/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The access before a sampled instruction, in this program's own code, and what is there: a
 * variable, a stack, anonymous memory, the kernel. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/err.h"
#include "bpf/arch/registers.h"
#include "event/event.h"
#include "proc/elf_file.h"
#include "proc/proc.h"
#include "proc/scan.h"
#include "profile/profile.h"
#include "session/data/data_module.h"
#include "session/data/data_place.h"
#include "session/data/stall.h"
#include "session/load/load.h"
#include "session/load/load_access.h"
#include "session/record/recording_options.h"
#include "session/record_profile.h"
#include "source/arch.h"
#include "symbol/elf/elf_objects.h"

uint64_t known_words[4] = { 1, 2, 3, 4 };

struct world {
	struct sink sink;
	struct module_table *modules;
	struct proc_table *procs;
	struct data_modules *files;
	struct data_places *places;
	struct stalls *stalls;
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
	world->stalls = stalls_new(world->files);
	assert_int_equal(scan_process(getpid(), &scan, &world->sink, &err), 0);
}

static void close_world(struct world *world)
{
	stalls_free(world->stalls);
	data_places_free(world->places);
	data_modules_free(world->files);
	proc_table_free(world->procs);
	module_table_free(world->modules);
}

static const struct address_space *own_space(struct world *world)
{
	uint32_t pid = (uint32_t)getpid();

	return proc_table_thread(world->procs, pid, pid)->process->space;
}

static void test_data_place__names_what_is_there(void **state)
{
	void *anonymous =
		mmap(NULL, 1 << 16, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct world world;
	struct data_subject subject = { .pid = (uint32_t)getpid() };
	struct data_place place;
	uint64_t local = 0;

	(void)state;
	open_world(&world);
	subject.space = own_space(&world);
	data_place_find(world.places, &subject, (uintptr_t)&known_words[2], &place);
	assert_int_equal(place.kind, ACCESS_GLOBAL);
	assert_string_equal(place.object, "known_words");
	assert_int_equal(place.offset, 16);
	assert_int_equal(place.size, 32);
	data_place_find(world.places, &subject, (uintptr_t)anonymous + 5, &place);
	assert_int_equal(place.kind, ACCESS_ANONYMOUS);
	data_place_find(world.places, &subject, UINT64_MAX - 5, &place);
	assert_int_equal(place.kind, ACCESS_KERNEL);
	data_place_find(world.places, &subject, 8, &place);
	assert_int_equal(place.kind, ACCESS_UNKNOWN);
#ifndef __SANITIZE_ADDRESS__
	subject.sp = (uintptr_t)&local;
	data_place_find(world.places, &subject, (uintptr_t)&local, &place);
	assert_int_equal(place.kind, ACCESS_STACK);
#endif
	(void)local;
	close_world(&world);
	(void)munmap(anonymous, 1 << 16);
}

static void test_elf_objects__by_name_and_address(void **state)
{
	struct elf_file *elf;
	struct elf_objects objects;
	const struct elf_object *object;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(elf_file_open("/proc/self/exe", &elf, &err), 0);
	elf_objects_read(elf, NULL, &objects);
	assert_true(objects.complete);
	object = elf_objects_named(&objects, "known_words");
	assert_non_null(object);
	assert_ptr_equal(elf_objects_at(&objects, object->address + 31), object);
	assert_ptr_not_equal(elf_objects_at(&objects, object->address + object->size), object);
	assert_null(elf_objects_named(&objects, "no_such_variable"));
	elf_objects_done(&objects);
	elf_file_close(elf);
}

#ifdef __x86_64__
/* Loads through rdi, with an index, and through a register that the load overwrites. */
extern const char after_plain[], after_index[], after_chase[], after_none[];
__asm__(".text\n"
	".type loads, @function\n"
	"loads:\n"
	"	mov 8(%rdi), %rax\n"
	".globl after_plain\nafter_plain:\n"
	"	add (%rdi,%rcx,8), %rax\n"
	".globl after_index\nafter_index:\n"
	"	mov (%rdi), %rdi\n"
	".globl after_chase\nafter_chase:\n"
	"	lea (%rdi), %rax\n"
	".globl after_none\nafter_none:\n"
	"	ret\n"
	".size loads, .-loads\n");

static void find(struct world *world, const char *ip, struct stall *ret)
{
	uint64_t registers[CPU_REGISTERS] = { 0 };
	struct event event = {
		.type = EVENT_SAMPLE,
		.misc = PERF_RECORD_MISC_USER,
		.sample = { .ip = (uintptr_t)ip, .raw = registers, .raw_len = sizeof(registers) }
	};

	registers[2] = 3;		       /* rcx */
	registers[5] = (uintptr_t)known_words; /* rdi */
	stall_find(world->stalls, &event, own_space(world), ret);
}

static void test_stall__address_of_the_load_before(void **state)
{
	struct world world;
	struct stall stall;

	(void)state;
	open_world(&world);
	find(&world, after_plain, &stall);
	if (stall.kind == ACCESS_NONE) {
		close_world(&world); /* without the disassembler */
		skip();
	}
	assert_int_equal(stall.addr, (uintptr_t)&known_words[1]);
	assert_false(stall.writes);
	find(&world, after_index, &stall);
	assert_int_equal(stall.addr, (uintptr_t)&known_words[3]);
	find(&world, after_chase, &stall);
	assert_int_equal(stall.kind, ACCESS_OVERWRITTEN);
	assert_int_equal(stall.addr, (uintptr_t)known_words);
	find(&world, after_none, &stall);
	assert_int_equal(stall.kind, ACCESS_NONE);
	close_world(&world);
}
#endif

static void test_load_access__keeps_cost_and_address(void **state)
{
	const struct load_options options = { .symbol = { .symfs = "" },
					      .access = LOAD_ACCESS_COST };
	struct world world;
	struct load_access_table *table;
	struct profile *profile =
		profile_new(PROFILE_KEEP_ADDR | PROFILE_KEEP_TIME | PROFILE_ADDR_IS_ACCESS);
	struct event event = { .type = EVENT_SAMPLE,
			       .pid = (uint32_t)getpid(),
			       .sample = { .addr = (uintptr_t)&known_words[1], .weight = 42 } };
	uint64_t weight = 7;

	(void)state;
	open_world(&world);
	table = load_access_new(&options, world.modules);
	assert_int_equal(load_access_add(table, &event, own_space(&world), &weight), 0);
	assert_int_equal(weight, 42);
	event.sample.weight = 0;
	assert_int_equal(load_access_add(table, &event, own_space(&world), &weight), 1);
	assert_int_equal(weight, 1);
	load_access_finish(table, profile);
	assert_int_equal(profile->accesses.count, 2);
	assert_string_equal(profile_string(profile, profile->accesses.item[0].object),
			    "known_words");
	assert_int_equal(profile->accesses.item[0].weight, 42);
	load_access_free(table);
	profile_free(profile);
	close_world(&world);
}

static void test_record_profile__fails_without_a_profile(void **state)
{
	const struct load_options load = { .symbol = { .symfs = "" } };
	struct recording_options record = { 0 };
	struct recorded recorded;
	struct err err = { 0 };

	(void)state;
	vec_push(&record.source.selector, ((struct record_selector){ .text = "no-such-event" }));
	assert_true(record_profile(&record, &load, NULL, &recorded, &err) < 0);
	assert_null(recorded.profile);
	recorded_done(&recorded);
	vec_done(&record.source.selector);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_data_place__names_what_is_there),
		cmocka_unit_test(test_elf_objects__by_name_and_address),
#ifdef __x86_64__
		cmocka_unit_test(test_stall__address_of_the_load_before),
#endif
		cmocka_unit_test(test_load_access__keeps_cost_and_address),
		cmocka_unit_test(test_record_profile__fails_without_a_profile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

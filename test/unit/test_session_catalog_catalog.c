/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session/catalog: what a machine of files offers, and what this kernel opens. */
#include <errno.h>
#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "session/catalog/catalog.h"
#include "session/catalog/catalog_meanings.h"
#include "source/event_spec/event_names.h"

static char root[64];

static void put_file(const char *path, const char *text)
{
	char full[256];
	FILE *file;

	(void)snprintf(full, sizeof(full), "%s%s", root, path);
	for (char *slash = strchr(full + strlen(root) + 1, '/'); slash;
	     slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		assert_true(mkdir(full, 0755) == 0 || errno == EEXIST);
		*slash = '/';
	}
	file = fopen(full, "we");
	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

static const struct catalog_entry *find(const struct catalog *catalog, const char *name)
{
	for (size_t i = 0; i < catalog->entry.count; i++)
		if (strcmp(catalog->entry.item[i].name, name) == 0)
			return &catalog->entry.item[i];
	return NULL;
}

static void collect(enum catalog_group group, struct catalog *ret)
{
	struct catalog_options options = { .root = root, .fields = true };

	options.group[group] = true;
	catalog_collect(&options, ret);
	catalog_describe(&options, ret);
	for (size_t i = 0; i < ret->entry.count; i++)
		assert_int_equal(ret->entry.item[i].group, group);
}

static void test_catalog__has_the_events_of_pmus_and_tracefs(void **state)
{
	struct catalog catalog;
	const struct catalog_entry *entry;

	(void)state;
	put_file("/sys/bus/event_source/devices/test_pmu/type", "4000000\n");
	put_file("/sys/bus/event_source/devices/test_pmu/format/event", "config:0-7\n");
	put_file("/sys/bus/event_source/devices/test_pmu/events/energy", "event=0x2\n");
	put_file("/sys/bus/event_source/devices/test_pmu/events/energy.unit", "Joules\n");
	collect(CATALOG_PMU, &catalog);
	entry = find(&catalog, "test_pmu/energy/");
	assert_non_null(entry);
	assert_string_equal(entry->meaning, "energy of the PMU test_pmu, counted in Joules");
	assert_string_equal(entry->details, "test_pmu/event=0x2/");
	assert_true(entry->code < 0); /* the kernel does not have it */
	catalog_done(&catalog);
	collect(CATALOG_RAW, &catalog);
	assert_non_null(find(&catalog, "rNNN"));
	assert_non_null(find(&catalog, "test_pmu/event=N/"));
	catalog_done(&catalog);

	collect(CATALOG_TRACEPOINT, &catalog);
	assert_int_equal(catalog.entry.count, 0);
	assert_non_null(strstr(catalog.note[CATALOG_TRACEPOINT], "mount -t tracefs"));
	catalog_done(&catalog);
	put_file("/sys/kernel/tracing/events/sub/one/id", "4000000\n");
	put_file("/sys/kernel/tracing/events/sub/one/format",
		 "name: one\nID: 4000000\nformat:\n"
		 "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"
		 "\tfield:char * name;\toffset:8;\tsize:8;\tsigned:0;\n"
		 "\tfield:pid_t pid;\toffset:16;\tsize:4;\tsigned:1;\n\nprint fmt: \"\"\n");
	collect(CATALOG_TRACEPOINT, &catalog);
	entry = find(&catalog, "sub:one");
	assert_non_null(entry);
	assert_string_equal(entry->details, "name pid");
	assert_string_equal(entry->meaning, "sub: one; fields name, pid");
	assert_true(entry->code < 0);
	catalog_done(&catalog);
}

static void test_catalog__every_name_parses_and_has_a_meaning(void **state)
{
	static const enum catalog_group generic[] = { CATALOG_HARDWARE, CATALOG_SOFTWARE,
						      CATALOG_CACHE };

	(void)state;
	for (size_t g = 0; g < 3; g++) {
		struct catalog catalog;

		collect(generic[g], &catalog);
		assert_true(catalog.entry.count >= 10);
		for (size_t i = 0; i < catalog.entry.count; i++) {
			const struct catalog_entry *entry = &catalog.entry.item[i];
			uint64_t config, other;
			uint32_t type;
			char details[64];

			assert_non_null(entry->meaning);
			if (event_tool_find(entry->name) != EVENT_TOOL_NONE)
				continue; /* stat's own, not the kernel's */
			assert_true(event_name_find(entry->name, &type, &config));
			(void)snprintf(details, sizeof(details), "type %u, config 0x%llx", type,
				       (unsigned long long)config);
			assert_string_equal(entry->details, details);
			if (entry->alias) {
				assert_true(event_name_find(entry->alias, &type, &other));
				assert_int_equal(config, other);
			}
			if (entry->code)
				assert_true(catalog_reason(entry)[0]);
		}
		catalog_done(&catalog);
	}
}

static void test_catalog_group__by_the_words_of_perf(void **state)
{
	(void)state;
	assert_int_equal(catalog_group_find("hw"), CATALOG_HARDWARE);
	assert_int_equal(catalog_group_find("hardware"), CATALOG_HARDWARE);
	assert_int_equal(catalog_group_find("tracepoint"), CATALOG_TRACEPOINT);
	assert_int_equal(catalog_group_find("sched:*"), CATALOG_GROUPS);
}

static int setup(void **state)
{
	(void)state;
	(void)snprintf(root, sizeof(root), "/tmp/cupel-catalog-XXXXXX");
	return mkdtemp(root) ? 0 : -1;
}

static int teardown(void **state)
{
	char command[128];

	(void)state;
	(void)snprintf(command, sizeof(command), "rm -r %s", root);
	return system(command);
}

static void test_tracepoints_have_meanings(void **state)
{
	struct catalog catalog = { 0 };

	(void)state;
	assert_string_equal(catalog_tracepoint_meaning("sched:sched_switch", &catalog),
			    "a CPU goes from one thread to another");
	assert_non_null(catalog_tracepoint_meaning("block:block_bio_queue", &catalog));
	assert_non_null(catalog_tracepoint_meaning("xdp:xdp_exception", &catalog));
	assert_string_equal(catalog_tracepoint_meaning("syscalls:sys_enter_openat", &catalog),
			    "openat() is called");
	assert_string_equal(catalog_tracepoint_meaning("syscalls:sys_exit_openat", &catalog),
			    "openat() returns");
	assert_null(catalog_tracepoint_meaning("sched:none", &catalog));
	catalog_done(&catalog);
}

static void test_other_tracepoints_have_the_words_of_their_names(void **state)
{
	static const struct {
		const char *name, *fields, *meaning;
	} row[] = {
		{ "xfs:xfs_inode_alloc", "dev ino", "XFS files: inode alloc; fields dev, ino" },
		{ "xfs:xfs", "", "XFS files: xfs; no fields" },
		{ "sched:sched_dev_rq", "comm[16] pid",
		  "scheduler: device request; fields comm, pid" },
		{ "kmem:mm_many", "a b c d e f g h",
		  "kernel memory: many; fields a, b, c, d and 4 more" },
		{ "timer_migration:tmigr_cpu_idle", NULL,
		  "timers of idle CPUs: cpu idle; its format cannot be read" },
		{ "mine:__one__two_", "x", "mine: one two; fields x" },
		{ "x:", "", "x:; no fields" },
		{ "no_colon", "", ": no colon; no fields" },
	};
	struct catalog catalog = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++)
		assert_string_equal(catalog_tracepoint_words(row[i].name, row[i].fields, &catalog),
				    row[i].meaning);
	catalog_done(&catalog);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tracepoints_have_meanings),
		cmocka_unit_test(test_other_tracepoints_have_the_words_of_their_names),
		cmocka_unit_test(test_catalog__has_the_events_of_pmus_and_tracefs),
		cmocka_unit_test(test_catalog__every_name_parses_and_has_a_meaning),
		cmocka_unit_test(test_catalog_group__by_the_words_of_perf),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}

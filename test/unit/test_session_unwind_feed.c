/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session/unwind: processes are followed by their events, tables appear, and a stack is walked with
 * nothing else, as in the kernel. The process is this one, and those it makes up. */
#include <dirent.h>
#include <execinfo.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <ucontext.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/err.h"
#include "event/event.h"
#include "pool_walk.h"
#include "proc/address_space.h"
#include "proc/elf_file.h"
#include "proc/module.h"
#include "proc/scan.h"
#include "session/unwind/address_ranges.h"
#include "session/unwind/table_loader.h"
#include "session/unwind/table_store.h"
#include "session/unwind/table_sync.h"
#include "unwind/compact/compact_writer.h"

#define SECOND	  1000000000u
#define SETTLE_NS (UINT64_C(60) * SECOND)
#define OTHER	  4194303u /* a process id that is hardly in use */

struct feeding {
	struct sink sink;
	struct table_sync *feed;
};

static int pass_on(struct sink *sink, const struct event *event, struct err *err)
{
	(void)err;
	table_sync_event(((struct feeding *)sink)->feed, event);
	return 0;
}

static struct table_sync *open_feed(bool eager, const char *folder)
{
	const struct table_sync_options options = {
		.in_memory = true, .eager = eager, .no_disk_cache = !folder, .cache_folder = folder
	};
	struct table_sync *feed;
	struct err err = { 0 };

	assert_int_equal(0, table_sync_open(&options, &feed, &err));
	return feed;
}

static void scan_self(struct table_sync *feed)
{
	struct feeding feeding = { .sink = { .event = pass_on }, .feed = feed };
	const struct scan_options options = { 0 };
	struct err err = { 0 };

	assert_int_equal(0, scan_process(getpid(), &options, &feeding.sink, &err));
}

static const struct unwind_space *space_of(struct table_sync *feed, uint32_t pid)
{
	return unwind_pool_space_of(table_sync_pool(feed), pid);
}

static bool has_range(struct table_sync *feed, uint32_t pid, uint64_t pc)
{
	const struct unwind_space *space = space_of(feed, pid);
	struct pool_walk walk = { .pool = table_sync_pool(feed) };
	struct unwind_range range;

	return space && unwind_find_range(&walk, space->where, pc, &range);
}

static void send_map(struct table_sync *feed, uint32_t pid, uint64_t start, const char *path)
{
	const struct event event = { .type = EVENT_MMAP,
				     .misc = PERF_RECORD_MISC_USER,
				     .pid = pid,
				     .tid = pid,
				     .mmap = { .start = start,
					       .len = 0x10000,
					       .prot = PROT_READ | PROT_EXEC,
					       .path = path } };

	table_sync_event(feed, &event);
}

static void send_fork(struct table_sync *feed, uint32_t parent, uint32_t child)
{
	const struct event event = { .type = EVENT_FORK,
				     .pid = child,
				     .tid = child,
				     .task = { .ppid = parent, .ptid = parent } };

	table_sync_event(feed, &event);
}

static void send_exec(struct table_sync *feed, uint32_t pid)
{
	const struct event event = {
		.type = EVENT_COMM, .pid = pid, .tid = pid, .comm = { .name = "new", .exec = true }
	};

	table_sync_event(feed, &event);
}

static void send_exit(struct table_sync *feed, uint32_t pid)
{
	const struct event event = { .type = EVENT_EXIT, .pid = pid, .tid = pid };

	table_sync_event(feed, &event);
}

/* The walk of this thread's stack from here, with only what the feed published. */
static __attribute__((noinline)) enum stack_stop walk_self(struct table_sync *feed, uint64_t *pcs,
							   size_t size, size_t *count)
{
	struct pool_walk walk = { .pool = table_sync_pool(feed) };
	const greg_t *regs;
	ucontext_t here;

	(void)getcontext(&here);
	regs = here.uc_mcontext.gregs;
	walk.where = space_of(feed, (uint32_t)getpid())->where;
	walk.stack_start = (uint64_t)regs[REG_RSP];
	walk.stack = (const uint8_t *)walk.stack_start;
	/* the stack goes on at least to where the environment is */
	walk.stack_len = (uint64_t)(uintptr_t)environ - walk.stack_start;
	return pool_walk(&walk,
			 (struct unwind_frame){ .pc = (uint64_t)regs[REG_RIP],
						.sp = (uint64_t)regs[REG_RSP],
						.bp = (uint64_t)regs[REG_RBP],
						.leaf = true,
						.exact = true },
			 pcs, size, count);
}

static int qsort_stop = -1;
static struct table_sync *qsort_feed;
static size_t qsort_frames;

static int compare_while_walking(const void *a, const void *b)
{
	uint64_t pcs[64];

	if (qsort_stop < 0)
		qsort_stop = (int)walk_self(qsort_feed, pcs, 64, &qsort_frames);
	return *(const int *)a - *(const int *)b;
}

static void test_table_sync__a_stack_is_walked_to_its_root(void **state)
{
	struct table_sync *feed = open_feed(true, NULL);
	int numbers[] = { 3, 1, 2 };
	uint64_t pcs[64];
	void *theirs[64];
	size_t count;
	int n;

	(void)state;
	scan_self(feed);
	table_sync_settle(feed, SETTLE_NS);
	assert_int_equal(STACK_STOP_ROOT, walk_self(feed, pcs, 64, &count));
	n = backtrace(theirs, 64);
	assert_true(n >= 3 && count >= 4);
	for (size_t i = 1; i < count - 2; i++) /* from the root to the caller of this function */
		assert_int_equal((uintptr_t)theirs[(size_t)n - i], pcs[count - i]);
	qsort_feed = feed;
	qsort(numbers, 3, sizeof(*numbers), compare_while_walking);
	assert_int_equal(STACK_STOP_ROOT, qsort_stop);
	assert_true(qsort_frames > count);
	table_sync_close(feed);
}

static void test_table_sync__tables_come_when_they_are_wanted(void **state)
{
	struct table_sync *feed = open_feed(false, NULL);
	struct table_sync_stats stats;
	uint64_t pcs[64];
	size_t count;
	unsigned rounds = 0;

	(void)state;
	scan_self(feed);
	table_sync_tick(feed, SECOND);
	table_sync_stats(feed, &stats);
	assert_int_equal(0, stats.pool.binaries);
	while (walk_self(feed, pcs, 64, &count) == STACK_STOP_NO_TABLE && rounds++ < 20) {
		table_sync_tick(feed, SECOND);
		table_sync_settle(feed, SETTLE_NS);
	}
	assert_int_equal(STACK_STOP_ROOT, walk_self(feed, pcs, 64, &count));
	table_sync_stats(feed, &stats);
	assert_true(stats.pool.binaries >= 1 && stats.pool.binaries < stats.binaries);
	assert_int_equal(0, stats.loader.missing);
	table_sync_close(feed);
}

static void test_table_sync__forks_share_until_one_maps(void **state)
{
	struct table_sync *feed = open_feed(false, NULL);
	uint32_t self = (uint32_t)getpid();
	uint64_t here = (uint64_t)(uintptr_t)pass_on;

	(void)state;
	scan_self(feed);
	table_sync_tick(feed, 1);
	assert_true(has_range(feed, self, here));
	assert_int_not_equal(0, space_of(feed, self)->stack_top);
	send_fork(feed, self, OTHER);
	assert_ptr_equal(space_of(feed, self), space_of(feed, OTHER));
	send_map(feed, OTHER, 0x10000, "//anon");
	table_sync_tick(feed, 2);
	assert_ptr_not_equal(space_of(feed, self), space_of(feed, OTHER));
	assert_true(has_range(feed, OTHER, 0x10000) && has_range(feed, OTHER, here));
	assert_false(has_range(feed, self, 0x10000));
	assert_int_equal(space_of(feed, self)->stack_top, space_of(feed, OTHER)->stack_top);
	table_sync_close(feed);
}

static void test_table_sync__an_exec_withdraws_at_once(void **state)
{
	struct table_sync *feed = open_feed(false, NULL);
	uint32_t self = (uint32_t)getpid();

	(void)state;
	scan_self(feed);
	table_sync_tick(feed, 1);
	send_fork(feed, self, OTHER);
	send_exec(feed, OTHER);
	assert_null(space_of(feed, OTHER));
	assert_non_null(space_of(feed, self));
	send_exec(feed, self);
	assert_null(space_of(feed, self));
	/* What comes next does not hold what the process really runs: it is not believed at once.
	 */
	send_map(feed, self, 0x10000, "//anon");
	table_sync_tick(feed, SECOND);
	assert_null(space_of(feed, self));
	table_sync_tick(feed, 3u * SECOND);
	assert_non_null(space_of(feed, self));
	table_sync_close(feed);
}

static void send_at(struct table_sync *feed, struct event event, uint32_t pid, uint64_t time_ns)
{
	event.has_time = true;
	event.time_ns = time_ns;
	event.pid = event.tid = pid;
	table_sync_event(feed, &event);
}

static void test_table_sync__events_are_put_in_order(void **state)
{
	char path[] = "//anon";
	const struct event fork = { .type = EVENT_FORK, .task = { .ppid = (uint32_t)getpid() } };
	const struct event exec = { .type = EVENT_COMM, .comm = { .name = "new", .exec = true } };
	const struct event map = {
		.type = EVENT_MMAP,
		.misc = PERF_RECORD_MISC_USER,
		.mmap = { .start = 0x10000, .len = 0x1000, .prot = PROT_EXEC, .path = path }
	};
	struct table_sync *feed = open_feed(false, NULL);
	uint32_t self = (uint32_t)getpid();
	uint64_t here = (uint64_t)(uintptr_t)pass_on;

	(void)state;
	scan_self(feed);
	table_sync_tick(feed, 1);
	send_at(feed, map, self, 50); /* of this process, so that /proc can be asked */
	send_at(feed, exec, OTHER, 30);
	send_at(feed, fork, OTHER, 20);
	send_at(feed, fork, OTHER - 1, 21);
	memset(path, 'x', strlen(path)); /* pointers end with the call */
	table_sync_tick(feed, 2);
	assert_null(space_of(feed, OTHER));
	assert_true(has_range(feed, OTHER - 1, here));
	assert_false(has_range(feed, OTHER - 1, 0x10000));
	assert_true(has_range(feed, self, 0x10000));
	/* No event reports the end of OTHER - 1. */
	for (unsigned i = 2; i < 24; i++)
		table_sync_tick(feed, (uint64_t)i * SECOND);
	assert_null(space_of(feed, OTHER - 1));
	assert_non_null(space_of(feed, self));
	table_sync_close(feed);
}

static void test_table_sync__the_dead_are_let_go_after_a_while(void **state)
{
	struct table_sync *feed = open_feed(false, NULL);
	uint32_t self = (uint32_t)getpid();
	struct table_sync_stats stats;

	(void)state;
	scan_self(feed);
	table_sync_tick(feed, SECOND);
	for (unsigned i = 0; i < 1000; i++) { /* more than the pool would hold, in the end */
		send_fork(feed, self, OTHER);
		send_map(feed, OTHER, 0x10000 + i * 0x1000, "//anon");
		table_sync_tick(feed, SECOND + i);
		send_exit(feed, OTHER);
	}
	assert_non_null(space_of(feed, OTHER));
	table_sync_tick(feed, 2u * SECOND + 1000);
	table_sync_tick(feed, 4u * SECOND);
	assert_null(space_of(feed, OTHER));
	table_sync_stats(feed, &stats);
	assert_int_equal(1, stats.pool.spaces);
	assert_int_equal(0, stats.pool.lost_spaces);
	table_sync_close(feed);
}

static void test_table_sync__files_that_are_gone_leave_frame_pointers(void **state)
{
	struct table_sync *feed = open_feed(true, NULL);
	struct pool_walk walk = { .pool = table_sync_pool(feed) };
	uint32_t self = (uint32_t)getpid();
	struct table_sync_stats stats;
	struct unwind_range range;
	struct unwind_rule rule;

	(void)state;
	scan_self(feed);
	send_map(feed, self, 0x10000, "/no/such/file");
	send_map(feed, self, 0x40000, "[uprobes]");
	table_sync_settle(feed, SETTLE_NS);
	assert_true(unwind_find_range(&walk, space_of(feed, self)->where, 0x10100, &range));
	assert_true(unwind_find_rule(&walk, &range, 0x10100, false, &rule));
	assert_int_equal(UNWIND_FP, rule.cfa);
	assert_true(unwind_find_range(&walk, space_of(feed, self)->where, 0x40000, &range));
	assert_int_equal(UNWIND_RANGE_UPROBES, range.kind);
	table_sync_stats(feed, &stats);
	assert_int_equal(1, stats.loader.missing);
	table_sync_close(feed);
}

static unsigned count_files(const char *folder, bool damage)
{
	unsigned count = 0;
	char path[512];
	DIR *dir = opendir(folder);

	assert_non_null(dir);
	for (struct dirent *entry; (entry = readdir(dir));) {
		if (entry->d_name[0] == '.')
			continue;
		count++;
		(void)snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
		if (damage) {
			FILE *file = fopen(path, "r+");

			assert_non_null(file);
			(void)fseek(file, 200, SEEK_SET);
			(void)fputs("damage", file);
			(void)fclose(file);
		}
	}
	(void)closedir(dir);
	return count;
}

static void load_all(const char *folder, struct table_sync_stats *ret)
{
	struct table_sync *feed = open_feed(true, folder);
	uint64_t pcs[64];
	size_t count;

	scan_self(feed);
	table_sync_settle(feed, SETTLE_NS);
	assert_int_equal(STACK_STOP_ROOT, walk_self(feed, pcs, 64, &count));
	table_sync_stats(feed, ret);
	table_sync_close(feed);
}

static void test_table_sync__tables_are_kept_on_disk(void **state)
{
	char folder[] = "/tmp/cupel-tables-XXXXXX", inner[64], command[128];
	struct table_sync_stats stats;
	unsigned files;

	(void)state;
	assert_non_null(mkdtemp(folder));
	(void)snprintf(inner, sizeof(inner), "%s/a/b", folder);
	load_all(inner, &stats);
	files = count_files(inner, false);
	assert_true(files >= 2 && files <= stats.loader.built); /* libc and this program */
	assert_int_equal(0, stats.loader.read);
	load_all(inner, &stats);
	assert_int_equal(files, stats.loader.read);
	assert_int_equal(files, count_files(inner, true));
	load_all(inner, &stats); /* made anew */
	assert_int_equal(0, stats.loader.read);
	load_all(inner, &stats);
	assert_int_equal(files, stats.loader.read);
	(void)snprintf(command, sizeof(command), "rm -rf %s", folder);
	assert_int_equal(0, system(command));
}

static bool first_binary(void *context, const struct module *module, uint32_t *ret)
{
	(void)module;
	*ret = *(uint32_t *)context;
	return true;
}

static void test_ranges__equal_neighbours_merge(void **state)
{
	struct module file = { .kind = MODULE_FILE, .path = "/x" };
	struct module jit = { .kind = MODULE_JIT, .path = "//anon" };
	struct module kernel = { .kind = MODULE_KERNEL, .path = "[kernel.kallsyms]" };
	const struct mapping maps[] = {
		{ 0x1000, 0x2000, 0x1000, &file }, { 0x2000, 0x3000, 0x2000, &file },
		{ 0x3000, 0x4000, 0x9000, &file }, { 0x4000, 0x5000, 0, &jit },
		{ 0x5000, 0x6000, 0, &jit },	   { 0x7000, 0x8000, 0, &jit },
		{ 0x9000, 0xa000, 0, &kernel },
	};
	struct address_space *space = address_space_new(1, 1);
	struct address_ranges ranges = { 0 };
	uint32_t binary = 3;

	(void)state;
	for (size_t i = 0; i < sizeof(maps) / sizeof(*maps); i++)
		address_space_insert(&space, 2, &maps[i]);
	address_ranges_make(space, first_binary, &binary, &ranges);
	assert_int_equal(4, ranges.ranges.count);
	assert_int_equal(0x3000, ranges.ranges.item[0].end);
	assert_int_equal(0, ranges.ranges.item[0].to_offset);
	assert_int_equal(0x6000, ranges.ranges.item[1].to_offset);
	assert_int_equal(3, ranges.ranges.item[1].binary);
	assert_int_equal(0x6000, ranges.ranges.item[2].end);
	vec_done(&ranges.ranges);
	address_space_unref(space);
}

static struct compact *make_table(unsigned rows)
{
	struct compact_writer writer;

	compact_writer_start(&writer, 0);
	for (unsigned i = 0; i < rows; i++)
		compact_writer_put(
			&writer, i * 16,
			compact_writer_rule(&writer, (struct unwind_rule){ .cfa = UNWIND_SP,
									   .cfa_off = i & 1 }));
	return compact_writer_finish(&writer);
}

static void test_store__holds_no_more_than_its_cap(void **state)
{
	char folder[] = "/tmp/cupel-tables-XXXXXX", command[256];
	struct compact *table = make_table(10000), *found; /* 40 kB */
	struct build_id id = { .len = 8 };
	struct table_store *store;
	unsigned kept;

	(void)state;
	assert_non_null(mkdtemp(folder));
	/* old and large, but not the store's: these stay */
	(void)snprintf(command, sizeof(command),
		       "cd %s && mkdir my && truncate -s 500000 my/a.txt my/.b my/xy.unwind && "
		       "touch -d 2020-01-01 my/* my/.b && mv my/* my/.b . && rmdir my",
		       folder);
	assert_int_equal(0, system(command));
	store = table_store_open(folder, 400000);
	assert_non_null(store);
	for (uint8_t i = 0; i < 30; i++) {
		id.bytes[0] = i;
		table_store_put(store, &id, table);
		kept = count_files(folder, false);
		assert_true(kept >= 3 && kept <= 12); /* two are not the store's */
	}
	(void)snprintf(command, sizeof(command), "cd %s && ls a.txt .b xy.unwind >/dev/null",
		       folder);
	assert_int_equal(0, system(command));
	found = table_store_get(store, &id); /* the last one stays */
	assert_non_null(found);
	compact_free(found);
	id.bytes[0] = 99;
	assert_null(table_store_get(store, &id));
	id.len = 0;
	table_store_put(store, &id, table);
	assert_null(table_store_get(store, &id));
	table_store_close(store);
	compact_free(table);
	(void)snprintf(command, sizeof(command), "rm -rf %s", folder);
	assert_int_equal(0, system(command));
}

static void test_store__ignores_files_that_others_may_write(void **state)
{
	char folder[] = "/tmp/cupel-tables-XXXXXX", command[128];
	const struct build_id id = { .len = 2, .bytes = { 0xab, 0xcd } };
	struct compact *table = make_table(10), *found;
	struct table_store *store;

	(void)state;
	assert_non_null(mkdtemp(folder));
	store = table_store_open(folder, 0);
	table_store_put(store, &id, table);
	found = table_store_get(store, &id);
	assert_non_null(found);
	compact_free(found);
	(void)snprintf(command, sizeof(command), "chmod g+w %s/abcd.unwind", folder);
	assert_int_equal(0, system(command));
	assert_null(table_store_get(store, &id));
	table_store_close(store);
	compact_free(table);
	assert_null(table_store_open("/proc/no/such/folder", 0));
	(void)snprintf(command, sizeof(command), "rm -rf %s", folder);
	assert_int_equal(0, system(command));
}

/* A file without a build id has a key too, and another one after each change. */
static void test_store__key_is_the_build_id_or_the_file(void **state)
{
	const struct build_id id = { .len = 2, .bytes = { 0xab, 0xcd } };
	const struct file_map map = { .data = (const uint8_t *)"",
				      .len = 4096,
				      .device = 7,
				      .inode = 12,
				      .owner = 0,
				      .changed_ns = 1700000000123456789 };
	struct elf_file file = { .map = map, .build_id = id };
	struct build_id first, key;

	(void)state;
	table_store_key(&file, &key);
	assert_true(build_id_equal(&id, &key));

	file.build_id.len = 0;
	table_store_key(&file, &first);
	assert_int_equal(BUILD_ID_MAX, first.len);
	table_store_key(&file, &key);
	assert_true(build_id_equal(&first, &key));
	for (unsigned i = 0; i < 4; i++) {
		file.map = map;
		file.map.device += i == 0;
		file.map.inode += i == 1;
		file.map.len += i == 2;
		file.map.changed_ns += i == 3;
		table_store_key(&file, &key);
		assert_false(build_id_equal(&first, &key));
	}

	/* another user's file may have the build id of a system library */
	file = (struct elf_file){ .map = map, .build_id = id };
	file.map.owner = geteuid() + 1;
	table_store_key(&file, &key);
	assert_true(build_id_equal(&first, &key));

	file = (struct elf_file){ 0 }; /* memory without a build id */
	table_store_key(&file, &key);
	assert_int_equal(0, key.len);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table_sync__a_stack_is_walked_to_its_root),
		cmocka_unit_test(test_table_sync__tables_come_when_they_are_wanted),
		cmocka_unit_test(test_table_sync__forks_share_until_one_maps),
		cmocka_unit_test(test_table_sync__an_exec_withdraws_at_once),
		cmocka_unit_test(test_table_sync__events_are_put_in_order),
		cmocka_unit_test(test_table_sync__the_dead_are_let_go_after_a_while),
		cmocka_unit_test(test_table_sync__files_that_are_gone_leave_frame_pointers),
		cmocka_unit_test(test_table_sync__tables_are_kept_on_disk),
		cmocka_unit_test(test_ranges__equal_neighbours_merge),
		cmocka_unit_test(test_store__holds_no_more_than_its_cap),
		cmocka_unit_test(test_store__ignores_files_that_others_may_write),
		cmocka_unit_test(test_store__key_is_the_build_id_or_the_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* proc/scan: a /proc written to a temporary folder becomes the same events as in perf, and
 * the real one describes this process. */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/err.h"
#include "proc/build_id.h"
#include "proc/elf_file.h"
#include "proc/maps_line.h"
#include "proc/scan.h"

static char root[] = "/tmp/cupel-test-XXXXXX";

static void put_file(const char *path, const char *text)
{
	char full[512];
	FILE *file;

	(void)snprintf(full, sizeof(full), "%s%s", root, path);
	for (char *slash = full + strlen(root) + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		(void)mkdir(full, 0755); /* may exist */
		*slash = '/';
	}
	file = fopen(full, "we");
	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(0, fclose(file));
}

static int make_root(void **state)
{
	(void)state;
	assert_non_null(mkdtemp(root));
	put_file("/proc/7/stat", "7 (a) b) S 1 7 7 0 -1 4194304 1 2 3\n");
	put_file("/proc/7/status", "Name:\ta) b\nUmask:\t0022\nTgid:\t7\n");
	put_file("/proc/7/maps",
		 "400000-401000 r--p 00000000 08:01 12 /bin/a\n"
		 "401000-403000 r-xp 00001000 08:01 12 /bin/a\n"
		 "500000-501000 rwxp 00000000 00:00 0 \n"
		 "600000-601000 r-xs 00000000 00:01 99 /memfd:a\\012b (deleted)\n"
		 "700000-701000 ---p 00000000 00:00 0 \n"
		 "7f0000000000-7f0000002000 r-xp 00000000 00:00 0                          [vdso]\n"
		 "nonsense\n");
	put_file("/proc/7/task/7/comm", "a) b\n");
	put_file("/proc/7/task/8/comm", "two\nlines\n");
	put_file("/proc/8/status", "Name:\ttwo\nTgid:\t7\n");
	put_file("/proc/2/stat", "2 (kthreadd) S 0 0 0 0 -1 2129984 0 0 0\n");
	put_file("/proc/2/maps", "400000-401000 r-xp 00000000 08:01 12 /never/read\n");
	put_file("/proc/2/task/2/comm", "kthreadd\n");
	put_file("/proc/11/stat", "11 (one) S 1 11 11 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 1 0 9\n");
	put_file("/proc/11/task/12/comm", "never\n");
	/* its main thread has ended */
	put_file("/proc/21/stat", "21 (led) Z 1 21 21 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 2 0 9\n");
	put_file("/proc/21/maps", "");
	put_file("/proc/21/task/21/comm", "led\n");
	put_file("/proc/21/task/22/comm", "ends\n");
	put_file("/proc/22/maps", "");
	put_file("/proc/21/task/23/comm", "lives\n");
	put_file("/proc/23/maps", "401000-403000 r-xp 00001000 08:01 12 /bin/led\n");
	put_file("/proc/self/comm", "never\n");
	put_file("/proc/kallsyms", "0000000000000000 A fixed_percpu_data\n"
				   "ffffffff81000000 T _stext\n"
				   "ffffffff81000100 T _text\n"
				   "ffffffff81200000 T _etext\n");
	put_file("/proc/iomem", "00001000-0009ffff : System RAM\n"
				"  01000000-011fffff : Kernel code\n");
	put_file("/proc/modules", "ext4 983040 2 mbcache,jbd2, Live 0xffffffffc0a00000 (O)\n"
				  "hidden 16384 0 - Live 0x0000000000000000\n"
				  "nonsense\n");
	return 0;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static int remove_root(void **state)
{
	(void)state;
	return nftw(root, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

struct text_sink {
	struct sink sink;
	struct buf text;
};

static int write_event(struct sink *sink, const struct event *event, struct err *err)
{
	struct buf *text = &((struct text_sink *)sink)->text;
	const struct event_mmap *map = &event->mmap;
	int r = 0;

	(void)err;
	if (event->type == EVENT_COMM)
		r = buf_printf(text, "comm %d/%d %s\n", (int)event->pid, (int)event->tid,
			       event->comm.name);
	else if (event->type == EVENT_FORK)
		r = buf_printf(text, "fork %d/%d of %d %x\n", (int)event->pid, (int)event->tid,
			       (int)event->task.ppid, event->misc);
	else if (event->type == EVENT_MMAP)
		r = buf_printf(text, "map %d %llx+%llx @%llx %x:%x %llu %u%u %s\n", (int)event->pid,
			       (unsigned long long)map->start, (unsigned long long)map->len,
			       (unsigned long long)map->pgoff, map->maj, map->min,
			       (unsigned long long)map->ino, map->prot, map->flags, map->path);
	else if (event->type == EVENT_NAMESPACES)
		r = buf_printf(text, "namespaces %d %llu\n", (int)event->pid,
			       (unsigned long long)event->namespaces.count);
	assert_int_equal(0, r);
	return 0;
}

#define PROCESS                                                  \
	"fork 7/7 of 1 2000\n"                                   \
	"comm 7/7 a) b\n"                                        \
	"map 7 401000+2000 @1000 8:1 12 52 /bin/a\n"             \
	"map 7 500000+1000 @0 0:0 0 72 //anon\n"                 \
	"map 7 600000+1000 @0 0:1 99 51 /memfd:a\nb (deleted)\n" \
	"map 7 7f0000000000+2000 @0 0:0 0 52 [vdso]\n"           \
	"fork 7/8 of 7 2000\n"                                   \
	"comm 7/8 two\nlines\n"

static void test_scan__process_by_any_of_its_threads(void **state)
{
	const struct scan_options options = { .root = root };
	struct text_sink sink = { .sink = { .event = write_event } };
	struct err err = { 0 };

	(void)state;
	assert_int_equal(0, scan_process(8, &options, &sink.sink, &err));
	assert_string_equal(PROCESS, sink.text.data);
	assert_int_equal(-ESRCH, scan_process(9, &options, &sink.sink, &err));
	buf_done(&sink.text);
}

static void test_scan__data_maps_when_asked(void **state)
{
	const struct scan_options options = { .root = root, .data_maps = true };
	struct text_sink sink = { .sink = { .event = write_event } };
	struct err err = { 0 };

	(void)state;
	assert_int_equal(0, scan_process(7, &options, &sink.sink, &err));
	assert_non_null(strstr(sink.text.data, "map 7 400000+1000 @0 8:1 12 12 /bin/a\n"));
	assert_null(strstr(sink.text.data, "map 7 700000"));
	buf_done(&sink.text);
}

static void test_scan__all_leaves_kernel_threads_without_maps(void **state)
{
	const struct scan_options options = { .root = root, .namespaces = true };
	struct text_sink sink = { .sink = { .event = write_event } };
	struct err err = { 0 };

	(void)state;
	assert_int_equal(0, scan_all(&options, &sink.sink, &err));
	assert_non_null(strstr(sink.text.data, "comm 2/2 kthreadd\n"));
	assert_non_null(strstr(sink.text.data, "comm 7/8 two\n"));
	assert_non_null(strstr(sink.text.data, "namespaces 7 7\n"));
	assert_null(strstr(sink.text.data, "never"));
	buf_done(&sink.text);
}

static void test_scan__one_thread_is_all_there_is(void **state)
{
	const struct scan_options options = { .root = root };
	struct text_sink sink = { .sink = { .event = write_event } };
	struct err err = { 0 };

	(void)state;
	assert_int_equal(0, scan_process(11, &options, &sink.sink, &err));
	assert_string_equal("fork 11/11 of 1 2000\ncomm 11/11 one\n", sink.text.data);
	buf_done(&sink.text);
}

static void test_scan__main_thread_has_ended(void **state)
{
	const struct scan_options options = { .root = root };
	struct text_sink sink = { .sink = { .event = write_event } };
	struct err err = { 0 };

	(void)state;
	assert_int_equal(0, scan_process(21, &options, &sink.sink, &err));
	assert_non_null(strstr(sink.text.data, "map 21 401000+2000 @1000 8:1 12 52 /bin/led\n"));
	assert_non_null(strstr(sink.text.data, "comm 21/23 lives\n"));
	buf_done(&sink.text);
}

static void test_scan__kernel_and_modules(void **state)
{
	const struct scan_options options = { .root = root };
	struct text_sink sink = { .sink = { .event = write_event } };
	struct err err = { 0 };

	(void)state;
	assert_int_equal(0, scan_kernel(&options, &sink.sink, &err));
	assert_string_equal("map -1 ffffffff81000100+200000 @ffffffff81000100 0:0 0 00 "
			    "[kernel.kallsyms]_text\n"
			    "map -1 ffffffffc0a00000+f0000 @0 0:0 0 00 [ext4]\n",
			    sink.text.data);
	buf_clear(&sink.text);
	put_file("/proc/iomem", "00000000-00000000 : Kernel code\n"); /* as for users */
	assert_int_equal(0, scan_kernel(&options, &sink.sink, &err));
	assert_non_null(strstr(sink.text.data, "ffffffff81000100+1fff00"));
	buf_clear(&sink.text);
	put_file("/proc/kallsyms", "0000000000000000 T _text\n"); /* kptr_restrict */
	put_file("/proc/modules", "");
	assert_int_equal(0, scan_kernel(&options, &sink.sink, &err));
	assert_int_equal(0, sink.text.len);
	buf_done(&sink.text);
}

struct own {
	struct sink sink;
	uint32_t thread;
	bool thread_named, build_id, text;
};

static int look_for_own(struct sink *sink, const struct event *event, struct err *err)
{
	struct own *own = (struct own *)sink;
	struct build_id id;

	(void)err;
	if (event->type == EVENT_COMM && event->tid == own->thread)
		own->thread_named = strcmp(event->comm.name, "sleeper") == 0;
	if (event->type == EVENT_MMAP && strstr(event->mmap.path, "test_proc_scan")) {
		own->text = event->mmap.prot & PROT_EXEC;
		own->build_id = build_id_read_file("/proc/self/exe", &id) &&
				build_id_equal(&id, &event->mmap.build_id);
	}
	return 0;
}

static pthread_barrier_t barrier;
static uint32_t sleeper_tid;

static void *sleeper(void *unused)
{
	(void)unused;
	assert_int_equal(0, prctl(PR_SET_NAME, "sleeper"));
	sleeper_tid = (uint32_t)syscall(SYS_gettid);
	(void)pthread_barrier_wait(&barrier);
	(void)pthread_barrier_wait(&barrier);
	return NULL;
}

static void test_scan__finds_this_process(void **state)
{
	const struct scan_options options = { .build_ids = true };
	struct own own = { .sink = { .event = look_for_own } };
	struct err err = { 0 };
	struct build_id id;
	pthread_t thread;

	(void)state;
	assert_int_equal(0, pthread_barrier_init(&barrier, NULL, 2));
	assert_int_equal(0, pthread_create(&thread, NULL, sleeper, NULL));
	(void)pthread_barrier_wait(&barrier);
	own.thread = sleeper_tid;
	assert_int_equal(0, scan_process(getpid(), &options, &own.sink, &err));
	(void)pthread_barrier_wait(&barrier);
	assert_int_equal(0, pthread_join(thread, NULL));
	assert_true(own.thread_named && own.text);
	assert_int_equal(build_id_read_file("/proc/self/exe", &id), own.build_id);
}

static void test_build_id__equals_that_of_the_whole_parser(void **state)
{
	static const char *const paths[] = { "/bin/sh", "/lib64/ld-linux-x86-64.so.2",
					     "/proc/self/exe" };
	struct err err;

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct build_id id = { 0 };
		struct elf_file *elf;

		if (elf_file_open(paths[i], &elf, &err))
			continue;
		assert_int_equal(elf->build_id.len > 0, build_id_read_file(paths[i], &id));
		assert_true(build_id_equal(&id, &elf->build_id));
		elf_file_close(elf);
	}
	assert_false(build_id_read_file("/dev/zero", &(struct build_id){ 0 }));
	assert_false(build_id_read_file("/proc/self/maps", &(struct build_id){ 0 }));
}

static void test_maps_line__refuses_what_is_no_mapping(void **state)
{
	static const char *const bad[] = {
		"",
		"400000",
		"400000-3ff000 r-xp 00000000 08:01 12 /a",
		"400000-401000 r-x 00000000 08:01 12 /a",
		"400000-401000 r-xp 00000000 08:01",
		"400000-401000 r-xp 00000000 08:01 -12 /a",
		"400000-11111111111111111 r-xp 00000000 08:01 12 /a",
		"-400000-401000 r-xp 00000000 08:01 12 /a",
	};
	struct event_mmap map;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		char line[128];

		(void)snprintf(line, sizeof(line), "%s", bad[i]);
		if (maps_line_parse(line, &map))
			fail_msg("taken: %s", bad[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_scan__process_by_any_of_its_threads),
		cmocka_unit_test(test_scan__data_maps_when_asked),
		cmocka_unit_test(test_scan__all_leaves_kernel_threads_without_maps),
		cmocka_unit_test(test_scan__one_thread_is_all_there_is),
		cmocka_unit_test(test_scan__main_thread_has_ended),
		cmocka_unit_test(test_scan__kernel_and_modules),
		cmocka_unit_test(test_scan__finds_this_process),
		cmocka_unit_test(test_maps_line__refuses_what_is_no_mapping),
		cmocka_unit_test(test_build_id__equals_that_of_the_whole_parser),
	};

	return cmocka_run_group_tests_name("proc/scan", tests, make_root, remove_root);
}

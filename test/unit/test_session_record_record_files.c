/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session/record/record_files: a file that was mapped is found after it was deleted; what is no
 * regular file, or only a path, is not. Records of mappings get the build ids of the files that
 * were mapped, not of others that have their paths by now. */
#include <fcntl.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "event/desc.h"
#include "proc/build_id.h"
#include "session/record/record_build_ids.h"
#include "session/record/record_files.h"

static struct event map_of(const char *path, uint8_t id)
{
	struct event event = { .type = EVENT_MMAP, .pid = (uint32_t)getpid() };
	struct stat st;

	event.mmap.path = path;
	event.mmap.prot = PROT_READ | PROT_EXEC;
	event.mmap.build_id.len = id ? 1 : 0;
	event.mmap.build_id.bytes[0] = id;
	if (id || stat(path, &st))
		return event;
	event.mmap.maj = major(st.st_dev);
	event.mmap.min = minor(st.st_dev);
	event.mmap.ino = st.st_ino;
	return event;
}

static void files_open(struct record_files *files)
{
	static const struct event_set none;

	record_files_init(files);
	files->events = &none;
	files->keep = true;
}

static struct bundled_file found(const struct record_files *files, uint8_t id, const char *path)
{
	const struct build_id wanted = { .len = id ? 1 : 0, .bytes = { id } };

	return files->bundle.find(&files->bundle, &wanted, path, "elf");
}

static void put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	assert_int_equal(close(fd), 0);
}

static void test_deleted_files_are_found(void **state)
{
	char folder[] = "/tmp/cupel_record_files_XXXXXX", one[64], two[64];
	struct record_files files;
	struct event event;

	(void)state;
	assert_non_null(mkdtemp(folder));
	(void)snprintf(one, sizeof(one), "%s/one", folder);
	(void)snprintf(two, sizeof(two), "%s/two", folder);
	put(one, "first");
	put(two, "second");
	files_open(&files);
	event = map_of(one, 1);
	record_files_event(&files, &event);
	record_files_event(&files, &event); /* known */
	event = map_of(two, 0);
	record_files_event(&files, &event);
	assert_int_equal(files.file.count, 2);
	assert_int_equal(unlink(one) | unlink(two) | rmdir(folder), 0);
	assert_int_equal(found(&files, 1, "/elsewhere").len, 5);
	assert_memory_equal(found(&files, 1, "/elsewhere").data, "first", 5);
	assert_memory_equal(found(&files, 0, two).data, "second", 6);
	assert_null(found(&files, 2, one).data);
	assert_null(found(&files, 0, "/elsewhere").data);
	/* another file of that path: which one is meant is not known */
	vec_push(&files.file, ((struct record_file){ .path = two, .fd = dup(0) }));
	assert_null(found(&files, 0, two).data);
	record_files_done(&files);
}

static void test_only_files_are_opened(void **state)
{
	static const char *const path[] = { "/dev/zero", "/tmp", "//anon", "[vdso]", "/no/such" };
	struct record_files files;

	(void)state;
	files_open(&files);
	for (size_t i = 0; i < sizeof(path) / sizeof(path[0]); i++) {
		struct event event = map_of(path[i], (uint8_t)(i + 1));

		record_files_event(&files, &event);
	}
	assert_int_equal(files.file.count, 0);
	record_files_done(&files);
}

struct map_record {
	struct perf_event_header header;
	uint32_t pid, tid;
	uint64_t addr, len, pgoff;
	union {
		struct {
			uint32_t maj, min;
			uint64_t ino, generation;
		};
		struct {
			uint8_t id_len, pad[3], id[20];
		};
	};
	uint32_t prot, flags;
	char path[64];
	uint64_t time_ns; /* the trailer */
};

static struct map_record record_of(const char *path)
{
	const struct event event = map_of(path, 0);
	struct map_record record = {
		.header = { PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER, sizeof(record) },
		.pid = event.pid,
		.maj = event.mmap.maj,
		.min = event.mmap.min,
		.ino = event.mmap.ino,
		.prot = PROT_EXEC,
	};

	(void)snprintf(record.path, sizeof(record.path), "%s", path);
	return record;
}

static void read_one(struct record_files *files, struct map_record *record, bool new)
{
	record_files_records(files, (uint8_t *)record, sizeof(*record), new);
}

static void test_records_are_read(void **state)
{
	struct map_record record = record_of("/proc/self/exe");
	struct record_files files;

	(void)state;
	record.header.misc |= PERF_RECORD_MISC_MMAP_BUILD_ID;
	record.id_len = 1;
	memset(record.pad, 0, sizeof(record.pad));
	memset(record.id, 0, sizeof(record.id));
	record.id[0] = 7;
	files_open(&files);
	files.map_ids = RECORDING_MAP_IDS_KERNEL;
	read_one(&files, &record, true);
	assert_int_equal(files.file.count, 0); /* a link of the kernel, and not what was mapped */
	record.header.size = 4;		       /* damaged */
	read_one(&files, &record, true);
	record_files_done(&files);
}

static const char *own_program(void)
{
	static char path[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

	assert_true(n > 0);
	path[n] = '\0';
	return path;
}

static void copy_program(const char *path)
{
	char command[3 * PATH_MAX];

	(void)snprintf(command, sizeof(command), "cp '%s' '%s'", own_program(), path);
	assert_int_equal(system(command), 0); /* NOLINT */
}

static void test_records_get_build_ids(void **state)
{
	char folder[] = "/tmp/cupel_record_files_XXXXXX", path[64];
	struct record_build_ids ids = { 0 };
	struct map_record record, gone;
	struct build_id id = { 0 };
	struct record_files files;

	(void)state;
	if (!build_id_read_file("/proc/self/exe", &id))
		skip(); /* linked without */
	assert_non_null(mkdtemp(folder));
	(void)snprintf(path, sizeof(path), "%s/program", folder);
	copy_program(path);
	files_open(&files);
	files.ids = &ids;
	record = record_of(path);
	record.header.misc |= PERF_RECORD_MISC_MMAP_BUILD_ID; /* another session's: not true */
	read_one(&files, &record, true);
	assert_int_equal(record.header.misc,
			 PERF_RECORD_MISC_USER | PERF_RECORD_MISC_MMAP_BUILD_ID);
	assert_int_equal(record.id_len, id.len);
	assert_memory_equal(record.id, id.bytes, id.len);
	assert_int_equal(ids.item.count, 1);
	assert_int_equal(files.file.count, 1);
	gone = record;
	read_one(&files, &gone, false); /* into the next file of the recording, as it is */
	assert_memory_equal(&gone, &record, sizeof(gone));
	/* the file is known, whatever became of it */
	gone = record_of(path);
	assert_int_equal(unlink(path), 0);
	read_one(&files, &gone, true);
	assert_memory_equal(gone.id, id.bytes, id.len);
	files.map_ids = RECORDING_MAP_IDS_NONE;
	gone = record_of("/usr/bin/env");
	record = gone;
	read_one(&files, &gone, true);
	assert_memory_equal(&gone, &record, sizeof(gone));
	assert_int_equal(rmdir(folder), 0);
	record_build_ids_done(&ids);
	record_files_done(&files);
}

/* Another file is at the path, or the file was written to: since when it was mapped. */
static void test_other_files_give_no_build_ids(void **state)
{
	const struct perf_event_attr attr = { .sample_type = PERF_SAMPLE_TIME, .sample_id_all = 1 };
	char folder[] = "/tmp/cupel_record_files_XXXXXX", path[64];
	struct record_build_ids ids = { 0 };
	struct map_record record, before;
	struct event_set events = { 0 };
	struct build_id id = { 0 };
	struct record_files files;

	(void)state;
	if (!build_id_read_file("/proc/self/exe", &id))
		skip(); /* linked without */
	(void)event_set_add(&events, &attr, "clock");
	assert_non_null(mkdtemp(folder));
	(void)snprintf(path, sizeof(path), "%s/program", folder);
	copy_program(path);
	files_open(&files);
	files.events = &events;
	files.clock = (struct recording_clock){ true, CLOCK_REALTIME };
	files.ids = &ids;
	record = record_of(path);
	record.time_ns = clock_ns(CLOCK_REALTIME) - 3600000000000; /* written since */
	before = record;
	read_one(&files, &record, true);
	assert_memory_equal(&before, &record, sizeof(before));
	record.ino++;
	record.time_ns += 3600000000000;
	before = record;
	read_one(&files, &record, true);
	assert_memory_equal(&before, &record, sizeof(before));
	record.ino--;
	read_one(&files, &record, true);
	assert_memory_equal(record.id, id.bytes, id.len);
	/* the same inode with another content */
	record = record_of(path);
	assert_int_equal(truncate(path, 100), 0);
	record.time_ns = clock_ns(CLOCK_REALTIME);
	before = record;
	read_one(&files, &record, true);
	assert_memory_equal(&before, &record, sizeof(before));
	assert_int_equal(unlink(path) | rmdir(folder), 0);
	event_set_done(&events);
	record_build_ids_done(&ids);
	record_files_done(&files);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_deleted_files_are_found),
		cmocka_unit_test(test_only_files_are_opened),
		cmocka_unit_test(test_records_are_read),
		cmocka_unit_test(test_records_get_build_ids),
		cmocka_unit_test(test_other_files_give_no_build_ids),
	};

	return cmocka_run_group_tests_name("session/record/record_files", tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session/record/record_files: a file that was mapped is found after it was deleted; what is no
 * regular file, or only a path, is not. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "session/record/record_files.h"

static struct event map_of(const char *path, uint8_t id)
{
	struct event event = { .type = EVENT_MMAP, .pid = (uint32_t)getpid() };

	event.mmap.path = path;
	event.mmap.prot = PROT_READ | PROT_EXEC;
	event.mmap.build_id.len = id ? 1 : 0;
	event.mmap.build_id.bytes[0] = id;
	event.mmap.ino = 5;
	return event;
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
	record_files_init(&files);
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
	record_files_init(&files);
	for (size_t i = 0; i < sizeof(path) / sizeof(path[0]); i++) {
		struct event event = map_of(path[i], (uint8_t)(i + 1));

		record_files_event(&files, &event);
	}
	assert_int_equal(files.file.count, 0);
	record_files_done(&files);
}

static void test_records_are_read(void **state)
{
	struct {
		struct perf_event_header header;
		uint32_t pid, tid;
		uint64_t addr, len, pgoff;
		uint8_t id_len, pad[3], id[20];
		uint32_t prot, flags;
		char path[32];
	} record = {
		.header = { PERF_RECORD_MMAP2, PERF_RECORD_MISC_MMAP_BUILD_ID, sizeof(record) },
		.pid = (uint32_t)getpid(),
		.id_len = 1,
		.id = { 7 },
		.prot = PROT_EXEC,
		.path = "/proc/self/exe",
	};
	struct record_files files;

	(void)state;
	record_files_init(&files);
	record_files_records(&files, (const uint8_t *)&record, sizeof(record));
	assert_int_equal(files.file.count, 0); /* a link of the kernel */
	(void)snprintf(record.path, sizeof(record.path), "/usr/bin/env");
	record.id[0] = 8;
	record_files_records(&files, (const uint8_t *)&record, sizeof(record));
	assert_int_equal(files.file.count, 1);
	record.header.size = 4; /* damaged */
	record_files_records(&files, (const uint8_t *)&record, sizeof(record));
	record_files_done(&files);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_deleted_files_are_found),
		cmocka_unit_test(test_only_files_are_opened),
		cmocka_unit_test(test_records_are_read),
	};

	return cmocka_run_group_tests_name("session/record/record_files", tests, NULL, NULL);
}

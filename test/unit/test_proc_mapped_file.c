/* SPDX-License-Identifier: GPL-2.0-or-later */
/* proc/mapped_file: the file that is mapped, not another one with its path or its inode number;
 * also when it was deleted. */
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
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cmocka.h>

#include "event/event.h"
#include "proc/mapped_file.h"

static char folder[] = "/tmp/cupel_mapped_file_XXXXXX";
static char path[64], other[64];

static int make_folder(void **state)
{
	(void)state;
	assert_non_null(mkdtemp(folder));
	(void)snprintf(path, sizeof(path), "%s/mapped", folder);
	(void)snprintf(other, sizeof(other), "%s/other", folder);
	return 0;
}

static int remove_folder(void **state)
{
	(void)state;
	(void)unlink(path); /* deleted already */
	return unlink(other) | rmdir(folder);
}

static struct event_mmap make_file(const char *name)
{
	int fd = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	struct event_mmap map = { .len = 4096, .path = name };
	struct stat st;
	void *memory;

	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, 4096) | fstat(fd, &st), 0);
	memory = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
	assert_true(memory != MAP_FAILED);
	assert_int_equal(close(fd), 0);
	map.start = (uintptr_t)memory;
	map.maj = major(st.st_dev);
	map.min = minor(st.st_dev);
	map.ino = st.st_ino;
	return map;
}

static bool opens(int process, const struct event_mmap *map)
{
	int fd = mapped_file_open(process, map);

	return fd >= 0 && close(fd) == 0;
}

static void test_the_mapped_file_is_opened(void **state)
{
	int self = open("/proc/self", O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct event_mmap map = make_file(path), wrong;
	struct stat st;

	(void)state;
	assert_true(opens(self, &map));
	assert_true(opens(-1, &map)); /* by its path */
	assert_true(mapped_file_is_at_path(&map, &st));
	wrong = map;
	wrong.min++; /* a stacked file system shows another device */
	assert_true(opens(self, &wrong));
	assert_false(opens(-1, &wrong));
	wrong = map;
	wrong.ino++;
	assert_false(opens(self, &wrong));
	assert_false(opens(-1, &wrong));
	assert_int_equal(unlink(path), 0);
	assert_false(opens(-1, &map));
	if (geteuid() == 0) /* map_files */
		assert_true(opens(self, &map));
	(void)make_file(other);
	map.path = other;
	assert_false(mapped_file_is_at_path(&map, &st));
	assert_false(opens(-1, &map));
	assert_int_equal(close(self), 0);
}

static void test_only_regular_files_are_opened(void **state)
{
	static const char *const names[] = { "/dev/null", "/tmp", "/no/such" };

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		struct event_mmap map = { .path = names[i], .ino = 1 };
		struct stat st;

		if (stat(names[i], &st) == 0)
			map.ino = st.st_ino;
		assert_false(opens(-1, &map));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_mapped_file_is_opened),
		cmocka_unit_test(test_only_regular_files_are_opened),
	};

	return cmocka_run_group_tests_name("proc/mapped_file", tests, make_folder, remove_folder);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* store/segment/received: numbers are known again from the file, also behind a torn end; of many
 * the last ones stay. */
#include <endian.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "store_samples.h"

#include "base/err.h"
#include "base/fd.h"
#include "store/segment/received.h"

static char folder[64];

static bool knows(struct received *received, int fd, uint64_t id)
{
	struct err err = { 0 };
	bool known = false;

	if (received_find(received, fd, id, &known, &err))
		fail_msg("%s", err.msg);
	return known;
}

static void test_numbers_stay(void **state)
{
	struct received received = { .fd = -1 };
	struct err err = { 0 };
	AUTO_CLOSE int dir = -1;
	char path[96];
	int fd;

	(void)state;
	make_folder(folder);
	dir = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	(void)snprintf(path, sizeof(path), "%s/received", folder);
	for (uint64_t id = 1; id < 5; id++) {
		assert_false(knows(&received, dir, id));
		assert_int_equal(received_add(&received, id, &err), 0);
		assert_true(knows(&received, dir, id));
	}
	assert_int_equal(received_sync(&received, &err), 0);
	received_done(&received);
	fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
	assert_int_equal(write(fd, "torn", 4), 4);
	(void)close(fd);
	assert_true(knows(&received, dir, 4));
	assert_false(knows(&received, dir, 5));
	assert_int_equal(received_add(&received, 5, &err), 0);
	received_done(&received);
	assert_true(knows(&received, dir, 5));
	received_done(&received);
	remove_folder(folder);
}

static void test_file_is_bounded(void **state)
{
	size_t count = 2 * RECEIVED_KEPT + 10;
	uint64_t *ids = calloc(count, sizeof(*ids));
	struct received received = { .fd = -1 };
	AUTO_CLOSE int dir = -1;
	struct stat st;
	int fd;

	(void)state;
	make_folder(folder);
	dir = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	for (size_t i = 0; i < count; i++)
		ids[i] = htole64(i + 1);
	fd = openat(dir, "received", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	assert_int_equal(fd_write_all(fd, ids, count * sizeof(*ids)), 0);
	(void)close(fd);
	assert_true(knows(&received, dir, count));
	assert_true(knows(&received, dir, count - RECEIVED_KEPT + 1));
	assert_false(knows(&received, dir, 1));
	assert_int_equal(fstatat(dir, "received", &st, 0), 0);
	assert_int_equal(st.st_size, RECEIVED_KEPT * 8);
	received_done(&received);
	free(ids);
	remove_folder(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers_stay),
		cmocka_unit_test(test_file_is_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

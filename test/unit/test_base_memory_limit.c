/* SPDX-License-Identifier: GPL-2.0-or-later */
/* base/memory_limit: readers get 64 MB and 16 times their input, and end with one message. Each
 * case is a separate process, because the limit is per process. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/memory_limit.h"

#define MB ((size_t)1 << 20)

struct attempt {
	bool begin, trust;
	uint64_t input_bytes;
	size_t wanted;
	char said[1024];
};

/* Status of a process that asks for so much. */
static int try_it(struct attempt *attempt)
{
	int pipes[2], status;
	ssize_t len;
	pid_t pid;

	assert_int_equal(0, pipe(pipes));
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		(void)dup2(pipes[1], STDERR_FILENO);
		if (attempt->trust)
			memory_limit_trust();
		if (attempt->begin)
			memory_limit_begin("input", 2);
		memory_limit_input(attempt->input_bytes);
		free(mem_alloc(attempt->wanted));
		_exit(0);
	}
	(void)close(pipes[1]);
	len = fd_read_full(pipes[0], attempt->said, sizeof(attempt->said) - 1);
	assert_true(len >= 0);
	attempt->said[len] = '\0';
	(void)close(pipes[0]);
	assert_int_equal(pid, waitpid(pid, &status, 0));
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void refuses_what_the_input_cannot_need(void **state)
{
	struct attempt attempt = { .begin = true, .wanted = 100 * MB };

	(void)state;
	if (!MEMORY_LIMIT_METERED)
		skip();
	assert_int_equal(1, try_it(&attempt));
	assert_non_null(strstr(attempt.said, "cupel: input: needs more than 64 MB of memory"));
	assert_non_null(strstr(attempt.said, "--trust"));
}

static void input_raises_the_limit(void **state)
{
	struct attempt attempt = { .begin = true, .input_bytes = 10 * MB, .wanted = 100 * MB };

	(void)state;
	assert_int_equal(0, try_it(&attempt));
}

static void only_readers_have_a_limit(void **state)
{
	struct attempt recorder = { .wanted = 100 * MB };
	struct attempt trusted = { .begin = true, .trust = true, .wanted = 100 * MB };

	(void)state;
	assert_int_equal(0, try_it(&recorder));
	assert_int_equal(0, try_it(&trusted));
}

/* It goes on; a child of its that reads binaries does not. */
static void recorders_have_one_of_their_own(void **state)
{
	struct attempt reader = { .begin = true, .input_bytes = 100 * MB, .wanted = 40 * MB };
	size_t bytes = 24 * MB;
	char *memory;

	(void)state;
	if (!MEMORY_LIMIT_METERED)
		skip();
	assert_false(memory_limit_full());
	memory_limit_record(0);
	assert_true(memory_limit_recorder() == MEMORY_LIMIT_RECORDER);
	assert_false(memory_limit_full());
	assert_true(memory_limit_left() > 100 * MB);
	memory_limit_record(16 * MB);
	assert_false(memory_limit_full());
	memory = mem_alloc(bytes);
	memset(memory, 1, bytes);
	for (int i = 0; i < 100; i++)
		(void)memory_limit_full();
	assert_true(memory_limit_full());
	assert_int_equal(1, memory_limit_left());
	free(memory);
	assert_int_equal(1, try_it(&reader));
	assert_non_null(strstr(reader.said, "more than 16 MB of memory"));
	memory_limit_record(64 * MB);
	assert_int_equal(0, try_it(&reader));
}

static void sparse_files_are_refused(void **state)
{
	char path[] = "/tmp/cupel_memory_limit_XXXXXX";
	int fd = mkstemp(path);
	struct err err = { 0 };
	struct stat st;

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(5, write(fd, "bytes", 5));
	assert_int_equal(0, fstat(fd, &st));
	assert_int_equal(5, memory_limit_disk_bytes(fd, &st));
	assert_int_equal(0, memory_limit_check(fd, &st, &err));
	assert_int_equal(0, ftruncate(fd, 1 << 30));
	assert_int_equal(0, fstat(fd, &st));
	if (st.st_blocks * 512 < 1 << 20) { /* else the file system has no holes */
		assert_int_equal(-EFBIG, memory_limit_check(fd, &st, &err));
		assert_non_null(strstr(err.msg, "sparse"));
	}
	assert_int_equal(0, ftruncate(fd, 0));
	assert_int_equal(0, ftruncate(fd, 1 << 30));
	assert_int_equal(0, fstat(fd, &st));
	if (lseek(fd, 0, SEEK_DATA) < 0) { /* nothing but a hole */
		assert_int_equal(0, memory_limit_disk_bytes(fd, &st));
		assert_int_equal(-EFBIG, memory_limit_check(fd, &st, &err));
	}
	(void)close(fd);
	(void)unlink(path);
}

static void packed_data_has_a_limit(void **state)
{
	(void)state;
	assert_int_equal(MB, memory_limit_unpacked(0));
	assert_int_equal(33 * MB, memory_limit_unpacked(2 * MB));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(refuses_what_the_input_cannot_need),
		cmocka_unit_test(input_raises_the_limit),
		cmocka_unit_test(only_readers_have_a_limit),
		cmocka_unit_test(sparse_files_are_refused),
		cmocka_unit_test(packed_data_has_a_limit),
		cmocka_unit_test(recorders_have_one_of_their_own), /* the last: it stays */
	};

	return cmocka_run_group_tests_name("base/memory_limit", tests, NULL, NULL);
}

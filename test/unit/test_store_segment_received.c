/* SPDX-License-Identifier: GPL-2.0-or-later */
/* store/segment/received: numbers are known again from the file, also behind a torn end; of many
 * the last ones stay. A batch that comes again is stored once, wherever the writer was killed. */
#include <endian.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "store_samples.h"

#include "base/err.h"
#include "base/fd.h"
#include "store/segment/part_file.h"
#include "store/segment/received.h"

#define KILLS	   40
#define FULL_BYTES ((size_t)1 << 18) /* more than any other file */

static char folder[64];

static bool knows(struct received *received, int fd, uint64_t id)
{
	struct err err = { 0 };
	bool known = false;

	if (received_find(received, fd, id, &known, &err))
		fail_msg("%s", err.msg);
	return known;
}

static void keep(int fd, uint64_t number)
{
	struct part_numbers numbers = { 0 };
	struct err err = { 0 };

	vec_push(&numbers.number, number);
	assert_int_equal(part_numbers_keep(fd, &numbers, &err), 0);
	vec_done(&numbers.number);
}

static void test_numbers_stay(void **state)
{
	struct received received = { 0 };
	AUTO_CLOSE int dir = -1;
	char path[96];
	int fd;

	(void)state;
	make_folder(folder);
	dir = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	(void)snprintf(path, sizeof(path), "%s/received", folder);
	for (uint64_t id = 1; id < 5; id++) {
		assert_false(knows(&received, dir, id));
		received_add(&received, id);
		keep(dir, id);
		assert_true(knows(&received, dir, id));
	}
	received_done(&received);
	fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
	assert_int_equal(write(fd, "torn", 4), 4);
	(void)close(fd);
	assert_true(knows(&received, dir, 4));
	assert_false(knows(&received, dir, 5));
	keep(dir, 5);
	received_done(&received);
	assert_true(knows(&received, dir, 5));
	received_done(&received);
	remove_folder(folder);
}

static void test_file_is_bounded(void **state)
{
	size_t count = 2 * RECEIVED_KEPT + 10;
	uint64_t *ids = calloc(count, sizeof(*ids));
	struct received received = { 0 };
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

/* Late in the evening: the second half of the samples is of the next day. */
static const struct sample_plan evening = { MONDAY_NS + DAY_NS - 20 * SECOND_NS, SECOND_NS, 0, 40,
					    NULL };
static const struct sample_plan noon = { MONDAY_NS + DAY_NS / 2, SECOND_NS, 0, 40, NULL };

/* Returns the sum of the weights; 0: it was refused. */
static uint64_t put_numbered(struct store *store, const struct sample_plan *plan, uint64_t id)
{
	struct profile *p = profile_new(PROFILE_KEEP_TIME);
	struct store_batch batch = { .profile = p, .id = id };
	uint64_t sum = fill_samples(p, plan);
	struct err err = { 0 };

	if (store_append(store, &batch, &err))
		sum = 0;
	profile_free(p);
	return sum;
}

static uint64_t stored(void)
{
	return stored_weight(folder, MONDAY_NS, MONDAY_NS + 3 * DAY_NS, NULL);
}

/* It comes again twice, to writers of their own. */
static void check_once(const struct sample_plan *plan, uint64_t id)
{
	for (int i = 0; i < 2; i++) {
		struct store *store = open_store(folder, true);
		uint64_t sum = put_numbered(store, plan, id);

		assert_true(sum > 0);
		assert_int_equal(stored(), sum);
		store_close(store);
		assert_int_equal(stored(), sum);
	}
}

/* A process that gets SIGXFSZ when it writes to `received`, which is larger than all other files.
 */
static int write_until_received(bool closes)
{
	const struct rlimit limit = { FULL_BYTES, FULL_BYTES };
	char path[96];
	pid_t pid;
	int status;

	(void)snprintf(path, sizeof(path), "%s/received", folder);
	AUTO_CLOSE int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	assert_int_equal(ftruncate(fd, FULL_BYTES), 0);
	pid = fork();
	if (!pid) {
		struct store *store;

		(void)signal(SIGXFSZ, SIG_DFL);
		(void)setrlimit(RLIMIT_FSIZE, &limit);
		store = open_store(folder, true);
		if (!put_numbered(store, &evening, 7))
			_exit(1);
		if (closes)
			store_close(store);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

/* A batch and its number are in the log at once. */
static void test_batch__is_stored_once_after_a_kill(void **state)
{
	(void)state;
	make_folder(folder);
	assert_int_equal(write_until_received(false), 0);
	check_once(&evening, 7);
	remove_folder(folder);
}

/* Its samples are a block already, and its number is in the log alone. */
static void test_batch__is_stored_once_after_a_kill_in_a_checkpoint(void **state)
{
	int status;

	(void)state;
	make_folder(folder);
	status = write_until_received(true);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGXFSZ);
	check_once(&evening, 7);
	remove_folder(folder);
}

/* One day was stored, the next one could not be. */
static void test_batch__is_stored_once_when_half_was_refused(void **state)
{
	struct store *store;
	char path[96];

	(void)state;
	make_folder(folder);
	(void)snprintf(path, sizeof(path), "%s/20241005-00", folder);
	AUTO_CLOSE int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	store = open_store(folder, true);
	assert_int_equal(put_numbered(store, &evening, 7), 0);
	store_close(store);
	assert_int_equal(unlink(path), 0);
	assert_true(stored() > 0);
	check_once(&evening, 7);
	remove_folder(folder);
}

/* The log with the number is in a part that the next writer does not write. */
static void test_batch__is_known_from_logs_of_other_parts(void **state)
{
	struct store *store;
	uint64_t sum;
	pid_t pid;
	int status;

	(void)state;
	make_folder(folder);
	store = open_store(folder, true);
	sum = put_numbered(store, &noon, 1);
	pid = fork();
	if (!pid)
		_exit(put_numbered(open_store(folder, true), &noon, 2) ? 0 : 1);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	store_close(store);
	assert_int_equal(stored(), 2 * sum);
	store = open_store(folder, true);
	assert_int_equal(put_numbered(store, &noon, 2), sum);
	assert_int_equal(put_numbered(store, &noon, 1), sum);
	store_close(store);
	assert_int_equal(stored(), 2 * sum);
	remove_folder(folder);
}

static uint64_t weight_of(uint64_t batches)
{
	struct profile *p = profile_new(0);
	uint64_t sum = 0;

	for (uint64_t n = 0; n < batches; n++) {
		struct sample_plan plan = evening;

		plan.first = n;
		sum += fill_samples(p, &plan);
	}
	profile_free(p);
	return sum;
}

static _Noreturn void send_on(volatile uint64_t *acknowledged)
{
	static const struct store_limits none;
	struct store *store = open_store(folder, true);
	struct err err = { 0 };

	for (;;) {
		struct sample_plan plan = evening;

		plan.first = *acknowledged;
		if (!put_numbered(store, &plan, plan.first + 1) || store_sync(store, &err))
			_exit(1);
		++*acknowledged;
		if (plan.first % 5 == 4)
			(void)store_maintain(store, &none, MONDAY_NS + 3 * DAY_NS, &err);
		if (plan.first % 17 == 16) {
			store_close(store);
			store = open_store(folder, true);
		}
	}
}

/* Killed at any moment: the batch that was not acknowledged comes again, and all are there once. */
static void test_batch__killed_writers_store_all_once(void **state)
{
	volatile uint64_t *acknowledged =
		mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct store *store;
	struct sample_plan plan = evening;

	(void)state;
	make_folder(folder);
	srand(1);
	for (int i = 0; i < KILLS; i++) {
		uint64_t before = *acknowledged, found;
		pid_t pid = fork();
		int status;

		if (!pid)
			send_on(acknowledged);
		while (*acknowledged == before && waitpid(pid, &status, WNOHANG) == 0)
			usleep(200);
		usleep((useconds_t)(rand() % 15000));
		(void)kill(pid, SIGKILL);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_true(WIFSIGNALED(status));
		found = stored();
		assert_true(found >= weight_of(*acknowledged));
		assert_true(found <= weight_of(*acknowledged + 1));
	}
	store = open_store(folder, true);
	plan.first = *acknowledged;
	assert_true(put_numbered(store, &plan, plan.first + 1) > 0);
	store_close(store);
	assert_int_equal(stored(), weight_of(*acknowledged + 1));
	(void)munmap((void *)acknowledged, 4096);
	remove_folder(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers_stay),
		cmocka_unit_test(test_file_is_bounded),
		cmocka_unit_test(test_batch__is_stored_once_after_a_kill),
		cmocka_unit_test(test_batch__is_stored_once_after_a_kill_in_a_checkpoint),
		cmocka_unit_test(test_batch__is_stored_once_when_half_was_refused),
		cmocka_unit_test(test_batch__is_known_from_logs_of_other_parts),
		cmocka_unit_test(test_batch__killed_writers_store_all_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

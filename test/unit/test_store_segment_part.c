/* SPDX-License-Identifier: GPL-2.0-or-later */
/* store/segment: a writer is killed at any moment, files end anywhere, the disk is full: what was
 * acknowledged is there, exactly once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "store_samples.h"

#include "base/fd.h"

#define KILLS 60

static char folder[64];

static int set_up(void **state)
{
	(void)state;
	make_folder(folder);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	remove_folder(folder);
	return 0;
}

/* What the writer says it has: shared, so that it outlives it. */
struct said {
	uint64_t acknowledged, begun; /* sums of weights */
};

static _Noreturn void write_on(volatile struct said *said, unsigned seed)
{
	static const struct store_limits none;
	struct store *store = open_store(folder, true);
	struct err err = { 0 };

	if (!store)
		_exit(1);
	for (uint64_t n = 0;; n++) {
		struct sample_plan plan = { MONDAY_NS + (seed + n) * 977 % 7200 * SECOND_NS,
					    SECOND_NS, seed + n, 40, NULL };
		struct profile *p = profile_new(0);
		uint64_t sum = fill_samples(p, &plan);

		profile_free(p);
		said->begun += sum;
		if (put_samples(store, &plan, NULL, &err) != sum)
			_exit(2);
		said->acknowledged += sum;
		if (n % 5 == 4 && store_maintain(store, &none, MONDAY_NS + 2 * DAY_NS, &err))
			_exit(3);
		if (n % 17 == 16) {
			store_close(store);
			store = open_store(folder, true);
		}
	}
}

static void test_crash__nothing_acknowledged_is_lost(void **state)
{
	volatile struct said *said =
		mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	(void)state;
	srand(1);
	for (unsigned i = 0; i < KILLS; i++) {
		uint64_t floor = said->acknowledged, before = said->begun, stored;
		pid_t pid = fork();
		int status;

		if (!pid)
			write_on(said, i * 1000);
		while (said->acknowledged == floor && waitpid(pid, &status, WNOHANG) == 0)
			usleep(200);
		usleep((useconds_t)(rand() % 15000));
		(void)kill(pid, SIGKILL);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_true(WIFSIGNALED(status));
		stored = stored_weight(folder, MONDAY_NS, MONDAY_NS + DAY_NS, NULL);
		assert_true(stored == said->acknowledged || stored == said->begun);
		assert_true(said->begun >= before);
		/* the batch that was under way counts or does not, from now on for good */
		said->acknowledged = said->begun = stored;
	}
	(void)munmap((void *)said, 4096);
}

static void cut_file(const char *name, off_t bytes)
{
	char path[128];

	(void)snprintf(path, sizeof(path), "%s/20241004-00/%s", folder, name);
	assert_int_equal(truncate(path, bytes), 0);
}

static off_t file_bytes(const char *name)
{
	char path[128];
	struct stat st = { 0 };

	(void)snprintf(path, sizeof(path), "%s/20241004-00/%s", folder, name);
	return stat(path, &st) ? 0 : st.st_size;
}

/* A log that ends anywhere has all batches before that, for readers and for the next writer. */
static void test_crash__a_torn_log_is_cut(void **state)
{
	struct sample_plan plan = { MONDAY_NS, SECOND_NS, 0, 10, NULL };
	struct err err = { 0 };
	off_t end[9] = { 0 };
	uint64_t sum[9] = { 0 };
	pid_t pid = fork();
	int status;

	(void)state;
	if (!pid) {
		struct store *store = open_store(folder, true);

		for (int i = 0; i < 8; i++, plan.first += 10)
			(void)put_samples(store, &plan, NULL, &err);
		_exit(0); /* without closing */
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	end[8] = file_bytes("wal.1");
	sum[8] = stored_weight(folder, MONDAY_NS, MONDAY_NS + DAY_NS, NULL);
	for (off_t cut = end[8] - 1; cut > end[8] / 2; cut -= 7) {
		uint64_t now;

		cut_file("wal.1", cut);
		now = stored_weight(folder, MONDAY_NS, MONDAY_NS + DAY_NS, NULL);
		assert_true(now < sum[8]);
		sum[0] = now;
	}
	store_close(open_store(folder, true));
	assert_int_equal(stored_weight(folder, MONDAY_NS, MONDAY_NS + DAY_NS, NULL), sum[0]);
	{
		struct store *store = open_store(folder, true);

		sum[0] += put_samples(store, &plan, NULL, &err);
		store_close(store);
	}
	assert_int_equal(stored_weight(folder, MONDAY_NS, MONDAY_NS + DAY_NS, NULL), sum[0]);
}

/* A block that ends anywhere is as if it had not been written; its log is gone, so this is the loss
 * of a disk, not of a crash. What follows is whole. */
static void test_crash__a_torn_block_does_not_hide_others(void **state)
{
	struct sample_plan plan = { MONDAY_NS, SECOND_NS, 0, 1000, NULL };
	struct store *store = open_store(folder, true);
	struct err err = { 0 };
	uint64_t first = put_samples(store, &plan, NULL, &err), second;
	off_t whole;

	(void)state;
	store_close(store);
	whole = file_bytes("10s");
	store = open_store(folder, true);
	plan.from_ns += 3600 * SECOND_NS;
	second = put_samples(store, &plan, NULL, &err);
	store_close(store);
	assert_int_equal(stored_weight(folder, MONDAY_NS, MONDAY_NS + DAY_NS, NULL),
			 first + second);
	cut_file("10s", file_bytes("10s") - 1);
	assert_int_equal(stored_weight(folder, MONDAY_NS, MONDAY_NS + DAY_NS, NULL), first);
	store = open_store(folder, true);
	plan.from_ns += 3600 * SECOND_NS;
	second = put_samples(store, &plan, NULL, &err);
	store_close(store);
	assert_true(file_bytes("10s") > whole);
	assert_int_equal(stored_weight(folder, MONDAY_NS, MONDAY_NS + DAY_NS, NULL),
			 first + second);
}

static uint64_t damage(void)
{
	const struct store_query all = { .from_ns = MONDAY_NS, .to_ns = MONDAY_NS + DAY_NS };
	struct store *store = open_store(folder, false);
	struct store_series_list list = { 0 };
	struct err err = { 0 };
	uint64_t damaged;

	assert_int_equal(store_series(store, &all, &list, &err), 0);
	damaged = list.damaged;
	store_series_list_done(&list);
	store_close(store);
	return damaged;
}

/* A file that ends exactly between two blocks, and one that is empty, are noticed, also by who
 * comes after the next writer. */
static void test_crash__a_cut_between_blocks_is_noticed(void **state)
{
	struct sample_plan plan = { MONDAY_NS, SECOND_NS, 0, 1000, NULL };
	struct err err = { 0 };
	off_t first = 0;

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct store *store = open_store(folder, true);

		plan.from_ns += 3600 * SECOND_NS;
		assert_true(put_samples(store, &plan, NULL, &err) > 0);
		store_close(store);
		first = first ? first : file_bytes("10s");
	}
	assert_int_equal(damage(), 0);
	cut_file("10s", first);
	assert_int_equal(damage(), 1);
	cut_file("10s", 0);
	assert_int_equal(damage(), 1);
	for (int i = 0; i < 2; i++) {
		struct store *store = open_store(folder, true);

		assert_true(put_samples(store, &plan, NULL, &err) > 0);
		store_close(store);
		assert_int_equal(damage(), 1);
	}
}

/* A file that has its contents twice is counted once, and that is noticed. */
static void test_store__a_file_in_double_counts_once(void **state)
{
	struct sample_plan plan = { MONDAY_NS, SECOND_NS, 0, 1000, NULL };
	struct err err = { 0 };
	uint64_t sum = 0;
	char command[256];

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct store *store = open_store(folder, true);

		sum += put_samples(store, &plan, NULL, &err);
		plan.from_ns += 3600 * SECOND_NS;
		store_close(store);
	}
	assert_int_equal(damage(), 0);
	(void)snprintf(command, sizeof(command),
		       "cd %s/20241004-00 && cat 10s 10s >both && mv both 10s", folder);
	assert_int_equal(system(command), 0);
	assert_int_equal(stored_weight(folder, MONDAY_NS, MONDAY_NS + DAY_NS, NULL), sum);
	assert_int_equal(damage(), 2);
}

/* Leaves a log of four batches, without closing the store: synchronised, or not. */
static void leave_log(bool synchronised)
{
	struct sample_plan plan = { MONDAY_NS, SECOND_NS, 0, 200, NULL };
	struct err err = { 0 };
	pid_t pid = fork();
	int status;

	if (!pid) {
		struct store *store = open_store(folder, true);

		for (int i = 0; i < 4; i++, plan.first += 200)
			(void)put_samples(store, &plan, NULL, &err);
		_exit(synchronised && store_sync(store, &err) ? 1 : 0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static void spoil_file(const char *name, off_t at)
{
	char path[128], byte;

	(void)snprintf(path, sizeof(path), "%s/20241004-00/%s", folder, name);
	AUTO_CLOSE int fd = open(path, O_RDWR | O_CLOEXEC);
	assert_int_equal(pread(fd, &byte, 1, at), 1);
	byte ^= 0x55;
	assert_int_equal(pwrite(fd, &byte, 1, at), 1);
}

static void remove_log(void)
{
	char path[128];

	(void)snprintf(path, sizeof(path), "%s/20241004-00/wal.1", folder);
	assert_int_equal(unlink(path), 0);
}

/* Of what was acknowledged nothing is missing in silence: not in the middle, where the hash is
 * wrong, not at the end, which looks torn, and not when all of it is gone. The next writers keep
 * that in mind. */
static void check_spoilt_log(void (*spoil)(off_t bytes))
{
	struct sample_plan plan = { MONDAY_NS, SECOND_NS, 0, 10, NULL };
	struct err err = { 0 };

	leave_log(true);
	assert_int_equal(damage(), 0);
	spoil(file_bytes("wal.1"));
	assert_true(damage() > 0);
	for (int i = 0; i < 3; i++) {
		struct store *store = open_store(folder, true);

		assert_true(put_samples(store, &plan, NULL, &err) > 0);
		store_close(store);
		assert_int_equal(file_bytes("wal.1"), 0);
		assert_true(damage() > 0);
	}
}

static void spoil_middle(off_t bytes)
{
	spoil_file("wal.1", bytes / 2);
}

static void spoil_end(off_t bytes)
{
	spoil_file("wal.1", bytes - 1);
}

static void spoil_length(off_t bytes)
{
	(void)bytes;
	spoil_file("wal.1", 8);
}

static void spoil_by_cut(off_t bytes)
{
	cut_file("wal.1", bytes - 20);
}

static void spoil_all(off_t bytes)
{
	(void)bytes;
	remove_log();
}

static void test_crash__a_spoilt_log_is_reported(void **state)
{
	static void (*const spoils[])(off_t) = { spoil_middle, spoil_end, spoil_length,
						 spoil_by_cut, spoil_all };

	(void)state;
	for (size_t i = 0; i < sizeof(spoils) / sizeof(spoils[0]); i++) {
		check_spoilt_log(spoils[i]);
		remove_folder(folder);
		make_folder(folder);
	}
}

/* What nobody said is stored may be torn: that is how a crash looks. */
static void test_crash__a_torn_log_is_no_damage(void **state)
{
	struct sample_plan plan = { MONDAY_NS, SECOND_NS, 0, 10, NULL };
	struct err err = { 0 };
	struct store *store;

	(void)state;
	leave_log(false);
	spoil_end(file_bytes("wal.1"));
	assert_int_equal(damage(), 0);
	store = open_store(folder, true);
	assert_true(put_samples(store, &plan, NULL, &err) > 0);
	store_close(store);
	assert_int_equal(damage(), 0);
}

/* What a killed writer left is rolled up once, also if nothing came after it. */
static void test_crash__a_log_is_rolled_up_once(void **state)
{
	struct sample_plan plan = { MONDAY_NS, SECOND_NS, 0, 200, NULL };
	static const struct store_limits none;
	struct err err = { 0 };
	uint64_t sum;

	(void)state;
	for (int i = 0; i < 3; i++) {
		struct store *store = open_store(folder, true);

		assert_true(put_samples(store, &plan, NULL, &err) > 0);
		store_close(store);
		leave_log(true);
		sum = stored_weight(folder, MONDAY_NS, MONDAY_NS + DAY_NS, NULL);
		store = open_store(folder, true);
		assert_int_equal(store_maintain(store, &none, MONDAY_NS + 2 * DAY_NS, &err), 0);
		store_close(store);
		assert_int_equal(stored_weight(folder, MONDAY_NS, MONDAY_NS + DAY_NS, NULL), sum);
		store = open_store(folder, true);
		assert_int_equal(store_maintain(store, &none, MONDAY_NS + 2 * DAY_NS, &err), 0);
		store_close(store);
		assert_int_equal(stored_weight(folder, MONDAY_NS, MONDAY_NS + DAY_NS, NULL), sum);
	}
}

/* A full disk, as a limit on the size of files: what cannot be stored is refused, and what was
 * acknowledged stays. */
static void test_crash__a_full_disk_refuses(void **state)
{
	struct sample_plan plan = { MONDAY_NS, SECOND_NS, 0, 200, NULL };
	struct rlimit limit, small = { 20000, RLIM_INFINITY };
	struct store *store = open_store(folder, true);
	struct err err = { 0 };
	uint64_t sum = 0, refused = 0;

	(void)state;
	(void)signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
	small.rlim_max = limit.rlim_max;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	for (int i = 0; i < 200; i++, plan.first += 200) {
		uint64_t put = put_samples(store, &plan, NULL, &err);

		sum += put;
		refused += !put;
	}
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	assert_true(refused > 0);
	assert_int_equal(err.code, -EFBIG);
	assert_int_equal(stored_weight(folder, MONDAY_NS, MONDAY_NS + DAY_NS, NULL), sum);
	sum += put_samples(store, &plan, NULL, &err); /* there is room again */
	store_close(store);
	assert_int_equal(stored_weight(folder, MONDAY_NS, MONDAY_NS + DAY_NS, NULL), sum);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_crash__nothing_acknowledged_is_lost, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(test_crash__a_torn_log_is_cut, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_crash__a_torn_block_does_not_hide_others,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_crash__a_cut_between_blocks_is_noticed, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(test_store__a_file_in_double_counts_once, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(test_crash__a_spoilt_log_is_reported, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(test_crash__a_torn_log_is_no_damage, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(test_crash__a_log_is_rolled_up_once, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(test_crash__a_full_disk_refuses, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

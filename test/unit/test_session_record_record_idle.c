/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session/record/record_idle: targets that are stopped, asleep, at work or gone are different. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "session/record/record_idle.h"

static pid_t start_sleeper(void)
{
	pid_t child = fork();

	assert_true(child >= 0);
	if (child == 0) {
		for (;;)
			(void)pause();
	}
	return child;
}

/* Until it sleeps; then it uses no CPU time any more. */
static void wait_for_sleep(pid_t child)
{
	char path[32], text[512];

	(void)snprintf(path, sizeof(path), "/proc/%d/stat", (int)child);
	for (;;) {
		FILE *file = fopen(path, "re");
		char *close;

		assert_non_null(file);
		assert_non_null(fgets(text, sizeof(text), file));
		(void)fclose(file);
		close = strrchr(text, ')');
		assert_non_null(close);
		if (close[2] == 'S')
			return;
		(void)usleep(1000);
	}
}

static struct record_idle *begin(const pid_t *pid, size_t count)
{
	char pids[64];
	int len = 0;

	for (size_t i = 0; i < count; i++)
		len += snprintf(pids + len, sizeof(pids) - (size_t)len, "%s%d", i ? "," : "",
				(int)pid[i]);
	return record_idle_begin(pids, NULL);
}

static void stop(pid_t child)
{
	int status;

	assert_int_equal(kill(child, SIGSTOP), 0);
	assert_int_equal(waitpid(child, &status, WUNTRACED), child);
	assert_true(WIFSTOPPED(status));
}

static void end(pid_t child)
{
	(void)kill(child, SIGKILL);
	assert_int_equal(waitpid(child, NULL, 0), child);
}

static void check_text(const struct recording_idle *idle, const char *expected)
{
	char text[160];

	recording_idle_text(idle, text, sizeof(text));
	assert_string_equal(text, expected);
}

static void test_record_idle__one_process(void **state)
{
	pid_t child = start_sleeper();
	struct record_idle *idle;
	struct recording_idle at_end;
	char expected[128];

	(void)state;
	wait_for_sleep(child);
	idle = begin(&child, 1);
	record_idle_end(idle, &at_end);
	assert_true(recording_idle_all(&at_end));
	(void)snprintf(expected, sizeof(expected), "process %d used no CPU time", (int)child);
	check_text(&at_end, expected);
	stop(child);
	record_idle_end(idle, &at_end);
	assert_int_equal(at_end.stopped, 1);
	assert_true(recording_idle_all(&at_end));
	(void)snprintf(expected, sizeof(expected),
		       "process %d is stopped (kill -CONT %d continues it)", (int)child,
		       (int)child);
	check_text(&at_end, expected);
	end(child);
	record_idle_end(idle, &at_end);
	assert_false(recording_idle_all(&at_end));
	(void)snprintf(expected, sizeof(expected), "process %d has ended", (int)child);
	check_text(&at_end, expected);
	record_idle_free(idle);
}

static void test_record_idle__several_processes(void **state)
{
	pid_t child[3] = { start_sleeper(), start_sleeper(), 0 };
	struct record_idle *idle;
	struct recording_idle at_end;

	(void)state;
	child[2] = child[0]; /* named twice */
	wait_for_sleep(child[0]);
	wait_for_sleep(child[1]);
	idle = begin(child, 3);
	stop(child[0]);
	record_idle_end(idle, &at_end);
	assert_int_equal(at_end.targets, 2);
	assert_int_equal(at_end.stopped, 1);
	end(child[1]);
	record_idle_end(idle, &at_end);
	assert_false(at_end.has_cpu_ns);
	check_text(&at_end, "2 processes, 1 is stopped, 1 has ended");
	end(child[0]);
	record_idle_free(idle);
}

static void test_record_idle__a_thread_at_work(void **state)
{
	struct recording_idle at_end;
	struct record_idle *idle;
	struct timespec now;
	char id[16];

	(void)state;
	(void)snprintf(id, sizeof(id), "%d", (int)getpid()); /* the first thread */
	idle = record_idle_begin(NULL, id);
	do
		assert_int_equal(clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now), 0);
	while (!now.tv_sec && now.tv_nsec < 100000000);
	record_idle_end(idle, &at_end);
	record_idle_free(idle);
	if (!at_end.has_cpu_ns)
		skip(); /* a kernel without schedstat */
	assert_true(at_end.cpu_ns > 0);
	assert_false(recording_idle_all(&at_end));
}

static void test_record_idle__texts(void **state)
{
	(void)state;
	assert_null(record_idle_begin(NULL, NULL));
	check_text(&(struct recording_idle){ 0 }, "");
	check_text(&(struct recording_idle){ .targets = 1, .id = 7 }, "");
	check_text(&(struct recording_idle){ .targets = 1, .id = 7, .threads = true, .traced = 1 },
		   "thread 7 is stopped by a debugger");
	check_text(
		&(struct recording_idle){
			.targets = 1, .id = 7, .has_cpu_ns = true, .cpu_ns = 1234567 },
		"process 7 used 1.235 ms of CPU time");
	check_text(
		&(struct recording_idle){
			.targets = 3, .threads = true, .stopped = 2, .has_cpu_ns = true },
		"3 threads used no CPU time, 2 are stopped");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_record_idle__one_process),
		cmocka_unit_test(test_record_idle__several_processes),
		cmocka_unit_test(test_record_idle__a_thread_at_work),
		cmocka_unit_test(test_record_idle__texts),
	};

	return cmocka_run_group_tests_name("session/record/record_idle", tests, NULL, NULL);
}

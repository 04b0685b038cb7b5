/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pages of a child at its end, its signals on the way there, and what cannot be traced. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/err.h"
#include "event/page_map.h"
#include "proc/page_snapshot.h"
#include "session/resident/exit_snapshot.h"

#define STATUS	   5
#define ROOM_BYTES ((size_t)8 << 20)

static volatile sig_atomic_t got;

static void on_signal(int number)
{
	got = number;
}

/* Waits for the word, stops itself once, gets a signal, touches memory. */
static _Noreturn void child(int go)
{
	char word, *room = mmap(NULL, ROOM_BYTES, PROT_READ | PROT_WRITE,
				MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	(void)signal(SIGUSR1, on_signal);
	if (read(go, &word, 1) != 1 || room == MAP_FAILED)
		_exit(1);
	(void)raise(SIGSTOP);
	(void)raise(SIGUSR1);
	for (size_t i = 0; i < ROOM_BYTES; i += 4096)
		room[i] = 1;
	_exit(got == SIGUSR1 ? STATUS : 2);
}

static uint64_t largest_area(const struct page_map *map)
{
	uint64_t ret = 0;

	for (size_t i = 0; i < map->area.count; i++)
		if (map->area.item[i].shared && map->area.item[i].rss > ret)
			ret = map->area.item[i].rss;
	return ret;
}

static void test_exit_snapshot__child(void **state)
{
	struct exit_snapshot *snapshot;
	struct buf bytes = { 0 };
	struct page_map map;
	struct err err = { 0 };
	int go[2], status;
	pid_t pid;

	(void)state;
	assert_int_equal(exit_snapshot_open(&snapshot, &err), 0);
	assert_int_equal(pipe(go), 0);
	pid = fork();
	if (!pid)
		child(go[0]);
	if (exit_snapshot_watch(snapshot, pid, &err)) { /* seccomp, Yama */
		assert_int_equal(kill(pid, SIGKILL), 0);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		exit_snapshot_close(snapshot);
		skip();
	}
	assert_int_equal(write(go[1], "g", 1), 1);
	assert_int_equal(waitpid(pid, &status, WUNTRACED), pid);
	assert_true(WIFSTOPPED(status) && WSTOPSIG(status) == SIGSTOP);
	assert_int_equal(kill(pid, SIGCONT), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), STATUS);
	assert_int_equal(exit_snapshot_take(snapshot, &bytes, &err), 0);
	assert_int_equal(page_snapshot_parse(bytes.data, bytes.len, &map, &err), 0);
	assert_int_equal(largest_area(&map), ROOM_BYTES);
	page_map_done(&map);
	buf_done(&bytes);
	exit_snapshot_close(snapshot);
	(void)close(go[0]);
	(void)close(go[1]);
}

static void test_exit_snapshot__no_process(void **state)
{
	struct exit_snapshot *snapshot;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(exit_snapshot_open(&snapshot, &err), 0);
	assert_true(exit_snapshot_watch(snapshot, 0x7fffffff, &err) < 0);
	exit_snapshot_close(snapshot);
	exit_snapshot_close(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_exit_snapshot__child),
		cmocka_unit_test(test_exit_snapshot__no_process),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

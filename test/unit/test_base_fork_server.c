/* SPDX-License-Identifier: GPL-2.0-or-later */
/* base/fork_server: processes are started by a process without threads, and ended by it. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/fd.h"
#include "base/fork_server.h"

static struct fork_server *server;
static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER; /* by another thread, when asked */

/* Doubles bytes until its socket is closed. */
static void double_bytes(int socket)
{
	uint8_t byte;

	while (read(socket, &byte, 1) == 1) {
		byte *= 2;
		if (fd_write_all(socket, &byte, 1))
			return;
	}
}

static void count_descriptors(int socket)
{
	uint8_t count = 0;

	for (int fd = 0; fd < 64; fd++)
		count += fcntl(fd, F_GETFD) >= 0;
	(void)fd_write_all(socket, &count, 1);
}

static void take_lock(int socket)
{
	uint8_t got = pthread_mutex_trylock(&held) == 0;

	(void)fd_write_all(socket, &got, 1);
}

static void read_nothing(int socket)
{
	(void)socket;
	for (;;)
		(void)pause();
}

static uint8_t ask(int socket, uint8_t byte)
{
	assert_int_equal(0, fd_write_all(socket, &byte, 1));
	assert_int_equal(1, read(socket, &byte, 1));
	return byte;
}

static void test_fork_server__starts_processes_side_by_side(void **state)
{
	pid_t pid[2];
	int socket[2];

	(void)state;
	for (int i = 0; i < 2; i++) {
		socket[i] = fork_server_start(server, double_bytes, &pid[i]);
		assert_true(socket[i] >= 0);
	}
	assert_int_not_equal(pid[0], pid[1]);
	assert_int_equal(8, ask(socket[0], 4));
	assert_int_equal(10, ask(socket[1], 5));
	for (int i = 0; i < 2; i++) {
		assert_int_equal(0, close(socket[i]));
		(void)fork_server_end(server, pid[i]);
		assert_int_equal(-1, kill(pid[i], 0));
		assert_int_equal(ESRCH, errno);
	}
}

static void test_fork_server__gives_no_descriptors_but_the_socket(void **state)
{
	uint8_t count;
	pid_t pid;
	int socket = fork_server_start(server, count_descriptors, &pid);

	(void)state;
	assert_int_equal(1, read(socket, &count, 1));
	assert_int_equal(4, count); /* and /dev/null three times */
	assert_int_equal(0, close(socket));
	(void)fork_server_end(server, pid);
}

/* A lock that a thread holds is not held in a process that is started now. */
static void test_fork_server__has_no_locks_of_threads(void **state)
{
	uint8_t got;
	pid_t pid;
	int socket;

	(void)state;
	assert_int_equal(0, pthread_mutex_lock(&held));
	socket = fork_server_start(server, take_lock, &pid);
	assert_int_equal(1, read(socket, &got, 1));
	assert_int_equal(1, got);
	assert_int_equal(0, pthread_mutex_unlock(&held));
	assert_int_equal(0, close(socket));
	(void)fork_server_end(server, pid);
}

static void test_fork_server__ends_what_does_not_end(void **state)
{
	pid_t pid;
	int socket = fork_server_start(server, read_nothing, &pid);

	(void)state;
	assert_true(socket >= 0);
	assert_int_equal(0, close(socket));
	assert_int_equal(SIGKILL, fork_server_end(server, pid));
	assert_int_equal(-1, kill(pid, 0));
}

static void end_itself(int socket)
{
	uint8_t number;

	if (read(socket, &number, 1) != 1)
		return;
	if (number == SIGABRT)
		abort(); /* which is not blocked */
	if (number == SIGKILL)
		(void)raise(SIGKILL);
}

/* Not with the signal that fork_server_end() sends when it has begun to end. */
static void test_fork_server__says_what_ended_a_process(void **state)
{
	static const uint8_t signals[] = { 0, SIGABRT, SIGKILL };

	(void)state;
	for (size_t i = 0; i < sizeof(signals); i++) {
		pid_t pid;
		int socket = fork_server_start(server, end_itself, &pid);
		uint8_t byte;

		assert_int_equal(0, fd_write_all(socket, &signals[i], 1));
		assert_int_equal(0, read(socket, &byte, 1));
		assert_int_equal(signals[i], fork_server_end(server, pid));
		assert_int_equal(0, close(socket));
	}
}

static int start_server(void **state)
{
	struct err err = { 0 };

	(void)state;
	return fork_server_open(&server, &err);
}

static int stop_server(void **state)
{
	(void)state;
	fork_server_close(server);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fork_server__starts_processes_side_by_side),
		cmocka_unit_test(test_fork_server__gives_no_descriptors_but_the_socket),
		cmocka_unit_test(test_fork_server__has_no_locks_of_threads),
		cmocka_unit_test(test_fork_server__says_what_ended_a_process),
		cmocka_unit_test(test_fork_server__ends_what_does_not_end),
	};

	return cmocka_run_group_tests_name("base/fork_server", tests, start_server, stop_server);
}

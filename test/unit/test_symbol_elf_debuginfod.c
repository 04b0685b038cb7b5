// SPDX-License-Identifier: GPL-2.0-or-later
/* symbol/debuginfod: a server on the loopback gives a file by its build id; one that does not have
 * it, one that never answers and none at all are distinguished, and requests end in time. */
#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/fd.h"
#include "proc/elf_file.h"
#include "symbol/elf/debuginfod.h"

/* Any ELF file does for a debug file. */
#define SERVED "/proc/self/exe"

struct server {
	int listener;
	char cache[32];
	bool silent; /* takes connections and says nothing */
	atomic_int requests;
	pthread_t thread;
};

static void answer(int connection, const char *request)
{
	struct buf body = { 0 };
	struct err err = { 0 };
	char head[128];
	int len;

	if (strncmp(request, "GET /buildid/0123456789abcdef/debuginfo ", 40) ||
	    fd_read_file(SERVED, &body, &err)) {
		static const char absent[] =
			"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";

		(void)fd_write_all(connection, absent, sizeof(absent) - 1);
		return;
	}
	len = snprintf(head, sizeof(head),
		       "HTTP/1.1 200 OK\r\nContent-Length: %zu\r\nConnection: close\r\n\r\n",
		       body.len);
	if (!fd_write_all(connection, head, (size_t)len))
		(void)fd_write_all(connection, body.data, body.len);
	buf_done(&body);
}

static void *serve(void *arg)
{
	struct server *server = arg;

	for (;;) {
		char request[4096] = "";
		int connection = accept(server->listener, NULL, NULL);

		if (connection < 0)
			return NULL; /* shut down */
		server->requests++;
		if (server->silent) {
			while (recv(connection, request, sizeof(request), 0) > 0)
				;
		} else if (recv(connection, request, sizeof(request) - 1, 0) > 0) {
			answer(connection, request);
		}
		(void)close(connection);
	}
}

static void start(struct server *server)
{
	struct sockaddr_in address = { .sin_family = AF_INET };
	socklen_t len = sizeof(address);
	char url[64];

	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	server->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_true(server->listener >= 0);
	assert_int_equal(bind(server->listener, (struct sockaddr *)&address, len), 0);
	assert_int_equal(listen(server->listener, 8), 0);
	assert_int_equal(getsockname(server->listener, (struct sockaddr *)&address, &len), 0);
	(void)snprintf(url, sizeof(url), "http://127.0.0.1:%u", ntohs(address.sin_port));
	(void)snprintf(server->cache, sizeof(server->cache), "/tmp/cupel-debuginfod-XXXXXX");
	assert_non_null(mkdtemp(server->cache));
	assert_int_equal(setenv("DEBUGINFOD_URLS", url, 1), 0);
	assert_int_equal(setenv("DEBUGINFOD_CACHE_PATH", server->cache, 1), 0);
	assert_int_equal(setenv("no_proxy", "127.0.0.1", 1), 0);
	assert_int_equal(pthread_create(&server->thread, NULL, serve, server), 0);
}

static void stop(struct server *server)
{
	char command[64];

	(void)shutdown(server->listener, SHUT_RDWR);
	assert_int_equal(pthread_join(server->thread, NULL), 0);
	(void)close(server->listener);
	(void)snprintf(command, sizeof(command), "rm -rf %s", server->cache);
	assert_int_equal(system(command), 0);
}

static void need_library(void)
{
	void *handle = dlopen("libdebuginfod.so.1", RTLD_NOW | RTLD_NODELETE);

	if (!handle)
		skip();
	(void)dlclose(handle);
}

static const struct build_id known = { 8, { 0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef } };
static const struct build_id unknown = { 8, { 0xff } };

static void test_debuginfod__opens_the_file_a_server_has(void **state)
{
	struct debuginfod_session *session;
	struct server server = { 0 };
	struct elf_file *elf;
	struct err err = { 0 };

	(void)state;
	need_library();
	session = debuginfod_session_new(0);
	start(&server);
	assert_int_equal(debuginfod_session_open(session, &known, &elf, &err), 0);
	assert_true(elf->section_count > 0);
	elf_file_close(elf);
	assert_int_equal(debuginfod_session_open(session, &unknown, &elf, &err), -ENOENT);
	/* from the cache */
	assert_int_equal(debuginfod_session_open(session, &known, &elf, &err), 0);
	elf_file_close(elf);
	assert_int_equal(server.requests, 2);
	debuginfod_session_free(session);
	stop(&server);
}

static void test_debuginfod__gives_up_on_a_silent_server(void **state)
{
	struct debuginfod_session *session;
	struct server server = { .silent = true };
	struct timespec from, to;
	struct elf_file *elf;
	struct err err = { 0 };

	(void)state;
	need_library();
	session = debuginfod_session_new(1);
	start(&server);
	(void)clock_gettime(CLOCK_MONOTONIC, &from);
	assert_int_equal(debuginfod_session_open(session, &known, &elf, &err), -ETIME);
	assert_int_equal(debuginfod_session_open(session, &unknown, &elf, &err), -ETIME);
	(void)clock_gettime(CLOCK_MONOTONIC, &to);
	assert_true(to.tv_sec - from.tv_sec < 5);
	assert_int_equal(server.requests, 1);
	debuginfod_session_free(session);
	stop(&server);
}

static void test_debuginfod__reports_that_no_server_is_set(void **state)
{
	struct debuginfod_session *session = debuginfod_session_new(0);
	struct elf_file *elf;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(unsetenv("DEBUGINFOD_URLS"), 0);
	assert_int_equal(debuginfod_session_open(session, &known, &elf, &err), -ENOSYS);
	assert_non_null(strstr(err.msg, "DEBUGINFOD_URLS"));
	debuginfod_session_free(session);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_debuginfod__reports_that_no_server_is_set),
		cmocka_unit_test(test_debuginfod__opens_the_file_a_server_has),
		cmocka_unit_test(test_debuginfod__gives_up_on_a_silent_server),
	};

	return cmocka_run_group_tests_name("symbol/debuginfod", tests, NULL, NULL);
}

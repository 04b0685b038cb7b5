/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session/unwind/table_loader: it makes tables on threads, which end when it is stopped. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/fd.h"
#include "proc/module.h"
#include "session/unwind/table_loader.h"
#include "source/bpf/unwind_pool.h"

#define SETTLE_NS UINT64_C(60000000000)

static unsigned count_threads(void)
{
	struct buf status = { 0 };
	struct err err = { 0 };
	const char *line;
	unsigned count;

	assert_int_equal(0, fd_read_file("/proc/self/status", &status, &err));
	line = strstr(status.data, "Threads:");
	assert_non_null(line);
	count = (unsigned)strtoul(line + 8, NULL, 10);
	buf_done(&status);
	return count;
}

/* A recorder forks then, to find names. */
static void test_loader__stopped_has_no_threads(void **state)
{
	char program[4096];
	ssize_t len = readlink("/proc/self/exe", program, sizeof(program) - 1);
	struct module module = { .kind = MODULE_FILE, .path = program, .name = program };
	struct table_loader_stats stats;
	struct table_loader *loader;
	struct unwind_pool *pool;
	struct err err = { 0 };
	uint32_t binary;

	(void)state;
	assert_true(len > 0);
	program[len] = '\0';
	assert_int_equal(0, unwind_pool_open(NULL, 1 << 20, &pool, &err));
	assert_int_equal(0, table_loader_new(pool, NULL, &loader, &err));
	assert_true(count_threads() > 1);
	assert_int_equal(0, unwind_pool_add_binary(pool, &binary));
	table_loader_ask(loader, binary, &module, 1);
	table_loader_settle(loader, SETTLE_NS);
	table_loader_stop(loader);
	assert_int_equal(1, count_threads());
	table_loader_ask(loader, binary, &module, 1); /* is not answered any more */
	table_loader_stats(loader, &stats);
	assert_true(stats.built + stats.read + stats.bare > 0);
	table_loader_free(loader);
	unwind_pool_close(pool);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_loader__stopped_has_no_threads),
	};

	return cmocka_run_group_tests_name("session/unwind/table_loader", tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session/probe: events of -e become tracepoints, in a tree made here. The program that is probed
 * is this one. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/fd.h"
#include "session/probe/tracefs_events.h"
#include "source/options.h"

static char root[64], self[4096];

int tracefs_events_target(int n);
__attribute__((noinline)) int tracefs_events_target(int n)
{
	return n;
}

static const char *in_root(const char *name)
{
	static char path[256];

	(void)snprintf(path, sizeof(path), "%s%s", root, name);
	return path;
}

static int make_tree(void **state)
{
	static const char *const folders[] = { "/sys", "/sys/kernel", "/sys/kernel/tracing",
					       "/sys/kernel/tracing/events" };
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);

	(void)state;
	assert_true(len > 0);
	self[len] = '\0';
	(void)snprintf(root, sizeof(root), "/tmp/cupel-events-XXXXXX");
	assert_non_null(mkdtemp(root));
	for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++)
		assert_int_equal(mkdir(in_root(folders[i]), 0700), 0);
	(void)close(open(in_root("/sys/kernel/tracing/uprobe_events"),
			 O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
	return 0;
}

static int drop_tree(void **state)
{
	char command[128];

	(void)state;
	(void)snprintf(command, sizeof(command), "rm -rf %s", root);
	return system(command);
}

static int make(struct tracefs_events *events, struct source_options *options, const char *text,
		struct err *err)
{
	struct record_selector item = { .text = text }, *given;
	int code;

	*events = (struct tracefs_events){ .root = root };
	*options = (struct source_options){ .tracefs = true };
	vec_push(&options->selector, item);
	given = options->selector.item;
	code = tracefs_events_make(events, options, err);
	if (options->selector.item != given)
		free(given);
	return code;
}

static void test_events__become_names(void **state)
{
	struct record_selector *given;
	struct source_options options;
	struct tracefs_events events;
	struct buf text = { 0 }, lines = { .limit = 8192 };
	struct err err = { 0 };
	unsigned count = 0;

	(void)state;
	(void)buf_printf(&text,
			 "cpu-clock:u,g:e=probe:%s:tracefs_events_target n=$arg1,"
			 "uprobe:%s:tracefs_events_t*",
			 self, self);
	assert_int_equal(make(&events, &options, text.data, &err), 0);
	given = options.selector.item;
	assert_string_equal(
		given[0].text,
		"cpu-clock:u,g:e,probe_test_session_probe_tracefs_events:tracefs_events_t_");
	assert_int_equal(events.name.count, 2);
	assert_string_equal(events.name.item[0], "g:e");
	assert_int_equal(fd_read_file(in_root("/sys/kernel/tracing/uprobe_events"), &lines, &err),
			 0);
	for (const char *at = lines.data; (at = strstr(at, self)); at++)
		count++;
	assert_int_equal(count, 2);
	assert_non_null(strstr(lines.data, " n=%"));
	assert_true(tracefs_events_close(&events));
	buf_done(&text);
	buf_done(&lines);
}

static void test_events__without_probes(void **state)
{
	struct source_options options;
	struct tracefs_events events;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(make(&events, &options, "cpu-clock", &err), 0);
	assert_string_equal(options.selector.item[0].text, "cpu-clock");
	assert_int_equal(events.name.count, 0);
	assert_true(tracefs_events_close(&events));
	vec_done(&options.selector);
}

static void test_events__refused(void **state)
{
	struct source_options options;
	struct tracefs_events events;
	struct buf text = { 0 };
	struct err err = { 0 };

	(void)state;
	(void)buf_printf(&text, "probe:%s:tracefs_events_target n=$arg1+1", self);
	assert_int_equal(make(&events, &options, text.data, &err), -ENOTSUP);
	assert_true(tracefs_events_close(&events));
	vec_done(&options.selector);
	buf_done(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_events__become_names, make_tree, drop_tree),
		cmocka_unit_test_setup_teardown(test_events__without_probes, make_tree, drop_tree),
		cmocka_unit_test_setup_teardown(test_events__refused, make_tree, drop_tree),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

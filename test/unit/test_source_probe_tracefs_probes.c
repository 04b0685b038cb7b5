/* SPDX-License-Identifier: GPL-2.0-or-later */
/* source/probe: what is written to tracefs for probes, in a tree made here. */
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
#include "source/probe/tracefs_probes.h"

static char root[64];

static const char *in_root(const char *name)
{
	static char path[256];

	(void)snprintf(path, sizeof(path), "%s%s", root, name);
	return path;
}

static int make_tree(void **state)
{
	static const char *const folders[] = { "/sys",
					       "/sys/kernel",
					       "/sys/kernel/tracing",
					       "/sys/kernel/tracing/events",
					       "/sys/kernel/tracing/events/g",
					       "/sys/kernel/tracing/events/g/taken" };
	static const char *const files[] = { "/sys/kernel/tracing/uprobe_events",
					     "/sys/kernel/tracing/kprobe_events" };

	(void)state;
	(void)snprintf(root, sizeof(root), "/tmp/cupel-probes-XXXXXX");
	assert_non_null(mkdtemp(root));
	for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++)
		assert_int_equal(mkdir(in_root(folders[i]), 0700), 0);
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
		(void)close(open(in_root(files[i]), O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
	return 0;
}

static int drop_tree(void **state)
{
	char command[128];

	(void)state;
	(void)snprintf(command, sizeof(command), "rm -rf %s", root);
	return system(command);
}

static void check_file(const char *name, const char *expected)
{
	struct buf text = { .limit = 4096 };
	struct err err = { 0 };

	assert_int_equal(fd_read_file(in_root(name), &text, &err), 0);
	assert_string_equal(text.data ? text.data : "", expected);
	buf_done(&text);
}

static void test_probes__are_added_and_removed(void **state)
{
	const struct tracefs_probe probe[] = {
		{ .group = "g",
		  .event = "a",
		  .file = "/x/y",
		  .offset = 0x1129,
		  .arguments = " n=%si" },
		{ .group = "g",
		  .event = "b",
		  .file = "/x/y",
		  .offset = 16,
		  .semaphore = 0x20,
		  .returns = true,
		  .arguments = "" },
	};
	const struct tracefs_probe of_kernel = {
		.group = "g", .event = "k", .function = "vfs_read", .arguments = ""
	};
	struct tracefs_probes *probes;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(tracefs_probes_open(root, &probes, &err), 0);
	assert_int_equal(tracefs_probes_add(probes, &probe[0], &err), 0);
	assert_int_equal(tracefs_probes_add(probes, &probe[1], &err), 0);
	assert_int_equal(tracefs_probes_add(probes, &of_kernel, &err), 0);
	check_file("/sys/kernel/tracing/uprobe_events", "p:g/a /x/y:0x0000000000001129 n=%si\n"
							"r:g/b /x/y:0x0000000000000010(0x20)\n");
	check_file("/sys/kernel/tracing/kprobe_events", "p:g/k vfs_read\n");
	assert_true(tracefs_probes_close(probes));
	check_file("/sys/kernel/tracing/uprobe_events", "p:g/a /x/y:0x0000000000001129 n=%si\n"
							"r:g/b /x/y:0x0000000000000010(0x20)\n"
							"-:g/b /x/y:0x0000000000000010(0x20)\n"
							"-:g/a /x/y:0x0000000000001129\n");
	check_file("/sys/kernel/tracing/kprobe_events", "p:g/k vfs_read\n-:g/k\n");
}

static void test_probes__names_and_files(void **state)
{
	const struct tracefs_probe blank = {
		.group = "g", .event = "a", .file = "/x y", .arguments = ""
	};
	struct tracefs_probes *probes;
	struct buf name = { 0 };
	struct err err = { 0 };

	(void)state;
	assert_int_equal(tracefs_probes_open(root, &probes, &err), 0);
	assert_int_equal(tracefs_probes_free_name(probes, "g", "taken", &name, &err), 0);
	assert_string_equal(name.data, "taken_1");
	buf_clear(&name);
	assert_int_equal(tracefs_probes_free_name(probes, "g", "free", &name, &err), 0);
	assert_string_equal(name.data, "free");
	assert_int_equal(tracefs_probes_add(probes, &blank, &err), -EINVAL);
	assert_true(tracefs_probes_close(probes));
	assert_true(tracefs_probes_close(NULL));
	buf_done(&name);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_probes__are_added_and_removed, make_tree,
						drop_tree),
		cmocka_unit_test_setup_teardown(test_probes__names_and_files, make_tree, drop_tree),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* source/probe: persistent probes as tracefs lists them, in a tree made here. */
#include <errno.h>
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
#include "source/probe/persistent_probes.h"

static const char programs[] =
	"p:probe_libc/malloc /usr/lib/libc.so.6:0x0000000000098930 size=%di\n"
	"r:probe_libc/malloc__return /usr/lib/libc.so.6:0x98930 arg1=$retval\n"
	"p:sdt_x/y /a/b:0x10(0x4030) a=%ax:u8 b=+0(%si):string\n"
	"malformed\n"
	"p:nogroup /a/b:0x10\n"
	"p:g/e\n"
	"p:g/e /a/b\n"
	"p:g/e /a/b:zz\n"
	"p:g/\033e /a/b:0x10\n";
static const char kernel[] = "p:kprobes/one vfs_read+0\nr16:kprobes/two vfs_write+4 ret=$retval";

static void test_probes__lines(void **state)
{
	struct persistent_probes all = { 0 };

	(void)state;
	persistent_probes_parse(programs, sizeof(programs) - 1, false, &all);
	assert_int_equal(all.item.count, 3);
	assert_string_equal(all.item.item[0].group, "probe_libc");
	assert_string_equal(all.item.item[0].event, "malloc");
	assert_string_equal(all.item.item[0].file, "/usr/lib/libc.so.6");
	assert_int_equal(all.item.item[0].offset, 0x98930);
	assert_string_equal(all.item.item[0].names, " size");
	assert_false(all.item.item[0].returns);
	assert_true(all.item.item[1].returns);
	assert_int_equal(all.item.item[2].offset, 0x10);
	assert_string_equal(all.item.item[2].names, " a b");
	persistent_probes_parse(kernel, sizeof(kernel) - 1, true, &all);
	assert_int_equal(all.item.count, 5);
	assert_null(all.item.item[3].file);
	assert_string_equal(all.item.item[3].place, "vfs_read+0");
	assert_string_equal(all.item.item[4].event, "two");
	assert_string_equal(all.item.item[4].names, " ret");
	persistent_probes_done(&all);
}

static void put_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

static void test_probes__are_read_and_removed(void **state)
{
	char root[] = "/tmp/persistent_probes_XXXXXX", path[128], command[128];
	struct persistent_probes all;
	struct buf text = { .limit = 4096 };
	struct err err = { 0 };

	(void)state;
	assert_non_null(mkdtemp(root));
	(void)snprintf(command, sizeof(command), "mkdir -p %s/sys/kernel/tracing/events", root);
	assert_int_equal(system(command), 0);
	(void)snprintf(path, sizeof(path), "%s/sys/kernel/tracing/uprobe_events", root);
	put_file(path, programs);
	/* a kernel without kprobe_events */
	assert_int_equal(persistent_probes_read(root, &all, &err), 0);
	assert_int_equal(all.item.count, 3);
	assert_int_equal(persistent_probe_remove(root, &all.item.item[1], &err), 0);
	assert_int_equal(fd_read_file(path, &text, &err), 0);
	assert_string_equal(strrchr(text.data, '-'), "-:probe_libc/malloc__return\n");
	buf_done(&text);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(persistent_probe_remove(root, &all.item.item[0], &err), -ENOENT);
	persistent_probes_done(&all);
	(void)snprintf(command, sizeof(command), "rm -r %s", root);
	assert_int_equal(system(command), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_probes__lines),
		cmocka_unit_test(test_probes__are_read_and_removed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* source/block_device: a disk, a device of the device mapper in a RAID, a loop device, a file
 * system without a device, and an unknown number. */
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
#include "event/ledger_account.h"
#include "source/ledger/block_device.h"

static char root[] = "/tmp/cupel-devices-XXXXXX";

static void folder(const char *path)
{
	char command[256];

	(void)snprintf(command, sizeof(command), "mkdir -p %s/%s", root, path);
	assert_int_equal(system(command), 0);
}

static void file(const char *path, const char *text)
{
	char full[256];
	FILE *stream;

	(void)snprintf(full, sizeof(full), "%s/%s", root, path);
	stream = fopen(full, "w");
	assert_non_null(stream);
	assert_true(fputs(text, stream) >= 0);
	assert_int_equal(fclose(stream), 0);
}

static void device(const char *number, const char *name)
{
	char link[256], target[128];

	(void)snprintf(target, sizeof(target), "../../devices/%s", name);
	(void)snprintf(link, sizeof(link), "%s/sys/dev/block/%s", root, number);
	assert_int_equal(symlink(target, link), 0);
}

static int make_root(void **state)
{
	(void)state;
	assert_non_null(mkdtemp(root));
	folder("sys/dev/block");
	folder("sys/devices/vda");
	folder("sys/devices/dm-0/dm");
	folder("sys/devices/dm-0/holders/md0");
	folder("sys/devices/dm-0/holders/md1");
	folder("sys/devices/loop3/loop");
	folder("proc/self");
	file("sys/devices/dm-0/dm/name", "slow\n");
	file("sys/devices/loop3/loop/backing_file", "/disk\033.img\n");
	device("254:0", "vda");
	device("253:0", "dm-0");
	device("7:3", "loop3");
	file("proc/self/mountinfo",
	     "22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw\n"
	     "nonsense\n"
	     "40 22 0:45 / /mnt/far rw,nosuid shared:9 master:1 - fuse.sshfs host: rw\n");
	return 0;
}

static int remove_root(void **state)
{
	char command[64];

	(void)state;
	(void)snprintf(command, sizeof(command), "rm -r %s", root);
	return system(command);
}

static void is(uint32_t major, uint32_t minor, const char *name, const char *about)
{
	struct buf got = { 0 }, got_about = { 0 };

	block_device_name(root, major << LEDGER_MINOR_BITS | minor, &got, &got_about);
	assert_string_equal(got.data, name);
	assert_string_equal(got_about.data ? got_about.data : "", about);
	buf_done(&got);
	buf_done(&got_about);
}

static void test_names(void **state)
{
	(void)state;
	is(254, 0, "vda", "");
	is(7, 3, "loop3", "/disk?.img");
	is(0, 45, "/mnt/far", "fuse.sshfs");
	is(0, 46, "0:46", "");
	is(4095, 1048575, "4095:1048575", "");
}

static void test_parts_of_others(void **state)
{
	struct buf name = { 0 }, about = { 0 };

	(void)state;
	block_device_name(root, 253 << LEDGER_MINOR_BITS, &name, &about);
	assert_string_equal(name.data, "dm-0");
	assert_memory_equal(about.data, "slow, part of md", 16);
	assert_non_null(strstr(about.data, " and md"));
	buf_done(&name);
	buf_done(&about);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_parts_of_others),
	};

	return cmocka_run_group_tests(tests, make_root, remove_root);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* symbol/debug_file: build-id folders, .gnu_debuglink with its checksum, and refusals. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/err.h"
#include "base/fd.h"
#include "elf_builder.h"
#include "proc/elf_file.h"
#include "symbol/elf/debug_file.h"

static char folder[] = "/tmp/cupel-debug-XXXXXX";

static void write_file(const char *name, const struct elf_builder *b)
{
	char path[256];
	int fd;

	(void)snprintf(path, sizeof(path), "%s/%s", folder, name);
	for (char *p = path + strlen(folder) + 1; *p; p++)
		if (*p == '/') {
			*p = '\0';
			assert_true(!mkdir(path, 0700) || errno == EEXIST);
			*p = '/';
		}
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(0, fd_write_all(fd, b->data, b->len));
	assert_int_equal(0, close(fd));
}

static void build(struct elf_builder *b, const char *build_id, const char *link, uint32_t crc)
{
	uint8_t content[64] = { 0 };

	builder_start(b, false);
	if (build_id)
		builder_build_id(b, build_id);
	if (link) {
		size_t len = (strlen(link) + 4) & ~(size_t)3;

		memcpy(content, link, strlen(link));
		memcpy(content + len, &crc, sizeof(crc));
		(void)builder_section(b, ".gnu_debuglink", SHT_PROGBITS, content, len + 4);
	}
	builder_finish(b);
}

/* Opens FOLDER/NAME and its debug file; returns the latter's path below the folder, or NULL. */
static const char *find(const char *name, const char *symfs)
{
	static char found[256];
	struct err err = { 0 };
	struct elf_file *elf, *debug;
	char path[256];
	int code;

	(void)snprintf(path, sizeof(path), "%s/%s", folder, name);
	assert_int_equal(0, elf_file_open(path, &elf, &err));
	if (symfs)
		elf->root_len = strlen(folder);
	code = debug_file_open(elf, symfs, &debug, &err);
	elf_file_close(elf);
	if (code) {
		assert_int_equal(-ENOENT, code);
		return NULL;
	}
	(void)snprintf(found, sizeof(found), "%s", debug->path + strlen(folder) + 1);
	elf_file_close(debug);
	return found;
}

static void test_debug_file__by_build_id(void **state)
{
	static const char hidden[] =
		"usr/lib/debug/.build-id/61/61616161616161616161616161616161616161.debug";
	struct elf_builder main_file, debug;

	(void)state;
	build(&main_file, "aaaaaaaaaaaaaaaaaaaa", NULL, 0);
	build(&debug, "bbbbbbbbbbbbbbbbbbbb", NULL, 0);
	write_file("bin/prog", &main_file);
	write_file(hidden, &debug);
	assert_null(find("bin/prog", folder)); /* the name is right, the content is not */
	build(&debug, "aaaaaaaaaaaaaaaaaaaa", NULL, 0);
	write_file(hidden, &debug);
	assert_string_equal(hidden, find("bin/prog", folder));
}

static void test_debug_file__by_link_and_checksum(void **state)
{
	struct elf_builder main_file, debug;
	uint32_t crc;

	(void)state;
	build(&debug, NULL, NULL, 0);
	crc = (uint32_t)crc32(0, debug.data, (uInt)debug.len);
	build(&main_file, NULL, "linked.debug", crc);
	write_file("bin/linked", &main_file);
	assert_null(find("bin/linked", NULL));
	write_file("bin/.debug/linked.debug", &debug);
	assert_string_equal("bin/.debug/linked.debug", find("bin/linked", NULL));
	write_file("bin/linked.debug", &debug);
	assert_string_equal("bin/linked.debug", find("bin/linked", NULL));
	debug.data[debug.len - 1] ^= 1;
	write_file("bin/linked.debug", &debug);
	write_file("bin/.debug/linked.debug", &debug);
	assert_null(find("bin/linked", NULL));
}

static void test_debug_file__links_do_not_lead_out(void **state)
{
	struct elf_builder main_file;

	(void)state;
	build(&main_file, NULL, "../../etc/passwd", 0);
	write_file("bin/evil", &main_file);
	assert_null(find("bin/evil", NULL));
	build(&main_file, NULL, "evil", 0); /* its own name: not its own debug file */
	write_file("bin/evil", &main_file);
	assert_null(find("bin/evil", NULL));
}

static void test_debug_file__bias_of_prelinked_files(void **state)
{
	struct elf_builder main_file, debug;
	struct err err = { 0 };
	struct elf_file *a, *b;

	(void)state;
	build(&main_file, NULL, NULL, 0);
	build(&debug, NULL, NULL, 0);
	assert_int_equal(0, elf_file_parse(main_file.data, main_file.len, &a, &err));
	assert_int_equal(0, elf_file_parse(debug.data, debug.len, &b, &err));
	assert_int_equal(0, debug_file_bias(a, b));
	b->section[1].addr -= 0x1000;
	assert_int_equal(0x1000, debug_file_bias(a, b));
	elf_file_close(a);
	elf_file_close(b);
}

static int make_folder(void **state)
{
	(void)state;
	return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
	static const char *const left[] = {
		"bin/prog",
		"bin/linked",
		"bin/linked.debug",
		"bin/.debug/linked.debug",
		"bin/.debug",
		"bin/evil",
		"bin",
		"usr/lib/debug/.build-id/61/61616161616161616161616161616161616161.debug",
		"usr/lib/debug/.build-id/61",
		"usr/lib/debug/.build-id",
		"usr/lib/debug",
		"usr/lib",
		"usr",
		"",
	};
	char path[256];

	(void)state;
	for (size_t i = 0; i < sizeof(left) / sizeof(left[0]); i++) {
		(void)snprintf(path, sizeof(path), "%s/%s", folder, left[i]);
		if (remove(path))
			return -1;
	}
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_debug_file__by_build_id),
		cmocka_unit_test(test_debug_file__by_link_and_checksum),
		cmocka_unit_test(test_debug_file__links_do_not_lead_out),
		cmocka_unit_test(test_debug_file__bias_of_prelinked_files),
	};

	return cmocka_run_group_tests_name("symbol/debug_file", tests, make_folder, remove_folder);
}

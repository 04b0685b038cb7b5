/* SPDX-License-Identifier: GPL-2.0-or-later */
/* format/archive: members that are written are read again, from plain, gzip and zstd archives;
 * links lead to members only; damaged and hostile archives are refused or cut. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/fd.h"
#include "event/event.h"
#include "format/archive/archive.h"
#include "format/archive/archive_write.h"
#include "format/archive/tar.h"
#include "format/input.h"
#include "proc/module_bundle.h"
#include "session/archived_files.h"

static char long_name[300];

static void put_file(struct buf *tar, const char *name, const char *text)
{
	const struct tar_member member = {
		.name = name, .type = TAR_FILE, .modified_s = 1700000000, .len = strlen(text)
	};

	assert_int_equal(tar_put_header(&member, tar), 0);
	assert_int_equal(buf_puts(tar, text), 0);
	assert_int_equal(buf_pad(tar, '\0', -strlen(text) & (TAR_BLOCK - 1)), 0);
}

static void put_link(struct buf *tar, const char *name, const char *link)
{
	const struct tar_member member = { .name = name, .link = link, .type = TAR_SYMLINK };

	assert_int_equal(tar_put_header(&member, tar), 0);
}

static struct tar *parse(const struct buf *bytes)
{
	struct err err = { 0 };
	struct tar *tar = NULL;

	assert_true(tar_is((const uint8_t *)bytes->data, bytes->len));
	assert_int_equal(tar_parse((const uint8_t *)bytes->data, bytes->len, &tar, &err), 0);
	return tar;
}

static void assert_text(const struct tar *tar, const char *name, const char *text)
{
	const struct tar_member *member = tar_find(tar, name);

	assert_non_null(member);
	assert_int_equal(member->len, strlen(text));
	assert_memory_equal(member->data, text, member->len);
}

static void test_members_are_read_again(void **state)
{
	struct buf bytes = { 0 };
	struct tar *tar;

	(void)state;
	memset(long_name, 'n', sizeof(long_name) - 1);
	put_file(&bytes, "perf.data", "bytes");
	put_file(&bytes, long_name, "long");
	put_file(&bytes, "empty", "");
	put_link(&bytes, "to-long", long_name);
	(void)buf_pad(&bytes, '\0', 2 * TAR_BLOCK);
	tar = parse(&bytes);
	assert_int_equal(tar_count(tar), 4);
	assert_int_equal(tar_damaged_bytes(tar), 0);
	assert_int_equal(tar_get(tar, 0)->modified_s, 1700000000);
	assert_text(tar, "perf.data", "bytes");
	assert_text(tar, long_name, "long");
	assert_text(tar, "to-long", "long");
	assert_text(tar, "empty", "");
	assert_null(tar_find(tar, "none"));
	tar_free(tar);
	buf_done(&bytes);
}

static void test_links_stay_inside(void **state)
{
	static const char *const outside[] = { "loop", "self", "absolute", "above", "nothing" };
	struct buf bytes = { 0 };
	struct tar *tar;

	(void)state;
	put_file(&bytes, "usr/bin/x/0123/elf", "code");
	put_link(&bytes, ".build-id/01/23", "../../usr/bin/x/0123");
	put_link(&bytes, "twice", ".build-id/01/23/elf");
	put_link(&bytes, "loop", "other");
	put_link(&bytes, "other", "loop");
	put_link(&bytes, "self", "self");
	put_link(&bytes, "absolute", "/etc/passwd");
	put_link(&bytes, "above", "../etc/passwd");
	put_link(&bytes, "nothing", "no/such/member");
	tar = parse(&bytes);
	assert_text(tar, ".build-id/01/23/elf", "code");
	assert_text(tar, "twice", "code");
	for (size_t i = 0; i < sizeof(outside) / sizeof(outside[0]); i++)
		assert_null(tar_find(tar, outside[i]));
	assert_true(tar_name_is_safe("a/b..c/..d"));
	assert_false(tar_name_is_safe("/a"));
	assert_false(tar_name_is_safe("a/../b"));
	assert_false(tar_name_is_safe(".."));
	assert_false(tar_name_is_safe(""));
	tar_free(tar);
	buf_done(&bytes);
}

static void test_damage_is_cut_off(void **state)
{
	struct buf bytes = { 0 };
	struct err err = { 0 };
	struct tar *tar;
	size_t whole;

	(void)state;
	put_file(&bytes, "first", "one");
	whole = bytes.len;
	put_file(&bytes, "second", "two");
	for (size_t len = whole; len < whole + TAR_BLOCK; len += 100) {
		assert_int_equal(tar_parse((uint8_t *)bytes.data, len, &tar, &err), 0);
		assert_int_equal(tar_count(tar), 1);
		assert_int_equal(tar_damaged_bytes(tar), len - whole);
		tar_free(tar);
	}
	assert_int_equal(tar_parse((uint8_t *)bytes.data, whole + TAR_BLOCK + 2, &tar, &err), 0);
	assert_int_equal(tar_count(tar), 1);
	assert_null(tar_find(tar, "second")); /* it is no member, but its bytes are there */
	assert_string_equal(tar_cut(tar)->name, "second");
	assert_memory_equal(tar_cut(tar)->data, "tw", tar_cut(tar)->len);
	assert_int_equal(tar_cut(tar)->len, 2);
	tar_free(tar);
	bytes.data[whole] ^= 1; /* its checksum is wrong then */
	assert_int_equal(tar_parse((uint8_t *)bytes.data, bytes.len, &tar, &err), 0);
	assert_int_equal(tar_count(tar), 1);
	tar_free(tar);
	bytes.data[0] ^= 1;
	assert_false(tar_is((uint8_t *)bytes.data, bytes.len));
	assert_true(tar_parse((uint8_t *)bytes.data, bytes.len, &tar, &err) < 0);
	buf_done(&bytes);
}

/* Writes an archive of a recording and a link, and returns its bytes. */
static void write_archive(enum archive_packing packing, struct buf *ret)
{
	struct tar_member file = { .name = ARCHIVE_RECORDING,
				   .type = TAR_FILE,
				   .modified_s = 1234567,
				   .data = (const uint8_t *)"PERFILE2 and so on",
				   .len = 18 };
	struct archive_writer *writer;
	struct err err = { 0 };
	AUTO_CLOSE int fd = fd_temporary("test", &err);
	struct file_map map;

	assert_int_equal(archive_writer_open(fd, packing, &writer, &err), 0);
	assert_int_equal(archive_writer_add(writer, &file, &err), 0);
	assert_int_equal(archive_writer_finish(writer, &err), 0);
	archive_writer_free(writer);
	assert_int_equal(file_map_fd(fd, &map, &err), 0);
	assert_int_equal(buf_append(ret, map.data, map.len), 0);
	file_map_close(&map);
}

static void test_every_packing_is_opened(void **state)
{
	static const enum archive_packing packing[] = { ARCHIVE_PLAIN, ARCHIVE_ZSTD };

	(void)state;
	for (size_t i = 0; i < sizeof(packing) / sizeof(packing[0]); i++) {
		struct buf bytes = { 0 };
		struct archive *archive;
		struct err err = { 0 };
		struct input *input, *inner;
		const uint8_t *data;
		size_t len;

		write_archive(packing[i], &bytes);
		assert_true(archive_is((uint8_t *)bytes.data, bytes.len));
		input = input_memory(bytes.data, bytes.len);
		assert_int_equal(archive_open(input, &archive, &err), 0);
		assert_int_equal(archive_recording(archive, &inner, &err), 0);
		assert_int_equal(input_modified_s(inner), 1234567);
		assert_string_equal(input_name(inner), input_name(input));
		assert_int_equal(input_map(inner, &data, &len, &err), 0);
		assert_int_equal(len, 18);
		assert_memory_equal(data, "PERFILE2 and so on", len);
		input_close(inner);
		archive_close(archive);
		input_close(input);
		buf_done(&bytes);
	}
	assert_int_equal(archive_packing_of("a.tar.zst"), ARCHIVE_ZSTD);
	assert_int_equal(archive_packing_of("a.tar"), ARCHIVE_PLAIN);
	assert_int_equal(archive_packing_of("a.tar.gz"), ARCHIVE_GZIP);
	assert_int_equal(archive_packing_of("-"), ARCHIVE_GZIP);
}

static void test_an_archive_without_a_recording(void **state)
{
	struct buf bytes = { 0 };
	struct archive *archive;
	struct err err = { 0 };
	struct input *input, *inner;

	(void)state;
	put_file(&bytes, "usr/bin/x/0123/elf", "code");
	put_link(&bytes, "perf.data", "/etc/passwd");
	input = input_memory(bytes.data, bytes.len);
	assert_int_equal(archive_open(input, &archive, &err), 0);
	assert_true(archive_recording(archive, &inner, &err) < 0);
	archive_close(archive);
	input_close(input);
	buf_done(&bytes);
}

static void test_binaries_are_found(void **state)
{
	const struct build_id id = { .len = 2, .bytes = { 0x01, 0x23 } }, none = { 0 };
	struct module_bundle bundle;
	struct buf bytes = { 0 };
	struct tar *tar;

	(void)state;
	put_file(&bytes, "usr/bin/x/0123/elf", "code");
	put_file(&bytes, "opt/without-id", "other");
	put_link(&bytes, ".build-id/01/23", "../../usr/bin/x/0123");
	tar = parse(&bytes);
	archived_files_init(&bundle, tar);
	assert_int_equal(bundle.find(&bundle, &id, "/else", "elf").len, 4);
	assert_null(bundle.find(&bundle, &id, "/else", "debug").data);
	assert_int_equal(bundle.find(&bundle, &none, "/opt/without-id", "elf").len, 5);
	assert_null(bundle.find(&bundle, &none, "/opt/none", "elf").data);
	tar_free(tar);
	buf_done(&bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_members_are_read_again),
		cmocka_unit_test(test_links_stay_inside),
		cmocka_unit_test(test_damage_is_cut_off),
		cmocka_unit_test(test_every_packing_is_opened),
		cmocka_unit_test(test_an_archive_without_a_recording),
		cmocka_unit_test(test_binaries_are_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

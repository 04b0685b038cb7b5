/* SPDX-License-Identifier: GPL-2.0-or-later */
/* proc/section_cache: what one process unpacked, a later one finds, for that very file only; what
 * the other process claims is checked. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/err.h"
#include "proc/elf_file.h"
#include "proc/section_cache.h"

#define BYTES ((size_t)200 << 10)

static uint8_t data[BYTES];
static const struct unpacked_section sections[] = { { ".debug_info", data, BYTES },
						    { ".debug_str", data, 7 } };

struct fixture {
	char folder[32], file[64];
	struct elf_file *elf;
};

static void set_age(const char *path, time_t seconds)
{
	const struct timespec times[2] = { { .tv_sec = time(NULL) - seconds },
					   { .tv_sec = time(NULL) - seconds } };

	assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static void open_elf(struct fixture *f)
{
	struct err err = { 0 };

	elf_file_close(f->elf);
	assert_int_equal(elf_file_open(f->file, &f->elf, &err), 0);
}

/* A program of this machine, three days old. */
static void set_up(struct fixture *f)
{
	char command[128];

	for (size_t i = 0; i < BYTES; i++)
		data[i] = (uint8_t)(i * 7 + i / 256);
	*f = (struct fixture){ .folder = "/tmp/section_cache_XXXXXX" };
	assert_non_null(mkdtemp(f->folder));
	(void)snprintf(f->file, sizeof(f->file), "%s/program", f->folder);
	(void)snprintf(command, sizeof(command), "cp /bin/true %s", f->file);
	assert_int_equal(system(command), 0); /* NOLINT */
	set_age(f->file, 3 * 86400);
	open_elf(f);
}

static void tear_down(struct fixture *f)
{
	char command[64];

	elf_file_close(f->elf);
	(void)snprintf(command, sizeof(command), "rm -rf %s", f->folder);
	assert_int_equal(system(command), 0); /* NOLINT */
}

static struct section_cache *open_cache(const struct fixture *f)
{
	char folder[64];
	struct section_cache *cache;

	(void)snprintf(folder, sizeof(folder), "%s/cache", f->folder);
	assert_true(!mkdir(folder, 0700) || !access(folder, F_OK));
	cache = section_cache_open(folder, 0);
	assert_non_null(cache);
	return cache;
}

/* What a run puts and stores; returns how many files. */
static size_t put(const struct fixture *f, size_t len, struct section_cache_made *ret)
{
	struct section_cache *cache = open_cache(f);
	struct unpacked_section section = { ".debug_info", data, len };

	section_cache_put(cache, f->elf, len == BYTES ? sections : &section, len == BYTES ? 2 : 1);
	section_cache_made(cache, ret);
	section_cache_store(cache, ret);
	section_cache_close(cache);
	return ret->count;
}

static bool finds(const struct fixture *f)
{
	struct section_cache *cache = open_cache(f);
	struct elf_file *kept = section_cache_get(cache, f->elf);
	bool found = kept != NULL;

	elf_file_close(kept);
	section_cache_close(cache);
	return found;
}

static void test_section_cache__keeps_sections(void **state)
{
	struct section_cache_made made;
	struct section_cache *cache;
	struct elf_file *kept;
	struct fixture f;

	(void)state;
	set_up(&f);
	assert_false(finds(&f));
	assert_int_equal(put(&f, BYTES, &made), 1);
	cache = open_cache(&f);
	kept = section_cache_get(cache, f.elf);
	assert_non_null(kept);
	section_cache_close(cache);
	for (size_t i = 0; i < 2; i++) {
		const struct elf_section *section = elf_file_section(kept, sections[i].name);
		const uint8_t *bytes;
		size_t len;

		assert_non_null(section);
		assert_true(elf_section_data(kept, section, &bytes, &len));
		assert_int_equal(len, sections[i].len);
		assert_memory_equal(bytes, data, len);
	}
	elf_file_close(kept);
	tear_down(&f);
}

static void test_section_cache__of_that_very_file_only(void **state)
{
	struct section_cache_made made;
	struct fixture f;
	char command[512];

	(void)state;
	set_up(&f);
	assert_int_equal(put(&f, BYTES, &made), 1);
	(void)usleep(20000); /* more than the unit of times of files */
	(void)snprintf(command, sizeof(command),
		       "touch -r %s %s.time && cp /bin/true %s && touch -r %s.time %s", f.file,
		       f.file, f.file, f.file, f.file);
	assert_int_equal(system(command), 0); /* NOLINT */
	open_elf(&f); /* written anew in place, with size and time as before */
	assert_false(finds(&f));
	set_age(f.file, 4 * 86400); /* written anew */
	open_elf(&f);
	assert_false(finds(&f));
	(void)snprintf(command, sizeof(command), "cp %s %s.2 && touch -r %s %s.2 && mv %s.2 %s",
		       f.file, f.file, f.file, f.file, f.file, f.file);
	assert_int_equal(put(&f, BYTES, &made), 1);
	assert_true(finds(&f));
	assert_int_equal(system(command), 0); /* NOLINT */
	open_elf(&f); /* the same bytes and time: another file all the same */
	assert_false(finds(&f));
	tear_down(&f);
}

static void test_section_cache__leaves_out_what_does_not_pay(void **state)
{
	struct section_cache_made made;
	struct fixture f;

	(void)state;
	set_up(&f);
	assert_int_equal(put(&f, 1000, &made), 0);
	assert_int_equal(put(&f, BYTES, &made), 1);
	set_age(f.file, 3600); /* it is built anew soon */
	open_elf(&f);
	assert_int_equal(put(&f, BYTES, &made), 0);
	assert_false(finds(&f));
	assert_null(section_cache_get(NULL, f.elf));
	tear_down(&f);
}

static void test_section_cache__refuses_lies(void **state)
{
	struct section_cache_made made, lie;
	struct section_cache *cache;
	struct fixture f;
	char command[128];

	(void)state;
	set_up(&f);
	cache = open_cache(&f);
	section_cache_put(cache, f.elf, sections, 2);
	section_cache_made(cache, &made);
	assert_int_equal(made.count, 1);
	lie = made;
	lie.item[0].len = UINT64_MAX;
	section_cache_store(cache, &lie);
	lie.item[0].len = made.item[0].len;
	lie.item[0].offset = 1;
	section_cache_store(cache, &lie);
	lie.item[0].offset = 0;
	lie.count = UINT64_MAX;
	section_cache_store(cache, &lie);
	lie.count = 1;
	(void)snprintf(lie.item[0].name, SECTION_CACHE_NAME, "../1.sections");
	section_cache_store(cache, &lie);
	memset(lie.item[0].name, '1', SECTION_CACHE_NAME); /* no end */
	section_cache_store(cache, &lie);
	section_cache_close(cache);
	assert_false(finds(&f));
	(void)snprintf(command, sizeof(command),
		       "test -z \"$(ls %s/cache)\" && test ! -e %s/1.sections", f.folder, f.folder);
	assert_int_equal(system(command), 0); /* NOLINT */
	tear_down(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_section_cache__keeps_sections),
		cmocka_unit_test(test_section_cache__of_that_very_file_only),
		cmocka_unit_test(test_section_cache__leaves_out_what_does_not_pay),
		cmocka_unit_test(test_section_cache__refuses_lies),
	};

	return cmocka_run_group_tests_name("proc/section_cache", tests, NULL, NULL);
}

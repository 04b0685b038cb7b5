/* SPDX-License-Identifier: GPL-2.0-or-later */
/* proc/binary_cache: what is added is listed and found by id, and removed with its folders; names
 * and links that lead elsewhere are refused. */
#include <errno.h>
#include <limits.h>
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

#include "base/err.h"
#include "event/event.h"
#include "proc/binary_cache.h"
#include "proc/build_id.h"
#include "proc/elf_file.h"

static char folder[PATH_MAX];

static int make_folder(void **state)
{
	const char *tmp = getenv("TMPDIR");

	(void)state;
	(void)snprintf(folder, sizeof(folder), "%s/cupel-cache-XXXXXX", tmp ? tmp : "/tmp");
	return !mkdtemp(folder) || setenv("PERF_BUILDID_DIR", folder, true);
}

static int remove_folder(void **state)
{
	char path[PATH_MAX + 16];

	(void)state;
	(void)snprintf(path, sizeof(path), "%s/.build-id", folder);
	(void)rmdir(path);
	return rmdir(folder); /* tests leave nothing behind */
}

static struct binary_cache *open_cache(void)
{
	struct binary_cache *cache = NULL;
	struct err err = { 0 };

	assert_int_equal(binary_cache_open(true, &cache, &err), 0);
	assert_string_equal(binary_cache_name(cache), folder);
	return cache;
}

/* This program, under another path. */
static void add_self(struct binary_cache *cache, const char *path, char *hex)
{
	struct binary_cache_file file = { .path = path, .name = "elf" };
	struct elf_file *elf;
	struct err err = { 0 };

	assert_int_equal(elf_file_open("/proc/self/exe", &elf, &err), 0);
	assert_true(elf->build_id.len >= 2);
	build_id_hex(&elf->build_id, hex);
	file.id = hex;
	file.data = elf->data;
	file.len = elf->len;
	assert_int_equal(binary_cache_add(cache, &file, &err), 0);
	elf_file_close(elf);
}

struct seen {
	unsigned count, whole;
	char id[2 * BUILD_ID_MAX + 1], path[PATH_MAX];
};

static int see(void *context, const struct binary_cache_entry *entry)
{
	struct seen *seen = context;

	seen->count++;
	seen->whole += entry->whole;
	(void)snprintf(seen->id, sizeof(seen->id), "%s", entry->id);
	(void)snprintf(seen->path, sizeof(seen->path), "%s", entry->path);
	return 0;
}

static void test_what_is_added_is_found_and_removed(void **state)
{
	char hex[2 * BUILD_ID_MAX + 1], path[PATH_MAX];
	struct binary_cache *cache = open_cache();
	struct build_id id;
	struct seen seen = { 0 };
	struct err err = { 0 };

	(void)state;
	add_self(cache, "/opt/some/program", hex);
	add_self(cache, "/opt/some/program", hex); /* replaces it */
	assert_int_equal(binary_cache_list(cache, see, &seen), 0);
	assert_int_equal(seen.count, 1);
	assert_int_equal(seen.whole, 1);
	assert_string_equal(seen.id, hex);
	assert_string_equal(seen.path, "/opt/some/program");
	assert_true(binary_cache_has(cache, hex));
	assert_true(build_id_read_file("/proc/self/exe", &id));
	assert_true(binary_cache_path(&id, "elf", path, sizeof(path)));
	assert_int_equal(access(path, X_OK), 0);
	assert_int_equal(binary_cache_remove(cache, hex, &err), 0);
	assert_false(binary_cache_has(cache, hex));
	assert_int_equal(binary_cache_remove(cache, hex, &err), -ENOENT);
	binary_cache_close(cache);
}

static void test_of_others_is_refused(void **state)
{
	struct binary_cache *cache = open_cache();
	struct err err = { 0 };

	(void)state;
	binary_cache_close(cache);
	assert_int_equal(chmod(folder, 0777), 0);
	assert_int_equal(binary_cache_open(true, &cache, &err), -EPERM);
	assert_int_equal(chmod(folder, 0755), 0);
	if (geteuid() == 0) {
		assert_int_equal(chown(folder, 65534, 65534), 0);
		assert_int_equal(binary_cache_open(true, &cache, &err), -EPERM);
		assert_int_equal(chown(folder, 0, 0), 0);
	}
	assert_int_equal(binary_cache_open(true, &cache, &err), 0);
	binary_cache_close(cache);
}

static void test_what_is_not_its_own_stays(void **state)
{
	char hex[2 * BUILD_ID_MAX + 1], path[2 * PATH_MAX];
	struct binary_cache *cache = open_cache();
	struct err err = { 0 };
	FILE *file;

	(void)state;
	add_self(cache, "/opt/program", hex);
	(void)snprintf(path, sizeof(path), "%s/opt/program/%s/note", folder, hex);
	file = fopen(path, "we");
	assert_non_null(file);
	(void)fclose(file);
	assert_int_equal(binary_cache_remove(cache, hex, &err), -ENOTEMPTY);
	assert_int_equal(access(path, F_OK), 0);
	assert_int_equal(unlink(path), 0);
	add_self(cache, "/opt/program", hex);
	assert_int_equal(binary_cache_remove(cache, hex, &err), 0);
	binary_cache_close(cache);
}

static void test_hostile_names_are_refused(void **state)
{
	static const struct binary_cache_file files[] = {
		{ "0123", "/opt/../../etc", "elf", "x", 1 }, { "0123", "", "elf", "x", 1 },
		{ "0123", "/opt/a", "../elf", "x", 1 },	     { "0123", "/opt/a", "note", "x", 1 },
		{ "../3", "/opt/a", "elf", "x", 1 },	     { "012", "/opt/a", "elf", "x", 1 },
	};
	struct binary_cache *cache = open_cache();
	char path[PATH_MAX + 32];
	struct err err = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		assert_true(binary_cache_add(cache, &files[i], &err) < 0);
	(void)snprintf(path, sizeof(path), "%s/opt", folder); /* the part before the .. */
	(void)rmdir(path);
	assert_false(binary_cache_is_id("0123456789ABCDEF"));
	assert_true(binary_cache_is_id("0123456789abcdef"));
	binary_cache_close(cache);
}

static void test_links_to_elsewhere_are_not_followed(void **state)
{
	char outside[PATH_MAX + 32], inside[PATH_MAX + 32];
	struct binary_cache_file file = { "0123", "/away/program", "elf", "x", 1 };
	struct binary_cache *cache = open_cache();
	struct err err = { 0 };

	(void)state;
	(void)snprintf(outside, sizeof(outside), "%s-outside", folder);
	(void)snprintf(inside, sizeof(inside), "%s/away", folder);
	assert_int_equal(mkdir(outside, 0700), 0);
	assert_int_equal(symlink(outside, inside), 0);
	assert_true(binary_cache_add(cache, &file, &err) < 0);
	assert_int_equal(unlink(inside), 0);
	assert_int_equal(rmdir(outside), 0); /* still empty */
	binary_cache_close(cache);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_is_added_is_found_and_removed),
		cmocka_unit_test(test_of_others_is_refused),
		cmocka_unit_test(test_what_is_not_its_own_stays),
		cmocka_unit_test(test_hostile_names_are_refused),
		cmocka_unit_test(test_links_to_elsewhere_are_not_followed),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}

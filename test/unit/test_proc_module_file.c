/* SPDX-License-Identifier: GPL-2.0-or-later */
/* proc/module_file: the same bytes or none: build ids, inodes, deleted files, symfs, map_files. */
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
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/err.h"
#include "base/fd.h"
#include "elf_builder.h"
#include "proc/binary_cache.h"
#include "proc/elf_file.h"
#include "proc/module.h"
#include "proc/module_file.h"

static char folder[] = "/tmp/cupel-module-XXXXXX";

static void write_elf(const char *path, const char *build_id)
{
	struct elf_builder b;
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	builder_start(&b, false);
	builder_build_id(&b, build_id);
	builder_finish(&b);
	assert_true(fd >= 0);
	assert_int_equal(0, fd_write_all(fd, b.data, b.len));
	assert_int_equal(0, close(fd));
}

/* Opens and closes; returns 0 or the error, and keeps its message. */
static int try_open(const struct module *module, const char *symfs, bool *doubtful, struct err *err)
{
	struct elf_file *elf;
	int code = module_file_open(module, symfs, &elf, doubtful, err);

	if (!code)
		elf_file_close(elf);
	return code;
}

static void set_identity(struct module *module, const struct stat *st)
{
	module->maj = major(st->st_dev);
	module->min = minor(st->st_dev);
	module->ino = st->st_ino;
}

static void test_module_file__build_id_decides(void **state)
{
	char path[128];
	struct module module = { .kind = MODULE_FILE, .path = path, .ino = 1 };
	struct err err = { 0 };
	bool doubtful;

	(void)state;
	(void)snprintf(path, sizeof(path), "%s/lib.so", folder);
	write_elf(path, "aaaaaaaaaaaaaaaaaaaa");
	module.build_id = (struct build_id){ 20, "aaaaaaaaaaaaaaaaaaaa" };
	assert_int_equal(0, try_open(&module, NULL, &doubtful, &err));
	assert_false(doubtful);
	write_elf(path, "bbbbbbbbbbbbbbbbbbbb");
	assert_int_equal(-ESTALE, try_open(&module, NULL, &doubtful, &err));
	assert_string_equal("build id differs: file changed since the recording", err.msg);
	assert_int_equal(0, unlink(path));
	assert_int_equal(-ENOENT, try_open(&module, "", &doubtful, &err));
	assert_string_equal("no such file", err.msg);
}

/* The file at the path lacks its end: that in perf's cache is better, but it is better than none.
 */
static void test_module_file__the_cache_has_the_whole_of_a_cut_file(void **state)
{
	static const char id[] = "cccccccccccccccccccc";
	char path[128], cached[256], at[300];
	struct module module = { .kind = MODULE_FILE, .path = path };
	struct err err = { 0 };
	struct elf_file *elf;
	struct stat st;
	bool doubtful = true;

	(void)state;
	assert_int_equal(0, setenv("PERF_BUILDID_DIR", folder, 1));
	(void)snprintf(path, sizeof(path), "%s/lib.so", folder);
	module.build_id = (struct build_id){ 20, "cccccccccccccccccccc" };
	write_elf(path, id);
	assert_int_equal(0, stat(path, &st));
	assert_int_equal(0, truncate(path, st.st_size - 1));
	assert_int_equal(0, module_file_open(&module, NULL, &elf, &doubtful, &err));
	assert_string_equal(elf->path, path);
	assert_false(doubtful);
	elf_file_close(elf);
	assert_true(binary_cache_path(&module.build_id, "elf", cached, sizeof(cached)));
	for (char *slash = cached + 1; (slash = strchr(slash, '/')); slash++)
		(void)mkdir((snprintf(at, sizeof(at), "%.*s", (int)(slash - cached), cached), at),
			    0700);
	write_elf(cached, id);
	assert_int_equal(0, module_file_open(&module, NULL, &elf, &doubtful, &err));
	assert_string_equal(elf->path, cached);
	elf_file_close(elf);
	assert_int_equal(0, unlink(path));
	assert_int_equal(0, unlink(cached));
	for (*strrchr(cached, '/') = '\0'; strcmp(cached, folder); *strrchr(cached, '/') = '\0')
		assert_int_equal(0, rmdir(cached));
	assert_int_equal(0, unsetenv("PERF_BUILDID_DIR"));
}

static void test_module_file__without_build_id_the_inode_counts(void **state)
{
	char path[128];
	struct module module = { .kind = MODULE_FILE, .path = path };
	struct err err = { 0 };
	struct stat st;
	bool doubtful = true;

	(void)state;
	(void)snprintf(path, sizeof(path), "%s/lib.so", folder);
	write_elf(path, "aaaaaaaaaaaaaaaaaaaa");
	assert_int_equal(0, stat(path, &st));
	set_identity(&module, &st);
	assert_int_equal(0, try_open(&module, NULL, &doubtful, &err));
	assert_false(doubtful);
	module.ino++;
	assert_int_equal(0, try_open(&module, NULL, &doubtful, &err));
	assert_true(doubtful);
	assert_int_equal(0, unlink(path));
}

static void test_module_file__deleted_files_are_reached_by_their_mapping(void **state)
{
	char path[128], gone[160];
	struct module module = { .kind = MODULE_FILE, .path = gone, .pid = (uint32_t)getpid() };
	struct err err = { 0 };
	struct stat st;
	bool doubtful;
	void *map;
	int fd;

	(void)state;
	(void)snprintf(path, sizeof(path), "%s/lib.so", folder);
	(void)snprintf(gone, sizeof(gone), "%s (deleted)", path);
	write_elf(path, "aaaaaaaaaaaaaaaaaaaa");
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_int_equal(0, fstat(fd, &st));
	set_identity(&module, &st);
	map = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
	assert_true(map != MAP_FAILED);
	module.map_start = (uintptr_t)map;
	module.map_end = module.map_start + 4096;
	assert_int_equal(0, unlink(path));
	write_elf(path, "bbbbbbbbbbbbbbbbbbbb"); /* another file under the old name */
	if (geteuid() == 0) {			 /* map_files is for root */
		assert_int_equal(0, try_open(&module, NULL, &doubtful, &err));
		assert_false(doubtful);
	}
	assert_int_equal(0, munmap(map, 4096));
	assert_int_equal(-ENOENT, try_open(&module, NULL, &doubtful, &err));
	assert_string_equal("file was deleted and the process has exited", err.msg);
	assert_int_equal(0, close(fd));
	assert_int_equal(0, unlink(path));
}

static void test_module_file__symfs_replaces_the_live_system(void **state)
{
	char path[160];
	struct module module = { .kind = MODULE_FILE, .path = "/lib.so" };
	struct err err = { 0 };
	struct elf_file *elf;
	bool doubtful;

	(void)state;
	(void)snprintf(path, sizeof(path), "%s/lib.so", folder);
	write_elf(path, "aaaaaaaaaaaaaaaaaaaa");
	assert_int_equal(0, module_file_open(&module, folder, &elf, &doubtful, &err));
	assert_string_equal(path, elf->path);
	assert_int_equal(strlen(folder), elf->root_len);
	elf_file_close(elf);
	module.path = "/bin/sh";
	assert_int_equal(-ENOENT, try_open(&module, folder, &doubtful, &err));
	assert_int_equal(0, unlink(path));
}

static void test_module_file__fifos_and_devices_are_not_opened(void **state)
{
	char path[128];
	struct module module = { .kind = MODULE_FILE, .path = path };
	struct err err = { 0 };
	bool doubtful;

	(void)state;
	(void)snprintf(path, sizeof(path), "%s/fifo", folder);
	assert_int_equal(0, mkfifo(path, 0600));
	assert_int_equal(-ENOEXEC, try_open(&module, NULL, &doubtful, &err)); /* does not hang */
	assert_int_equal(0, unlink(path));
}

static int make_folder(void **state)
{
	(void)state;
	return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
	(void)state;
	return rmdir(folder);
}

static int try_mapped(const struct module *module)
{
	struct err err = { 0 };
	struct elf_file *elf;
	int code = module_file_open_mapped(module, &elf, &err);

	if (!code)
		elf_file_close(elf);
	return code;
}

static void test_module_file__a_mapped_file_is_known_by_its_inode(void **state)
{
	char path[128];
	struct module module = { .kind = MODULE_FILE, .path = path, .pid = (uint32_t)getpid() };
	struct stat st;

	(void)state;
	(void)snprintf(path, sizeof(path), "%s/mapped.so", folder);
	write_elf(path, "aaaaaaaaaaaaaaaaaaaa");
	assert_int_equal(0, stat(path, &st));
	set_identity(&module, &st);
	module.maj = 1234; /* as on file systems that have several device numbers */
	assert_int_equal(0, try_mapped(&module));
	module.build_id = (struct build_id){ 20, "aaaaaaaaaaaaaaaaaaaa" };
	assert_int_equal(0, try_mapped(&module));
	module.build_id.bytes[0] = 'b';
	assert_int_not_equal(0, try_mapped(&module));
	module.build_id.len = 0;
	module.ino++;
	assert_int_equal(0, try_mapped(&module)); /* by its path, as we have the same mounts */
	module.pid = 4194303;			  /* hardly in use: nothing speaks for the path */
	assert_int_equal(-ENOENT, try_mapped(&module));
	module.ino--;
	assert_int_equal(0, try_mapped(&module));
	assert_int_equal(0, unlink(path));
	assert_int_equal(-ENOENT, try_mapped(&module));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_module_file__build_id_decides),
		cmocka_unit_test(test_module_file__the_cache_has_the_whole_of_a_cut_file),
		cmocka_unit_test(test_module_file__without_build_id_the_inode_counts),
		cmocka_unit_test(test_module_file__deleted_files_are_reached_by_their_mapping),
		cmocka_unit_test(test_module_file__symfs_replaces_the_live_system),
		cmocka_unit_test(test_module_file__fifos_and_devices_are_not_opened),
		cmocka_unit_test(test_module_file__a_mapped_file_is_known_by_its_inode),
	};

	return cmocka_run_group_tests_name("proc/module_file", tests, make_folder, remove_folder);
}

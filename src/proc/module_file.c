/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds a module's file (see module_file.h). Candidates are asked in two rounds: first only
 * those that prove to be the recorded file, then the plain path, when no build id was recorded
 * or the file there has it but lacks its end. */
#include "proc/module_file.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "base/err.h"
#include "proc/binary_cache.h"
#include "proc/elf_file.h"
#include "proc/module.h"
#include "proc/module_bundle.h"

static const char deleted_suffix[] = " (deleted)";

struct search {
	const struct module *module;
	const char *symfs;
	char path[PATH_MAX]; /* without " (deleted)" */
	bool deleted;
	bool found_other; /* a file was there but it was not the recorded one */
	int open_error;	  /* most telling -errno so far */
};

enum proof {
	PROOF_NONE,
	PROOF_PATH,
	PROOF_PART, /* of the recorded file: the build id is its, but the end is missing */
	PROOF_FILE,
};

static bool is_absolute_file(const struct search *search)
{
	return search->path[0] == '/' && search->path[1] != '/';
}

/* What an opened candidate proves. */
static enum proof judge(struct search *search, const struct elf_file *elf)
{
	const struct module *m = search->module;
	struct stat st;

	if (m->build_id.len) {
		if (build_id_equal(&m->build_id, &elf->build_id))
			return elf_file_is_cut(elf) ? PROOF_PART : PROOF_FILE;
		search->found_other = true;
		return PROOF_NONE;
	}
	if (m->ino && !stat(elf->path, &st)) {
		if (st.st_ino == m->ino && major(st.st_dev) == m->maj && minor(st.st_dev) == m->min)
			return PROOF_FILE;
		search->found_other = true;
	}
	return search->deleted ? PROOF_NONE : PROOF_PATH;
}

static bool try_file(struct search *search, const char *path, size_t root_len, enum proof least,
		     struct elf_file **ret)
{
	struct err ignored = { 0 };
	struct elf_file *elf;
	struct stat st;
	int code;

	/* Devices and FIFOs are not opened: that may block or have side effects. */
	if (stat(path, &st))
		code = -errno;
	else
		code = S_ISREG(st.st_mode) ? elf_file_open(path, &elf, &ignored) : -EINVAL;
	if (code) {
		if (search->open_error == 0 || search->open_error == -ENOENT)
			search->open_error = code;
		return false;
	}
	elf->root_len = root_len;
	if (judge(search, elf) < least) {
		elf_file_close(elf);
		return false;
	}
	*ret = elf;
	return true;
}

static bool try_path(struct search *search, enum proof least, struct elf_file **ret)
{
	return is_absolute_file(search) && try_file(search, search->path, 0, least, ret);
}

static bool try_process_root(struct search *search, enum proof least, struct elf_file **ret)
{
	char path[PATH_MAX + 64];
	int root_len;

	if ((int32_t)search->module->pid <= 0 || !is_absolute_file(search))
		return false;
	root_len = snprintf(path, sizeof(path), "/proc/%u/root", search->module->pid);
	(void)snprintf(path + root_len, sizeof(path) - (size_t)root_len, "%s", search->path);
	return try_file(search, path, (size_t)root_len, least, ret);
}

/* The /proc path of the module's latest mapping. */
static bool map_files_path(const struct module *m, char *ret, size_t size)
{
	if ((int32_t)m->pid <= 0 || m->map_end <= m->map_start)
		return false;
	return snprintf(ret, size, "/proc/%u/map_files/%jx-%jx", m->pid, (uintmax_t)m->map_start,
			(uintmax_t)m->map_end) < (int)size;
}

static bool try_map_files(struct search *search, struct elf_file **ret)
{
	char path[128];

	return map_files_path(search->module, path, sizeof(path)) &&
	       try_file(search, path, 0, PROOF_FILE, ret);
}

static bool try_build_id_cache(struct search *search, struct elf_file **ret)
{
	char path[PATH_MAX];

	return binary_cache_path(&search->module->build_id, "elf", path, sizeof(path)) &&
	       try_file(search, path, 0, PROOF_FILE, ret);
}

static bool try_symfs(struct search *search, enum proof least, struct elf_file **ret)
{
	char path[2 * PATH_MAX];

	(void)snprintf(path, sizeof(path), "%s%s%s", search->symfs,
		       search->path[0] == '/' ? "" : "/", search->path);
	return try_file(search, path, strlen(search->symfs), least, ret);
}

static bool try_proven(struct search *search, struct elf_file **ret)
{
	if (search->symfs)
		return try_symfs(search, PROOF_FILE, ret) || try_build_id_cache(search, ret);
	return try_path(search, PROOF_FILE, ret) || try_process_root(search, PROOF_FILE, ret) ||
	       try_map_files(search, ret) || try_build_id_cache(search, ret);
}

static bool try_named(struct search *search, struct elf_file **ret)
{
	if (search->symfs)
		return try_symfs(search, PROOF_PATH, ret);
	return try_path(search, PROOF_PATH, ret) || try_process_root(search, PROOF_PATH, ret);
}

static int explain(const struct search *search, struct err *err)
{
	if (search->found_other && search->module->build_id.len)
		return err_set(err, -ESTALE, "build id differs: file changed since the recording");
	if (search->deleted)
		return err_set(err, -ENOENT, "file was deleted and the process has exited");
	if (search->open_error == -ENOENT || search->open_error == 0)
		return err_set(err, -ENOENT, "no such file");
	if (search->open_error == -ENOEXEC || search->open_error == -EINVAL)
		return err_set(err, -ENOEXEC, "not an ELF file");
	return err_set(err, search->open_error, "%s", strerror(-search->open_error));
}

static int set_path(struct search *search, const char *path)
{
	size_t len = strlen(path), tail = sizeof(deleted_suffix) - 1;

	if (len >= sizeof(search->path))
		return -ENAMETOOLONG;
	memcpy(search->path, path, len + 1);
	if (len > tail && !strcmp(search->path + len - tail, deleted_suffix)) {
		search->path[len - tail] = '\0';
		search->deleted = true;
	}
	return 0;
}

/* The file that came with the recording. */
static bool try_bundle(const struct search *search, bool last, struct elf_file **ret)
{
	const struct module_bundle *bundle = search->module->bundle;
	const struct build_id *id = &search->module->build_id;
	struct bundled_file file = { 0 };
	struct err ignored = { 0 };

	if (bundle && bundle->last == last)
		file = bundle->find(bundle, id, search->path, "elf");
	if (!file.data || elf_file_parse(file.data, file.len, ret, &ignored))
		return false;
	if (last && id->len && !build_id_equal(id, &(*ret)->build_id)) { /* written to since */
		elf_file_close(*ret);
		return false;
	}
	(*ret)->bundle = bundle;
	return true;
}

int module_file_open(const struct module *module, const char *symfs, struct elf_file **ret,
		     bool *doubtful, struct err *err)
{
	struct search search = { .module = module };

	if (set_path(&search, module->path))
		return err_set(err, -ENAMETOOLONG, "path is too long");
	search.symfs = symfs && symfs[0] ? symfs : NULL;
	*doubtful = false;
	if (try_bundle(&search, false, ret) || try_proven(&search, ret) ||
	    try_bundle(&search, true, ret))
		return 0;
	if (try_named(&search, ret)) {
		*doubtful = !module->build_id.len && module->ino != 0;
		return 0;
	}
	return explain(&search, err);
}

/* A regular file with the module's inode and, when that is known, its build id. */
static int open_inode(const struct module *module, const char *path, struct elf_file **ret,
		      struct err *err)
{
	struct elf_file *elf;
	struct stat st;
	int code;

	if (stat(path, &st))
		return err_errno(err, "%s", path);
	if (!S_ISREG(st.st_mode) || st.st_ino != module->ino)
		return err_set(err, -ENOENT, "%s: different file", path);
	code = elf_file_open(path, &elf, err);
	if (code)
		return code;
	if (module->build_id.len && !build_id_equal(&module->build_id, &elf->build_id)) {
		elf_file_close(elf);
		return err_set(err, -ESTALE, "%s: build id differs", path);
	}
	*ret = elf;
	return 0;
}

/* Paths are the same for both only in one mount namespace. */
static bool shares_mounts(uint32_t pid)
{
	struct stat theirs, ours;
	char path[64];

	(void)snprintf(path, sizeof(path), "/proc/%u/ns/mnt", pid);
	return !stat(path, &theirs) && !stat("/proc/self/ns/mnt", &ours) &&
	       theirs.st_dev == ours.st_dev && theirs.st_ino == ours.st_ino;
}

int module_file_open_mapped(const struct module *module, struct elf_file **ret, struct err *err)
{
	struct search search = { .module = module };
	char path[PATH_MAX + 64];
	struct elf_file *elf;
	bool doubtful;
	int code;

	if (map_files_path(module, path, sizeof(path)) && !open_inode(module, path, ret, err))
		return 0;
	if (!set_path(&search, module->path) && is_absolute_file(&search)) {
		(void)snprintf(path, sizeof(path), "/proc/%u/root%s", module->pid, search.path);
		if (!open_inode(module, path, ret, err) ||
		    !open_inode(module, search.path, ret, err)) /* its process has ended */
			return 0;
	}
	code = module_file_open(module, NULL, &elf, &doubtful, err);
	if (code)
		return code;
	if (doubtful && !shares_mounts(module->pid)) {
		elf_file_close(elf);
		return err_set(err, -ENOENT, "%s: not the mapped file", module->path);
	}
	*ret = elf;
	return 0;
}

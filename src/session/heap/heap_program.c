/* SPDX-License-Identifier: GPL-2.0-or-later */
/* See heap_program.h. */
#include "session/heap/heap_program.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/map.h"
#include "base/user_cache.h"
#include "heap/preload.h"
#include "proc/elf_file.h"

#define FOLDER	   "heap"
#define MAX_PARTS  1024 /* program headers */
#define PRELOAD	   "LD_PRELOAD"
#define USUAL_PATH "/usr/local/bin:/usr/bin:/bin"

extern const unsigned char heap_preload[];
extern const size_t heap_preload_len;

/* As execvp() finds it. Returns a descriptor, or -1. */
static int open_program(const char *name)
{
	const char *path = getenv("PATH"), *end;
	char full[PATH_MAX];

	if (strchr(name, '/'))
		return open(name, O_RDONLY | O_CLOEXEC);
	for (path = path ? path : USUAL_PATH;; path = end + 1) {
		int len, fd;

		end = strchrnul(path, ':');
		len = snprintf(full, sizeof(full), "%.*s%s%s", (int)(end - path), path,
			       end > path ? "/" : "", name);
		fd = len < (int)sizeof(full) && access(full, X_OK) == 0
			     ? open(full, O_RDONLY | O_CLOEXEC)
			     : -1;
		if (fd >= 0 || !*end)
			return fd;
	}
}

/* Whether it is an ELF file without a loader. */
static bool is_static(int fd)
{
	Elf64_Ehdr head;
	Elf64_Phdr part;

	if (pread(fd, &head, sizeof(head), 0) != (ssize_t)sizeof(head) ||
	    memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_ident[EI_CLASS] != ELFCLASS64)
		return false;
	for (unsigned i = 0; i < head.e_phnum && i < MAX_PARTS; i++) {
		if (pread(fd, &part, sizeof(part), (off_t)(head.e_phoff + i * sizeof(part))) !=
		    (ssize_t)sizeof(part))
			return false;
		if (part.p_type == PT_INTERP)
			return false;
	}
	return true;
}

/* The loader ignores LD_PRELOAD then. */
static bool gains_rights(int fd, const struct stat *st)
{
	if ((st->st_mode & S_ISUID && st->st_uid != geteuid()) ||
	    (st->st_mode & S_ISGID && st->st_gid != getegid()))
		return true;
	return geteuid() && fgetxattr(fd, "security.capability", NULL, 0) > 0;
}

/* Such a program ends at once when another library comes before the sanitizer's. */
static bool has_sanitizer(int fd)
{
	static const char *const libraries[] = { "libasan.so", "libclang_rt.asan" };
	struct err ignored = { 0 };
	const struct elf_section *names;
	struct elf_file *elf;
	const uint8_t *data;
	bool found = false;
	char path[64];
	size_t len;

	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (elf_file_open(path, &elf, &ignored))
		return false;
	names = elf_file_section(elf, ".dynstr");
	if (names && elf_section_data(elf, names, &data, &len))
		for (size_t i = 0; i < sizeof(libraries) / sizeof(*libraries); i++)
			found |= memmem(data, len, libraries[i], strlen(libraries[i])) != NULL;
	elf_file_close(elf);
	return found;
}

int heap_program_check(const char *name, struct err *err)
{
	AUTO_CLOSE int fd = open_program(name);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode))
		return 0; /* starting it says more */
	if (gains_rights(fd, &st))
		return err_set(err, -EPERM,
			       "%s: runs with other rights than yours (setuid, setgid or "
			       "capabilities), so no library can be loaded into it",
			       name);
	if (has_sanitizer(fd))
		return err_set(err, -ENOEXEC,
			       "%s: AddressSanitizer allows no library before its own, and counts "
			       "allocations itself",
			       name);
	if (!is_static(fd))
		return 0;
	(void)err_set(err, -ENOEXEC, "%s: statically linked, so no library can be loaded into it",
		      name);
	return err_hint(err, "where its memory grows: cupel flamegraph -e page-faults -- %s", name);
}

/* Its name says what it is, so it is written once. */
static int put_library(struct heap_program *program, struct err *err)
{
	AUTO_CLOSE int folder = user_cache_open(NULL, FOLDER);
	char cache[PATH_MAX], name[64];
	int len;

	(void)snprintf(name, sizeof(name), "preload-%016" PRIx64 ".so",
		       hash_bytes(heap_preload, heap_preload_len));
	if (folder < 0 || !user_cache_path(cache, sizeof(cache))) {
		(void)err_set(err, -EACCES, "no folder for the library that the program loads");
		return err_hint(err, "set XDG_CACHE_HOME to a folder that you may write");
	}
	len = snprintf(program->object, sizeof(program->object), "%s/" FOLDER "/%s", cache, name);
	if (len >= (int)sizeof(program->object))
		return err_set(err, -ENAMETOOLONG, "%s: name too long", cache);
	if (strpbrk(program->object, " :"))
		return err_set(err, -EINVAL, "%s: " PRELOAD " takes no blanks and colons", cache);
	AUTO_CLOSE int old = user_cache_get(folder, name);
	if (old < 0 && !user_cache_put(folder, name, heap_preload, heap_preload_len))
		return err_set(err, -EIO, "%s: cannot be written", program->object);
	return 0;
}

int heap_program_begin(struct heap_program *program, uint64_t rate, bool alone, struct err *err)
{
	const char *old = getenv(PRELOAD);
	AUTO_FREE char *names = NULL;
	char settings[64];
	int code;

	*program = (struct heap_program){ .choice.rate = rate };
	program->preload = old ? mem_strdup(old) : NULL;
	program->choice.object = program->object;
	code = put_library(program, err);
	if (code)
		return code;
	if (getrandom(&program->choice.token, sizeof(program->choice.token), 0) < 0)
		return err_errno(err, "getrandom");
	(void)snprintf(settings, sizeof(settings), "%" PRIx64 ",%" PRIx64 ",%d", rate,
		       program->choice.token, alone);
	if (asprintf(&names, "%s%s%s", program->object, old && *old ? ":" : "", old ? old : "") <
		    0 ||
	    setenv(PRELOAD, names, 1) || setenv(HEAP_VARIABLE, settings, 1))
		return err_errno(err, "environment");
	return 0;
}

void heap_program_end(struct heap_program *program)
{
	(void)unsetenv(HEAP_VARIABLE);
	if (program->preload)
		(void)setenv(PRELOAD, program->preload, 1);
	else
		(void)unsetenv(PRELOAD);
	free(program->preload);
	program->preload = NULL;
}

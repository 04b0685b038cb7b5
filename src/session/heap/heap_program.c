/* SPDX-License-Identifier: GPL-2.0-or-later */
/* See heap_program.h. */
#include "session/heap/heap_program.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/fd.h"
#include "heap/preload.h"
#include "heap/target.h"
#include "source/guard.h"

#define PRELOAD	   "LD_PRELOAD"
#define USUAL_PATH "/usr/local/bin:/usr/bin:/bin"

#define REMOVE_WAIT_MS 1000

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

int heap_program_check(const char *name, struct err *err)
{
	enum heap_target target = heap_target_check_preload(getenv(PRELOAD));
	AUTO_CLOSE int fd = open_program(name);
	char path[64];

	if (fd < 0)
		return 0; /* starting it says more */
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (target == HEAP_TARGET_FITS)
		target = heap_target_check(path);
	switch (target) {
	case HEAP_TARGET_RIGHTS:
		return err_set(err, -EPERM,
			       "%s: runs with other rights than yours (setuid, setgid or "
			       "capabilities), so no library can be loaded into it",
			       name);
	case HEAP_TARGET_SANITIZER:
		return err_set(err, -ENOEXEC,
			       "%s: AddressSanitizer and its like allow no library before their "
			       "own, and count allocations themselves",
			       name);
	case HEAP_TARGET_STATIC:
		(void)err_set(err, -ENOEXEC,
			      "%s: statically linked, so no library can be loaded into it", name);
		break;
	case HEAP_TARGET_MACHINE:
		(void)err_set(err, -ENOEXEC,
			      "%s: of 32 bits or for another processor, unlike the library that "
			      "is to be loaded into it",
			      name);
		break;
	default:
		return 0;
	}
	if (target == HEAP_TARGET_STATIC)
		return err_hint(err,
				"its calls by probes: cupel heap --probes %s -- %s; where its "
				"memory grows: cupel heap --maps -- %s",
				name, name, name);
	return err_hint(err, "where its memory grows: cupel heap --maps -- %s", name);
}

/* Whether the loader could map a program's code from there. */
static bool allows_code(const char *path)
{
	AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);
	void *code =
		fd < 0 ? MAP_FAILED
		       : mmap(NULL, heap_preload_len, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);

	return code != MAP_FAILED && !munmap(code, heap_preload_len);
}

/* Where programs of all users find it: a program may change its user. */
static bool put_below(struct heap_program *program, const char *base, uint64_t name)
{
	struct err ignored = { 0 };
	char folder[64];

	(void)snprintf(folder, sizeof(folder), "%s/cupel-heap-%016" PRIx64, base, name);
	(void)snprintf(program->object, sizeof(program->object), "%s/" HEAP_LIBRARY, folder);
	if (guard_remove(program->guard, folder, &ignored) || mkdir(folder, 0700) ||
	    guard_remove(program->guard, program->object, &ignored))
		return false;
	AUTO_CLOSE int fd = open(program->object, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	return fd >= 0 && !fd_write_all(fd, heap_preload, heap_preload_len) && !fchmod(fd, 0755) &&
	       !chmod(folder, 0755) && allows_code(program->object);
}

static int put_library(struct heap_program *program, struct err *err)
{
	static const char *const bases[] = { "/tmp", "/var/tmp", "/dev/shm" };
	uint64_t name;
	int code;

	if (getrandom(&name, sizeof(name), 0) < 0)
		return err_errno(err, "getrandom");
	code = guard_start(-1, &program->guard, err);
	if (code)
		return code;
	for (size_t i = 0; i < sizeof(bases) / sizeof(bases[0]); i++)
		if (put_below(program, bases[i], name))
			return 0;
	(void)err_set(err, -EACCES, "no folder for the library that the program loads");
	return err_hint(err, "it takes one of /tmp, /var/tmp and /dev/shm that is writable and "
			     "not mounted noexec");
}

int heap_program_begin(struct heap_program *program, uint64_t rate, bool alone, struct err *err)
{
	const char *old = getenv(PRELOAD);
	AUTO_FREE char *names = NULL;
	char settings[64];
	int code;

	*program = (struct heap_program){ .choice = { .rate = rate, .alone = alone } };
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
	(void)guard_end(program->guard, REMOVE_WAIT_MS);
	program->guard = NULL;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions that start programs: they put the library into the environment of those that the loader
 * takes it into, and only of those, so that no program finds it there or gets a loader's error. It
 * looks at the program at the last moment, with the user and root directory of then. The C
 * library's own calls do not come here, so those of its functions that start programs are here,
 * too. They may be called between vfork() and exec: what they need is on the stack. */
#include "heap/exec.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "heap/preload.h"
#include "heap/target.h"

#define EXPORT	   __attribute__((visibility("default")))
#define PRELOAD	   "LD_PRELOAD"
#define USUAL_PATH "/bin:/usr/bin"
#define FD_PATH	   "/proc/self/fd/%d"

/* Words. Programs with a larger environment are started without the library. */
#define SMALL_ENVIRONMENT 200
#define LARGE_ENVIRONMENT (EXEC_WORDS - 3)
#define SHORT_LIST	  64

extern char **environ;

/* The variables as they were in the environment of this process; empty = nothing is added. */
static char library[sizeof(PRELOAD "=") + PATH_MAX], settings[sizeof(HEAP_VARIABLE "=") + 80];

/* A call of a function that starts a program. */
struct start {
	const char *file;
	char *const *argv, *const *env;
	int fd, flags;
	pid_t *pid;
	const posix_spawn_file_actions_t *actions;
	const posix_spawnattr_t *attributes;
	int (*next)(const struct start *start, char *const *env);
};

/* The next definitions. They are looked up early: between vfork() and exec that may block. */
static struct {
	__typeof__(&execve) execve;
	__typeof__(&execvpe) execvpe;
	__typeof__(&fexecve) fexecve;
	__typeof__(&execveat) execveat;
	__typeof__(&posix_spawn) posix_spawn;
	__typeof__(&posix_spawnp) posix_spawnp;
} next;

#define FIND(function) (*(void **)&next.function = dlsym(RTLD_NEXT, #function))

static void find_next(void)
{
	FIND(execvpe);
	FIND(fexecve);
	FIND(execveat);
	FIND(posix_spawn);
	FIND(posix_spawnp);
	FIND(execve);
	(void)dlerror(); /* of functions that this libc does not have */
}

static bool is_variable(const char *word, const char *name)
{
	size_t len = strlen(name);

	return strncmp(word, name, len) == 0 && word[len] == '=';
}

/* Our name is the first. */
void exec_clean(void)
{
	char *names = getenv(PRELOAD), *rest = names ? strchrnul(names, ':') : NULL;

	(void)unsetenv(HEAP_VARIABLE);
	if (rest && *rest)
		memmove(names, rest + 1, strlen(rest + 1) + 1);
	else
		(void)unsetenv(PRELOAD);
}

void exec_begin(bool alone)
{
	const char *names = getenv(PRELOAD), *rest = names ? strchrnul(names, ':') : NULL;
	const char *found = getenv(HEAP_VARIABLE);

	find_next();
	if (!alone && rest && found && rest - names < PATH_MAX &&
	    snprintf(settings, sizeof(settings), HEAP_VARIABLE "=%s", found) <
		    (int)sizeof(settings))
		(void)snprintf(library, sizeof(library), PRELOAD "=%.*s", (int)(rest - names),
			       names);
	exec_clean();
}

static bool fits(const char *path, const char *preload)
{
	int fd;

	if (heap_target_check(path) != HEAP_TARGET_FITS ||
	    heap_target_check_preload(preload) != HEAP_TARGET_FITS)
		return false;
	fd = open(library + strlen(PRELOAD "="),
		  O_RDONLY | O_CLOEXEC); /* the loader does it with these rights, too */
	if (fd >= 0)
		(void)close(fd);
	return fd >= 0;
}

/* names: the whole LD_PRELOAD. room: for the words of the environment and three more. */
static void compose(char *const *env, const char *names, char **room)
{
	for (size_t i = 0; env && env[i]; i++)
		if (!is_variable(env[i], PRELOAD) && !is_variable(env[i], HEAP_VARIABLE))
			*room++ = env[i];
	*room++ = (char *)names;
	*room++ = settings;
	*room = NULL;
}

static int start_in(const struct start *start, const char *names, char **room)
{
	compose(start->env, names, room);
	return start->next(start, room);
}

/* The stack may be that of a signal handler, so large rooms are only taken if they are needed. */
static __attribute__((noinline)) int start_small(const struct start *start, const char *names)
{
	char *room[SMALL_ENVIRONMENT + 3];

	return start_in(start, names, room);
}

static __attribute__((noinline)) int start_large(const struct start *start, const char *names)
{
	char *room[LARGE_ENVIRONMENT + 3];

	return start_in(start, names, room);
}

/* names: the whole LD_PRELOAD. */
static int start_sampled(const struct start *start, size_t words, const char *names)
{
	return words > SMALL_ENVIRONMENT ? start_large(start, names) : start_small(start, names);
}

/* With libraries that come behind ours. False: their names are too long. */
static bool join(char *names, const char *others)
{
	return snprintf(names, EXEC_NAMES, "%s:%s", library, others) < EXEC_NAMES;
}

static __attribute__((noinline)) int start_behind(const struct start *start, size_t words,
						  const char *others)
{
	char names[EXEC_NAMES];

	return join(names, others) ? start_sampled(start, words, names)
				   : start->next(start, start->env);
}

/* Whether a program with this environment is to have the library. ret_others: other libraries; ""
 * = none. */
static bool takes_library(const char *path, char *const *env, size_t *ret_words,
			  const char **ret_others)
{
	int error = errno;
	size_t words = 0;
	bool takes;

	*ret_others = "";
	for (; env && env[words] && words < LARGE_ENVIRONMENT; words++)
		if (is_variable(env[words], PRELOAD))
			*ret_others = env[words] + strlen(PRELOAD "=");
	takes = library[0] && path && !(env && env[words]) && fits(path, *ret_others);
	errno = error;
	*ret_words = words;
	return takes;
}

static int start_program(const struct start *start, const char *path)
{
	const char *others;
	size_t words;

	if (!takes_library(path, start->env, &words, &others))
		return start->next(start, start->env);
	return *others ? start_behind(start, words, others) : start_sampled(start, words, library);
}

bool exec_environment(const char *path, char *const *env, char **room, char *names)
{
	const char *others;
	size_t words;

	if (!takes_library(path, env, &words, &others) || (*others && !join(names, others)))
		return false;
	compose(env, *others ? names : library, room);
	return true;
}

/* Where execvp() finds it; NULL = nowhere. */
static const char *find(const char *file, char *room, size_t size)
{
	const char *path = getenv("PATH"), *end;
	struct stat st;

	if (strchr(file, '/'))
		return file;
	for (path = path ? path : USUAL_PATH;; path = end + 1) {
		int len;

		end = strchrnul(path, ':');
		len = snprintf(room, size, "%.*s%s%s", (int)(end - path), path,
			       end > path ? "/" : "", file);
		if (len < (int)size && access(room, X_OK) == 0 && stat(room, &st) == 0 &&
		    S_ISREG(st.st_mode))
			return room;
		if (!*end)
			return NULL;
	}
}

static int next_execve(const struct start *start, char *const *env)
{
	return next.execve(start->file, start->argv, env);
}

static int next_execvpe(const struct start *start, char *const *env)
{
	return next.execvpe(start->file, start->argv, env);
}

static int next_fexecve(const struct start *start, char *const *env)
{
	return next.fexecve(start->fd, start->argv, env);
}

static int next_execveat(const struct start *start, char *const *env)
{
	return next.execveat(start->fd, start->file, start->argv, env, start->flags);
}

static int next_posix_spawn(const struct start *start, char *const *env)
{
	return next.posix_spawn(start->pid, start->file, start->actions, start->attributes,
				start->argv, env);
}

static int next_posix_spawnp(const struct start *start, char *const *env)
{
	return next.posix_spawnp(start->pid, start->file, start->actions, start->attributes,
				 start->argv, env);
}

/* A library that is initialised before this one may start programs. */
static void need_next(void)
{
	if (!next.execve)
		find_next();
}

EXPORT int execve(const char *path, char *const argv[], char *const env[])
{
	const struct start of = { .file = path, .argv = argv, .env = env, .next = next_execve };

	need_next();
	return start_program(&of, path);
}

EXPORT int execv(const char *path, char *const argv[])
{
	return execve(path, argv, environ);
}

static __attribute__((noinline)) int start_found(const struct start *start)
{
	char room[PATH_MAX];

	return start_program(start, find(start->file, room, sizeof(room)));
}

EXPORT int execvpe(const char *file, char *const argv[], char *const env[])
{
	const struct start of = { .file = file, .argv = argv, .env = env, .next = next_execvpe };

	need_next();
	return start_found(&of);
}

EXPORT int execvp(const char *file, char *const argv[])
{
	return execvpe(file, argv, environ);
}

/* Between vfork() and exec they are the parent's, which then keeps them: the words of long lists.
 */
static char **take_words(size_t count)
{
	void *words = mmap(NULL, count * sizeof(char *), PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return words == MAP_FAILED ? NULL : words;
}

/* The words of execl() and its like as an array. Behind them: the environment, if there is one. */
static int exec_list(const char *file, const char *first, va_list *list,
		     int (*exec)(const char *, char *const *, char *const *), bool has_environment)
{
	char *small[SHORT_LIST], **words = small;
	size_t count = 1;
	va_list counting;
	int code;

	va_copy(counting, *list);
	while (va_arg(counting, char *))
		count++;
	va_end(counting);
	if (count + 1 > SHORT_LIST)
		words = take_words(count + 1);
	if (!words)
		return -1;
	words[0] = (char *)first;
	for (size_t i = 1; i <= count; i++)
		words[i] = va_arg(*list, char *);
	code = exec(file, words, has_environment ? va_arg(*list, char *const *) : environ);
	if (words != small)
		(void)munmap(words, (count + 1) * sizeof(char *));
	return code;
}

EXPORT int execl(const char *path, const char *first, ...)
{
	va_list list;
	int code;

	va_start(list, first);
	code = exec_list(path, first, &list, execve, false);
	va_end(list);
	return code;
}

EXPORT int execlp(const char *file, const char *first, ...)
{
	va_list list;
	int code;

	va_start(list, first);
	code = exec_list(file, first, &list, execvpe, false);
	va_end(list);
	return code;
}

EXPORT int execle(const char *path, const char *first, ...)
{
	va_list list;
	int code;

	va_start(list, first);
	code = exec_list(path, first, &list, execve, true);
	va_end(list);
	return code;
}

EXPORT int fexecve(int fd, char *const argv[], char *const env[])
{
	const struct start of = { .fd = fd, .argv = argv, .env = env, .next = next_fexecve };
	char path[sizeof(FD_PATH) + 16];

	need_next();
	(void)snprintf(path, sizeof(path), FD_PATH, fd);
	return start_program(&of, path);
}

static __attribute__((noinline)) int start_below(const struct start *start)
{
	char path[sizeof(FD_PATH) + 16 + PATH_MAX];
	bool relative = start->fd != AT_FDCWD && start->file[0] != '/';

	if (relative)
		(void)snprintf(path, sizeof(path), FD_PATH "/%s", start->fd, start->file);
	return start_program(start, relative ? path : start->file);
}

EXPORT int execveat(int folder, const char *path, char *const argv[], char *const env[], int flags)
{
	const struct start of = { .file = path,
				  .fd = folder,
				  .argv = argv,
				  .env = env,
				  .flags = flags,
				  .next = next_execveat };

	need_next();
	if (next.execveat)
		return start_below(&of);
	errno = ENOSYS;
	return -1;
}

static int start_there(const struct start *start)
{
	return start_program(start, start->file);
}

#define SPAWN(function, start_at)                                                           \
	EXPORT int function(                                                                \
		pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions,    \
		const posix_spawnattr_t *attributes, char *const argv[], char *const env[]) \
	{                                                                                   \
		const struct start of = { .file = file,                                     \
					  .pid = pid,                                       \
					  .actions = actions,                               \
					  .attributes = attributes,                         \
					  .argv = argv,                                     \
					  .env = env,                                       \
					  .next = next_##function };                        \
                                                                                            \
		need_next();                                                                \
		return start_at(&of);                                                       \
	}

SPAWN(posix_spawn, start_there)
SPAWN(posix_spawnp, start_found)

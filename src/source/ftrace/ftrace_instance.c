/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Instances of ftrace (see ftrace_instance.h). Documentation/trace/ftrace.rst of the kernel
 * describes the files. */
#include "source/ftrace/ftrace_instance.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/fd.h"
#include "source/event_spec/name_list.h"
#include "source/event_spec/tracepoint.h"
#include "source/guard.h"

#define NAME_PREFIX  "cupel-"
#define END_WAIT_MS  100
#define LOCK_TRIES   200 /* 20 s: a guard has much to restore on a slow machine */
#define LOCK_WAIT_NS 100000000
#define FILE_LIMIT   ((size_t)16 << 20)

struct ftrace_instance {
	struct arena arena;
	const char *tracefs;
	const char *path; /* of our own folder, or tracefs */
	bool shared;
	int lock_fd; /* the folder of tracefs, open in the guard, too */
	bool locked;
	struct guard *guard;
};

const char *ftrace_tracefs(const struct ftrace_instance *instance)
{
	return instance->tracefs;
}

const char *ftrace_folder(const struct ftrace_instance *instance)
{
	return instance->path;
}

/* In the instance; else among the settings that are shared by all, which *ret_shared tells. */
static int find_file(const struct ftrace_instance *instance, const char *file, char path[PATH_MAX],
		     bool *ret_shared)
{
	*ret_shared = instance->shared;
	if (snprintf(path, PATH_MAX, "%s/%s", instance->path, file) >= PATH_MAX)
		return -ENAMETOOLONG;
	if (access(path, F_OK) == 0 || instance->shared)
		return 0;
	*ret_shared = true;
	return snprintf(path, PATH_MAX, "%s/%s", instance->tracefs, file) < PATH_MAX
		       ? 0
		       : -ENAMETOOLONG;
}

bool ftrace_has(const struct ftrace_instance *instance, const char *file)
{
	char path[PATH_MAX];
	bool shared;

	return find_file(instance, file, path, &shared) == 0 && access(path, F_OK) == 0;
}

int ftrace_read(const struct ftrace_instance *instance, const char *file, struct buf *ret,
		struct err *err)
{
	char path[PATH_MAX];
	bool shared;

	if (find_file(instance, file, path, &shared))
		return err_set(err, -ENAMETOOLONG, "%s: name too long", file);
	return fd_read_file(path, ret, err);
}

int ftrace_open_file(const struct ftrace_instance *instance, const char *file, struct err *err)
{
	char path[PATH_MAX];
	bool shared;
	int fd;

	if (find_file(instance, file, path, &shared))
		return err_set(err, -ENAMETOOLONG, "%s: name too long", file);
	fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	return fd < 0 ? err_errno(err, "%s", path) : fd;
}

/* "7 (expanded: 1408)", "name [module]", "#### all functions enabled ####", "no pid", and "none"
 * for a filter */
void ftrace_old_content(const char *text, struct buf *ret)
{
	static const char expanded[] = "(expanded: ";

	while (*text) {
		size_t len = strcspn(text, "\n");
		const char *larger = memmem(text, len, expanded, sizeof(expanded) - 1);
		const char *module = memmem(text, len, " [", 2);

		if (larger) {
			larger += sizeof(expanded) - 1;
			(void)buf_append(ret, larger, strcspn(larger, ")\n"));
			(void)buf_putc(ret, '\n');
		} else if (len == 4 && memcmp(text, "none", 4) == 0) {
			(void)buf_puts(ret, "0\n");
		} else if (len && *text != '#' && strncmp(text, "no pid", 6) != 0) {
			(void)buf_append(ret, text, module ? (size_t)(module - text) : len);
			(void)buf_putc(ret, '\n');
		}
		text += len + (text[len] == '\n');
	}
}

/* What all instances share is changed by one at a time, until its guard has restored it: the next
 * one would keep what it finds. */
static int lock_shared(struct ftrace_instance *instance, struct err *err)
{
	const struct timespec wait = { .tv_nsec = LOCK_WAIT_NS };

	for (int i = 0; !instance->locked && i < LOCK_TRIES; i++) {
		instance->locked = flock(instance->lock_fd, LOCK_EX | LOCK_NB) == 0;
		if (!instance->locked && nanosleep(&wait, NULL))
			break; /* a signal */
	}
	if (instance->locked)
		return 0;
	(void)err_set(err, -EBUSY, "settings that all tracers share are in use by another cupel");
	return err_hint(err, "wait until it ends, or trace events: cupel ftrace -e 'sched:*'");
}

static int keep_old(struct ftrace_instance *instance, const char *path, struct err *err)
{
	struct buf now = { .limit = FILE_LIMIT }, old = { 0 };
	int code = lock_shared(instance, err);

	if (!code)
		code = fd_read_file(path, &now, err);
	if (!code) {
		ftrace_old_content(now.data ? now.data : "", &old);
		code = guard_restore(instance->guard, path, old.data ? old.data : "", err);
	}
	buf_done(&now);
	buf_done(&old);
	return code;
}

/* Filters of functions look at a name when its line ends, or silently at close(2). */
static int write_line(int fd, const char *line)
{
	struct buf text = { 0 };
	int code = 0;

	(void)buf_printf(&text, "%s\n", line);
	if (write(fd, text.data, text.len) != (ssize_t)text.len)
		code = -errno;
	buf_done(&text);
	return code;
}

int ftrace_write_lines(struct ftrace_instance *instance, const char *file, const char *const *line,
		       size_t count, struct err *err)
{
	char path[PATH_MAX];
	bool shared;

	if (find_file(instance, file, path, &shared))
		return err_set(err, -ENAMETOOLONG, "%s: name too long", file);
	if (access(path, F_OK))
		return err_set(err, -ENOENT, "%s: this kernel does not have this setting", file);
	if (shared && keep_old(instance, path, err))
		return err->code;
	AUTO_CLOSE int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
	if (fd < 0)
		return err_errno(err, "%s", file);
	for (size_t i = 0; i < count; i++)
		if (write_line(fd, line[i]))
			return err_errno(err, "%s: '%s'", file, line[i]);
	return 0;
}

int ftrace_write(struct ftrace_instance *instance, const char *file, const char *line,
		 struct err *err)
{
	return ftrace_write_lines(instance, file, &line, 1, err);
}

static bool has_word(const char *words, const char *word)
{
	size_t len = strlen(word);

	for (const char *at = words; (at = strstr(at, word)); at += len)
		if ((at == words || at[-1] == ' ') && (!at[len] || strchr(" \n", at[len])))
			return true;
	return false;
}

static bool offers(const char *folder, const char *tracer, struct buf *ret_all)
{
	struct err ignored = { 0 };
	char path[PATH_MAX];

	buf_clear(ret_all);
	return snprintf(path, sizeof(path), "%s/available_tracers", folder) < (int)sizeof(path) &&
	       fd_read_file(path, ret_all, &ignored) == 0 && ret_all->len &&
	       has_word(ret_all->data, tracer);
}

/* Ours of processes that are gone. One that is in use, by a process of another PID namespace, has
 * an open file and is busy. */
static void remove_stale(const char *tracefs, struct arena *arena)
{
	struct name_list list = { 0 };
	char path[PATH_MAX];

	if (snprintf(path, sizeof(path), "%s/instances", tracefs) >= (int)sizeof(path))
		return;
	(void)name_list_folder(&list, path, NAME_PREFIX "*", "", arena); /* then: none */
	for (size_t i = 0; i < list.count; i++) {
		char *end;
		long pid = strtol(list.item[i] + strlen(NAME_PREFIX), &end, 10);

		if (!*end && pid > 0 && kill((pid_t)pid, 0) && errno == ESRCH &&
		    snprintf(path, sizeof(path), "%s/instances/%s", tracefs, list.item[i]) <
			    (int)sizeof(path))
			(void)rmdir(path);
	}
	name_list_done(&list);
}

static int make_own(struct ftrace_instance *instance, struct err *err)
{
	char path[PATH_MAX];

	if (snprintf(path, sizeof(path), "%s/instances/" NAME_PREFIX "%d", instance->tracefs,
		     (int)getpid()) >= (int)sizeof(path))
		return err_set(err, -ENAMETOOLONG, "%s: name too long", instance->tracefs);
	if (guard_remove(instance->guard, path, err))
		return err->code;
	if (mkdir(path, 0700) && errno != EEXIST) {
		(void)err_errno(err, "%s", path);
		return err_hint(err, "ftrace requires root, or a tracefs that is writable");
	}
	instance->path = arena_strdup(&instance->arena, path);
	return 0;
}

static int refuse_tracer(const char *tracer, struct buf *all, struct err *err)
{
	(void)err_set(err, -EOPNOTSUPP, "%s: this kernel does not have this tracer", tracer);
	if (all->len && all->data[all->len - 1] == '\n')
		all->data[--all->len] = '\0';
	return err_hint(err, "it has: %s; events work: cupel ftrace -e 'sched:*'",
			all->len ? all->data : "none");
}

/* The shared instance, because the tracer works in no other. */
static int take_shared(struct ftrace_instance *instance, const char *tracer, struct err *err)
{
	struct buf now = { .limit = 4096 };
	int code;

	instance->path = instance->tracefs;
	instance->shared = true;
	code = lock_shared(instance, err);
	if (!code)
		code = ftrace_read(instance, "current_tracer", &now, err);
	if (!code && strcmp(now.data, "nop\n") != 0) {
		now.data[strcspn(now.data, "\n")] = '\0';
		code = err_set(err, -EBUSY,
			       "%s: the instance that it needs is in use by the tracer %s", tracer,
			       now.data);
		(void)err_hint(err, "end that with: echo nop > %s/current_tracer",
			       instance->tracefs);
	}
	buf_done(&now);
	return code;
}

static int choose(struct ftrace_instance *instance, const char *tracer, struct err *err)
{
	struct buf all = { .limit = 4096 };
	int code;

	code = make_own(instance, err);
	if (!code && tracer && !offers(instance->path, tracer, &all))
		code = offers(instance->tracefs, tracer, &all) ? take_shared(instance, tracer, err)
							       : refuse_tracer(tracer, &all, err);
	buf_done(&all);
	return code;
}

/* The guard has this descriptor of the folder alone, so paths without a place go by it. */
static int open_folder(struct ftrace_instance *instance, struct err *err)
{
	char path[64];

	instance->lock_fd = open(instance->tracefs, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (instance->lock_fd < 0)
		return err_errno(err, "%s", instance->tracefs);
	if (strncmp(instance->tracefs, TRACEFS_OWN, strlen(TRACEFS_OWN)) != 0)
		return 0;
	(void)snprintf(path, sizeof(path), TRACEFS_OWN "%d", instance->lock_fd);
	instance->tracefs = arena_strdup(&instance->arena, path);
	return 0;
}

int ftrace_instance_open(const char *tracer, struct ftrace_instance **ret, struct err *err)
{
	struct ftrace_instance *instance = mem_zalloc(sizeof(*instance));
	int code = tracefs_find("", &instance->arena, &instance->tracefs, err);

	instance->lock_fd = -1;
	if (!code) {
		remove_stale(instance->tracefs, &instance->arena);
		code = open_folder(instance, err);
	}
	if (!code)
		code = guard_start(instance->lock_fd, &instance->guard, err);
	if (!code)
		code = choose(instance, tracer, err);
	if (code) {
		ftrace_instance_close(instance);
		return code;
	}
	*ret = instance;
	return 0;
}

void ftrace_instance_close(struct ftrace_instance *instance)
{
	if (!instance)
		return;
	(void)guard_end(instance->guard, END_WAIT_MS);
	fd_close(&instance->lock_fd);
	arena_done(&instance->arena);
	free(instance);
}

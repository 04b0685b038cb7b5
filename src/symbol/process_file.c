/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Opening files that carry a PID in their name (see process_file.h). */
#include "symbol/process_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/map.h"
#include "symbol/symbolizer.h"

/* The PID that the process has in its innermost namespace; its own when it is gone. */
static uint32_t inner_pid(uint32_t pid)
{
	static const char key[] = "\nNSpid:";
	struct buf status = { .limit = 64 << 10 };
	struct err ignored = { 0 };
	uint32_t ret = pid;
	char path[64];

	(void)snprintf(path, sizeof(path), "/proc/%u/status", pid);
	if (!fd_read_file(path, &status, &ignored) && status.data) {
		const char *line = strstr(status.data, key);
		const char *end = line ? strchr(line + 1, '\n') : NULL;

		while (end && end > line && end[-1] >= '0' && end[-1] <= '9')
			end--;
		if (end)
			ret = (uint32_t)strtoul(end, NULL, 10);
	}
	buf_done(&status);
	return ret;
}

bool process_user(uint32_t pid, uid_t *ret)
{
	struct stat process;
	char path[32];

	(void)snprintf(path, sizeof(path), "/proc/%u", pid);
	if (stat(path, &process))
		return false;
	*ret = process.st_uid;
	return true;
}

/* Root could write anything anywhere. Of a process that is gone, and that nobody remembers, only
 * files of this user are believed. */
static bool owner_is_sane(uid_t owner, uint32_t pid, const struct map *users)
{
	uint64_t remembered;
	uid_t user = geteuid();

	if (owner == 0)
		return true;
	if (users && map_get(users, pid, &remembered))
		user = (uid_t)remembered;
	else
		(void)process_user(pid, &user);
	return owner == user;
}

static int open_at(const char *path, uint32_t pid, const struct map *users, struct err *err)
{
	AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct stat st;

	if (fd < 0)
		return err_errno(err, "%s", path);
	if (fstat(fd, &st))
		return err_errno(err, "%s", path);
	if (!S_ISREG(st.st_mode))
		return err_set(err, -EINVAL, "%s: not a regular file", path);
	if (!owner_is_sane(st.st_uid, pid, users))
		return err_set(err, -EPERM, "%s: owned by another user, ignored", path);
	return take_fd(&fd);
}

/* `inside` is the path in the process's own root and namespace, `outside` the one here. */
static int open_either(const char *const path_in_out[2], uint32_t pid, const struct map *users,
		       struct err *err)
{
	const char *inside = path_in_out[0], *outside = path_in_out[1];
	struct err first = { 0 };
	char path[2 * PATH_MAX];
	int fd = -ENOENT;

	if (inside) {
		(void)snprintf(path, sizeof(path), "/proc/%u/root%s", pid, inside);
		fd = open_at(path, pid, users, &first);
	}
	return fd >= 0 ? fd : open_at(outside, pid, users, err);
}

static bool is_foreign(const struct symbol_options *options)
{
	return options && options->symfs && options->symfs[0];
}

static const struct map *users_of(const struct symbol_options *options)
{
	return options ? options->users : NULL;
}

int process_file_open(const char *path, uint32_t pid, const struct symbol_options *options,
		      struct err *err)
{
	char outside[2 * PATH_MAX];

	if ((int32_t)pid <= 0)
		return err_set(err, -ENOENT, "no process");
	if (!is_foreign(options))
		return open_either((const char *[]){ path, path }, pid, users_of(options), err);
	(void)snprintf(outside, sizeof(outside), "%s%s", options->symfs, path);
	return open_either((const char *[]){ NULL, outside }, pid, users_of(options), err);
}

int process_file_open_numbered(const char *const prefix_suffix[2], uint32_t pid,
			       const struct symbol_options *options, struct err *err)
{
	char inside[PATH_MAX], outside[PATH_MAX];
	bool foreign = is_foreign(options);

	if ((int32_t)pid <= 0)
		return err_set(err, -ENOENT, "no process");
	(void)snprintf(outside, sizeof(outside), "%s%s%u%s", foreign ? options->symfs : "",
		       prefix_suffix[0], pid, prefix_suffix[1]);
	(void)snprintf(inside, sizeof(inside), "%s%u%s", prefix_suffix[0], inner_pid(pid),
		       prefix_suffix[1]);
	return open_either((const char *[]){ foreign ? NULL : inside, outside }, pid,
			   users_of(options), err);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Targets: converts -a, -C, -p, -t, -u, -G or the started program to lists of threads and CPUs.
 * Skips threads that end meanwhile; a process that does not exist is an error. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/fd.h"
#include "source/cgroup.h"
#include "source/descendants.h"
#include "source/id_list.h"
#include "source/options.h"
#include "source/perf_event/perf_event.h"

static int compare_int(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;

	return (x > y) - (x < y);
}

static int parse_cpus(const char *text, struct id_list *ret, struct err *err)
{
	if (cpu_list_parse(text, ret))
		return err_usage(err, "invalid value '%s': expected a list of CPUs such as 0-3,7",
				 text);
	if (ret->count)
		qsort(ret->item, ret->count, sizeof(int), compare_int);
	return 0;
}

static int online_cpus(struct id_list *ret, struct err *err)
{
	struct buf text = { .limit = 1 << 16 };
	int code = fd_read_file("/sys/devices/system/cpu/online", &text, err);

	if (code == -ENOENT)
		(void)err_hint(err, "is /sys mounted? mount -t sysfs sys /sys");
	if (text.len && text.data[text.len - 1] == '\n')
		text.data[--text.len] = '\0';
	if (!code)
		code = parse_cpus(text.data ? text.data : "", ret, err);
	buf_done(&text);
	return code;
}

static int add_cpus(struct perf_target *target, const char *wanted, struct err *err)
{
	struct id_list online = { 0 }, list = { 0 };
	int code = online_cpus(&online, err);

	if (!code && wanted)
		code = parse_cpus(wanted, &list, err);
	for (size_t i = 0; !code && i < online.count; i++)
		vec_push(&target->cpu, online.item[i]);
	for (size_t i = 0; !code && i < list.count; i++) {
		int cpu = list.item[i];

		if (!bsearch(&cpu, online.item, online.count, sizeof(int), compare_int))
			code = err_set(err, -ENODEV, "CPU %d: not online", cpu);
		else if (!target->sampled.count || *vec_last(&target->sampled) != cpu)
			vec_push(&target->sampled, cpu);
	}
	vec_done(&online);
	vec_done(&list);
	return code;
}

/* All threads of a process. */
static int add_process(struct perf_target *target, pid_t pid, struct err *err)
{
	char path[64];
	DIR *dir;
	size_t before = target->pid.count;

	(void)snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	dir = opendir(path);
	if (!dir && errno == ENOENT)
		return err_set(err, -ESRCH, "process %d: no such process", (int)pid);
	if (!dir)
		return err_errno(err, "%s", path);
	for (struct dirent *entry; (entry = readdir(dir));) {
		const char *p = entry->d_name;
		int tid;

		if (id_take(&p, INT_MAX, &tid))
			vec_push(&target->pid, tid);
	}
	(void)closedir(dir);
	if (target->pid.count == before)
		return err_set(err, -ESRCH, "process %d: no such process", (int)pid);
	return 0;
}

static int add_list(struct perf_target *target, const char *text, bool threads, struct err *err)
{
	struct id_list ids = { 0 };
	int code = id_list_parse(text, threads ? "thread" : "process", &ids, err);

	for (size_t i = 0; !code && i < ids.count; i++) {
		char path[64];

		if (!threads) {
			code = add_process(target, ids.item[i], err);
			continue;
		}
		(void)snprintf(path, sizeof(path), "/proc/%d", ids.item[i]);
		if (access(path, F_OK))
			code = err_set(err, -ESRCH, "thread %d: no such thread", ids.item[i]);
		vec_push(&target->pid, ids.item[i]);
	}
	vec_done(&ids);
	return code;
}

/* Those that have ended since were there no longer than it takes to look. */
static void add_descendants(struct perf_target *target, const char *text, bool threads)
{
	struct id_list of = { 0 }, found = { 0 };
	struct err ignored = { 0 };

	(void)id_list_parse(text, "process", &of, &ignored);
	descendants_add(&of, threads, &found);
	for (size_t i = 0; i < found.count; i++)
		(void)add_process(target, found.item[i], &ignored);
	vec_done(&of);
	vec_done(&found);
}

static bool process_has_uid(pid_t pid, uid_t uid)
{
	struct buf text = { .limit = 1 << 16 };
	struct err ignored; /* the process may have ended */
	char path[64];
	const char *line;
	bool same = false;

	(void)snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	if (!fd_read_file(path, &text, &ignored)) {
		line = text.data ? strstr(text.data, "\nUid:") : NULL;
		same = line && strtoul(line + 5, NULL, 10) == uid;
	}
	buf_done(&text);
	return same;
}

static int find_uid(const char *user, uid_t *ret, struct err *err)
{
	char *end;
	unsigned long uid = strtoul(user, &end, 10);

	if (*end || !*user) {
		const struct passwd *entry = getpwnam(user);

		if (!entry)
			return err_set(err, -EINVAL, "%s: no such user", user);
		uid = entry->pw_uid;
	}
	*ret = (uid_t)uid;
	return 0;
}

/* NULL: those of all users. */
static int add_user(struct perf_target *target, const char *user, struct err *err)
{
	uid_t uid = 0;
	DIR *dir;

	if (user && find_uid(user, &uid, err))
		return err->code;
	dir = opendir("/proc");
	if (!dir)
		return err_errno(err, "/proc");
	for (struct dirent *entry; (entry = readdir(dir));) {
		const char *p = entry->d_name;
		struct err ignored; /* processes end while we look */
		int pid;

		if (id_take(&p, INT_MAX, &pid) && !*p && pid != getpid() &&
		    (!user || process_has_uid(pid, uid)))
			(void)add_process(target, pid, &ignored);
	}
	(void)closedir(dir);
	if (!target->pid.count)
		return err_set(err, -ESRCH, "user %s: no processes", user ? user : "*");
	return 0;
}

static int add_cgroups(struct perf_target *target, const char *names, struct err *err)
{
	char mount[4096], name[2048], path[8192];
	int code = cgroup_mount("", mount, sizeof(mount), err);

	for (const char *p = names; !code; p++) {
		size_t len = strcspn(p, ",");
		int fd;

		if (len == 0 || len >= sizeof(name))
			return err_set(err, -EINVAL,
				       "invalid value '%s': expected a list of cgroups", names);
		memcpy(name, p, len);
		name[len] = '\0';
		(void)snprintf(path, sizeof(path), "%s/%s", mount, name);
		fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (fd < 0 && *name == '/') /* its folder, as other tools name it */
			fd = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (fd < 0)
			return err_errno(err, "cgroup %s", path);
		vec_push(&target->cgroup_fd, fd);
		p += len;
		if (!*p)
			break;
	}
	return code;
}

/* Listed twice would be sampled twice. */
static void drop_repeated(struct perf_target *target)
{
	size_t kept = 0;

	if (!target->pid.count)
		return; /* the list was refused */
	qsort(target->pid.item, target->pid.count, sizeof(pid_t), compare_int);
	for (size_t i = 0; i < target->pid.count; i++)
		if (!kept || target->pid.item[kept - 1] != target->pid.item[i])
			target->pid.item[kept++] = target->pid.item[i];
	target->pid.count = kept;
}

int perf_target_open(struct perf_target *target, const struct source_options *options,
		     struct err *err)
{
	bool tasks = options->pids || options->tids || options->user || options->all_threads;
	bool everybody = options->system_wide || (options->cpus && !tasks);
	int code = 0;

	if (everybody) {
		vec_push(&target->pid, -1);
	} else if (tasks) {
		target->attach = true;
		if (options->pids)
			code = add_list(target, options->pids, false, err);
		if (!code && options->tids)
			code = add_list(target, options->tids, true, err);
		if (!code && options->descendants) {
			add_descendants(target, options->pids, false);
			add_descendants(target, options->tids, true);
		}
		if (!code && (options->user || options->all_threads))
			code = add_user(target, options->user, err);
		drop_repeated(target);
	} else {
		vec_push(&target->pid, options->program);
	}
	if (!code && options->per_thread && !everybody)
		vec_push(&target->cpu, -1);
	else if (!code)
		code = add_cpus(target, options->cpus, err);
	if (!code && options->cgroups)
		code = add_cgroups(target, options->cgroups, err);
	return code;
}

void perf_target_done(struct perf_target *target)
{
	for (size_t i = 0; i < target->cgroup_fd.count; i++)
		(void)close(target->cgroup_fd.item[i]); /* only held open, never written */
	vec_done(&target->cgroup_fd);
	vec_done(&target->pid);
	vec_done(&target->cpu);
	vec_done(&target->sampled);
}

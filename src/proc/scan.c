/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Existing processes as events (see scan.h). Reads stat and maps once per process and comm once
 * per further thread, so that ten thousand threads are affordable. Format:
 * Documentation/filesystems/proc.rst. */
#include "proc/scan.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/map.h"
#include "base/vec.h"
#include "proc/build_id.h"
#include "proc/mapped_file.h"
#include "proc/maps_line.h"

#define MAPS_LIMIT	   ((size_t)256 << 20)
#define COMM_MAX	   64		/* kernel threads have names longer than TASK_COMM_LEN */
#define TASK_KERNEL_THREAD 0x00200000UL /* PF_KTHREAD */
#define NAMESPACES	   7

struct scan {
	const struct scan_options *options;
	const char *root;
	struct sink *sink;
	struct err *err;
	struct buf text;  /* maps of the process at hand */
	struct map files; /* hash of (device, inode) → index in ids + 1 */
	VEC(struct build_id) ids;
};

/* Fields of a process's stat. */
struct process_stat {
	char comm[COMM_MAX];
	uint32_t ppid;
	bool kernel, one_thread, ended;
};

static void scan_start(struct scan *scan, const struct scan_options *options, struct sink *sink,
		       struct err *err)
{
	*scan = (struct scan){ .options = options,
			       .root = options->root ? options->root : "",
			       .sink = sink,
			       .err = err,
			       .text = { .limit = MAPS_LIMIT } };
}

static void scan_done(struct scan *scan)
{
	buf_done(&scan->text);
	map_done(&scan->files);
	vec_done(&scan->ids);
}

static int emit(struct scan *scan, const struct event *event)
{
	return scan->sink->event(scan->sink, event, scan->err);
}

static struct event task_event(enum event_type type, uint32_t pid, uint32_t tid)
{
	return (struct event){ .type = type, .pid = pid, .tid = tid, .cpu = UINT32_MAX };
}

/* A small file below a folder, NUL-terminated. Returns its length, -1 when it is gone. */
static ssize_t read_small(int folder, const char *name, char *ret, size_t size)
{
	AUTO_CLOSE int fd = openat(folder, name, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, ret, size - 1);

	if (n >= 0)
		ret[n] = '\0';
	return n;
}

/* "7 (a) b) S 1 7 7 0 -1 4194304 …": the name may hold anything, so count from the last ')'. */
static bool parse_stat(const char *text, struct process_stat *ret)
{
	const char *name = strchr(text, '('), *end = strrchr(text, ')');
	unsigned long flags;
	unsigned ppid;
	long threads = 0;
	char state;

	if (!name || !end || end - name > COMM_MAX ||
	    sscanf(end + 1,
		   " %c %u %*d %*d %*d %*d %lu %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %ld", &state,
		   &ppid, &flags, &threads) < 3)
		return false;
	(void)snprintf(ret->comm, sizeof(ret->comm), "%.*s", (int)(end - name - 1), name + 1);
	ret->ppid = ppid;
	ret->kernel = flags & TASK_KERNEL_THREAD;
	ret->one_thread = threads == 1;
	ret->ended = state == 'Z';
	return true;
}

static bool number_name(const char *name, uint32_t *ret)
{
	unsigned long value;
	char *end;

	if (!isdigit((unsigned char)*name))
		return false;
	errno = 0;
	value = strtoul(name, &end, 10);
	if (*end || errno || value == 0 || value > INT32_MAX)
		return false;
	*ret = (uint32_t)value;
	return true;
}

static struct build_id mapped_build_id(struct scan *scan, int process, const struct event_mmap *map)
{
	const uint64_t file[2] = { (uint64_t)map->maj << 32 | map->min, map->ino };
	struct build_id id = { 0 };
	uint64_t *place;
	bool added;

	if (!map->ino || map->path[0] != '/' || !(map->prot & PROT_EXEC))
		return id;
	place = map_add(&scan->files, hash_bytes(file, sizeof(file)), &added);
	if (added) {
		AUTO_CLOSE int fd = mapped_file_open(process, map);

		if (fd >= 0 && !build_id_read_fd(fd, &id))
			id = (struct build_id){ 0 };
		vec_push(&scan->ids, id);
		*place = scan->ids.count;
	}
	return scan->ids.item[*place - 1];
}

static int emit_map(struct scan *scan, int process, uint32_t pid, struct event_mmap *map)
{
	struct event event = task_event(EVENT_MMAP, pid, pid);

	if (!(map->prot & PROT_EXEC) && (!scan->options->data_maps || !map->prot))
		return 0;
	if (!map->path[0] || strncmp(map->path, "/anon_hugepage", 14) == 0)
		map->path = "//anon"; /* the kernel's name in its own records */
	event.misc = PERF_RECORD_MISC_USER;
	event.mmap = *map;
	if (scan->options->build_ids)
		event.mmap.build_id = mapped_build_id(scan, process, map);
	return emit(scan, &event);
}

static int scan_maps(struct scan *scan, int process, uint32_t pid)
{
	AUTO_CLOSE int fd = openat(process, "maps", O_RDONLY | O_CLOEXEC);
	char chunk[16384];
	ssize_t n = 0;

	buf_clear(&scan->text);
	while (fd >= 0 && (n = read(fd, chunk, sizeof(chunk))) > 0)
		if (buf_append(&scan->text, chunk, (size_t)n))
			return err_set(scan->err, -E2BIG, "/proc/%u/maps: too large", pid);
	for (char *line = scan->text.data, *end; line && *line; line = end) {
		struct event_mmap map;

		end = strchrnul(line, '\n');
		if (*end)
			*end++ = '\0';
		if (!scan->options->data_maps && !maps_line_executable(line))
			continue;
		if (maps_line_parse(line, &map) && emit_map(scan, process, pid, &map))
			return scan->err->code;
	}
	return 0;
}

/* In the kernel's order of enum { NET, UTS, IPC, PID, USER, MNT, CGROUP }. */
static int emit_namespaces(struct scan *scan, int process, uint32_t pid)
{
	static const char *const names[NAMESPACES] = { "ns/net",  "ns/uts", "ns/ipc",	"ns/pid",
						       "ns/user", "ns/mnt", "ns/cgroup" };
	struct perf_ns_link_info info[NAMESPACES] = { 0 };
	struct event event = task_event(EVENT_NAMESPACES, pid, pid);

	for (size_t i = 0; i < NAMESPACES; i++) {
		struct stat st;

		if (fstatat(process, names[i], &st, 0) == 0) {
			info[i].dev = st.st_dev;
			info[i].ino = st.st_ino;
		}
	}
	event.namespaces.count = NAMESPACES;
	event.namespaces.item = info;
	return emit(scan, &event);
}

/* FORK (marked as synthetic, so that readers do not copy the parent's mappings) and COMM. */
static int emit_thread(struct scan *scan, uint32_t pid, uint32_t tid, uint32_t parent,
		       const char *comm)
{
	struct event event = task_event(EVENT_FORK, pid, tid);

	event.misc = PERF_RECORD_MISC_FORK_EXEC;
	event.task.ppid = event.task.ptid = parent;
	if (emit(scan, &event))
		return scan->err->code;
	event = task_event(EVENT_COMM, pid, tid);
	event.comm.name = comm;
	return emit(scan, &event);
}

static int scan_threads(struct scan *scan, int process, uint32_t pid)
{
	AUTO_CLOSE int fd = openat(process, "task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	int r = 0;

	if (!dir)
		return 0;   /* ended meanwhile */
	(void)take_fd(&fd); /* dir owns it */
	for (struct dirent *entry; r == 0 && (entry = readdir(dir));) {
		char name[NAME_MAX + 8], comm[COMM_MAX];
		uint32_t tid;
		ssize_t n;

		if (!number_name(entry->d_name, &tid) || tid == pid)
			continue;
		(void)snprintf(name, sizeof(name), "%s/comm", entry->d_name); /* ≤ NAME_MAX */
		n = read_small(dirfd(dir), name, comm, sizeof(comm));
		if (n < 1)
			continue;   /* ended meanwhile */
		comm[n - 1] = '\0'; /* the newline */
		r = emit_thread(scan, pid, tid, pid, comm);
	}
	(void)closedir(dir); /* only read */
	return r;
}

static int open_task(const struct scan *scan, uint32_t id)
{
	char path[PATH_MAX];

	if (snprintf(path, sizeof(path), "%s/proc/%u", scan->root, id) >= (int)sizeof(path))
		return -1;
	return open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

/* A thread that has the memory which its process no longer shows, as its main thread has ended.
 * -1: none. */
static int open_living_thread(const struct scan *scan, int process, uint32_t pid)
{
	AUTO_CLOSE int fd = openat(process, "task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	int found = -1;

	if (!dir)
		return -1;
	(void)take_fd(&fd); /* dir owns it */
	for (struct dirent *entry; found < 0 && (entry = readdir(dir));) {
		char first;
		uint32_t tid;

		if (!number_name(entry->d_name, &tid) || tid == pid)
			continue;
		AUTO_CLOSE int thread = open_task(scan, tid);
		AUTO_CLOSE int maps = thread < 0 ? -1
						 : openat(thread, "maps", O_RDONLY | O_CLOEXEC);

		if (maps >= 0 && read(maps, &first, 1) == 1)
			found = take_fd(&thread);
	}
	(void)closedir(dir); /* only read */
	return found;
}

static int scan_memory(struct scan *scan, int process, uint32_t pid,
		       const struct process_stat *stat)
{
	AUTO_CLOSE int thread = -1;
	int r = 0;

	if (stat->ended && !stat->one_thread)
		thread = open_living_thread(scan, process, pid);
	if (thread >= 0)
		process = thread;
	if (scan->options->namespaces)
		r = emit_namespaces(scan, process, pid);
	return r || stat->kernel ? r : scan_maps(scan, process, pid);
}

static int scan_one(struct scan *scan, uint32_t pid, bool *ret_found)
{
	AUTO_CLOSE int process = open_task(scan, pid);
	struct process_stat stat;
	char text[1024];
	int r;

	*ret_found = false;
	if (process < 0 || read_small(process, "stat", text, sizeof(text)) < 0 ||
	    !parse_stat(text, &stat))
		return 0;
	*ret_found = true;
	r = emit_thread(scan, pid, pid, stat.ppid, stat.comm);
	if (r == 0)
		r = scan_memory(scan, process, pid, &stat);
	return r || stat.one_thread ? r : scan_threads(scan, process, pid);
}

/* The process of a thread; the id itself if unknown. */
static uint32_t process_of(const struct scan *scan, uint32_t tid)
{
	char path[PATH_MAX], text[1024];
	const char *line;

	if (snprintf(path, sizeof(path), "%s/proc/%u/status", scan->root, tid) >=
		    (int)sizeof(path) ||
	    read_small(AT_FDCWD, path, text, sizeof(text)) < 0)
		return tid;
	line = strstr(text, "\nTgid:");
	return line ? (uint32_t)strtoul(line + 6, NULL, 10) : tid;
}

int scan_process(pid_t pid, const struct scan_options *options, struct sink *sink, struct err *err)
{
	struct scan scan;
	bool found;
	int r;

	scan_start(&scan, options, sink, err);
	r = scan_one(&scan, process_of(&scan, (uint32_t)pid), &found);
	if (r == 0 && !found)
		r = err_set(err, -ESRCH, "process %d: no such process", (int)pid);
	scan_done(&scan);
	return r;
}

int scan_all(const struct scan_options *options, struct sink *sink, struct err *err)
{
	struct scan scan;
	char path[PATH_MAX];
	DIR *dir;
	int r = 0;

	scan_start(&scan, options, sink, err);
	if (snprintf(path, sizeof(path), "%s/proc", scan.root) >= (int)sizeof(path))
		return err_set(err, -ENAMETOOLONG, "%s/proc: name too long", scan.root);
	dir = opendir(path);
	if (!dir)
		return err_errno(err, "%s", path);
	for (struct dirent *entry; r == 0 && (entry = readdir(dir));) {
		uint32_t pid;
		bool found;

		if (number_name(entry->d_name, &pid))
			r = scan_one(&scan, pid, &found);
	}
	(void)closedir(dir); /* only read */
	scan_done(&scan);
	return r;
}

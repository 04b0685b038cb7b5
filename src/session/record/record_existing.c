/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Telling what already runs (see record_existing.h). */
#include "session/record/record_existing.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/fd.h"
#include "event/event.h"
#include "proc/scan.h"
#include "session/record/recording_options.h"
#include "source/bpf/bpf_existing.h"
#include "source/cgroup.h"
#include "source/descendants.h"
#include "source/id_list.h"

#define COMM_MAX	 15 /* TASK_COMM_LEN without the NUL */
#define CGROUP_DEPTH_MAX 64

/* The program's name from before its exec, as the kernel will call it. */
static int emit_program(const struct recording_options *options, const char *program,
			struct sink *sink, struct err *err)
{
	const char *slash = strrchr(program, '/');
	char comm[COMM_MAX + 1];
	struct event event = {
		.type = EVENT_COMM,
		.pid = (uint32_t)options->source.program,
		.tid = (uint32_t)options->source.program,
		.cpu = UINT32_MAX,
		.comm = { .name = comm },
	};

	(void)snprintf(comm, sizeof(comm), "%s", slash ? slash + 1 : program);
	return sink->event(sink, &event, err);
}

static pid_t process_of(pid_t tid)
{
	struct buf text = { .limit = 1 << 16 };
	struct err ignored; /* it has ended */
	char path[64];
	const char *line = NULL;
	pid_t pid = tid;

	(void)snprintf(path, sizeof(path), "/proc/%d/status", (int)tid);
	if (!fd_read_file(path, &text, &ignored) && text.data)
		line = strstr(text.data, "\nTgid:");
	if (line) {
		line += strlen("\nTgid:\t");
		(void)id_take(&line, INT_MAX, &pid);
	}
	buf_done(&text);
	return pid;
}

static struct scan_options scan_for(const struct recording_options *options)
{
	return (struct scan_options){
		.data_maps = options->source.data || options->source.faults ||
			     options->source.phys_data ||
			     options->source.call_graph.mode == RECORDING_CALL_GRAPH_DWARF,
		.build_ids = !options->no_build_id,
	};
}

/* Each process of the list once, with its descendants or without. */
static int emit_processes(const char *list, const struct recording_options *options,
			  struct sink *sink, struct err *err)
{
	const struct scan_options scan = scan_for(options);
	struct id_list ids = { 0 }, below = { 0 };
	int code = id_list_parse(list, "process", &ids, err);

	if (!code && options->source.descendants)
		descendants_add(&ids, list == options->source.tids, &below);
	for (size_t i = 0; i < below.count; i++)
		vec_push(&ids, below.item[i]);
	vec_done(&below);
	for (size_t i = 0; !code && i < ids.count; i++) {
		pid_t pid = process_of(ids.item[i]);
		bool known = false;

		for (size_t k = 0; k < i; k++)
			known |= ids.item[k] == pid;
		ids.item[i] = pid;
		if (!known)
			code = scan_process(pid, &scan, sink, err);
		if (code == -ESRCH)
			code = 0; /* ended since; what it did is in the rings */
	}
	vec_done(&ids);
	return code;
}

/* A cgroup's id is the inode number of its folder, or the result of name_to_handle_at(); on cgroup
 * 2 they are equal. */
static int emit_cgroups(char *path, size_t mount_len, size_t size, struct sink *sink,
			struct err *err)
{
	struct event event = {
		.type = EVENT_CGROUP, .pid = UINT32_MAX, .tid = UINT32_MAX, .cpu = UINT32_MAX
	};
	size_t len = strlen(path);
	struct stat st;
	int code;
	DIR *dir = opendir(path);

	if (!dir || stat(path, &st)) {
		if (dir)
			(void)closedir(dir);
		return 0; /* removed meanwhile, or not ours to see */
	}
	event.cgroup.id = st.st_ino;
	event.cgroup.path = path[mount_len] ? path + mount_len : "/";
	code = sink->event(sink, &event, err);
	for (struct dirent *entry; !code && (entry = readdir(dir));) {
		if (entry->d_type != DT_DIR || entry->d_name[0] == '.' ||
		    len + strlen(entry->d_name) + 2 > size)
			continue;
		(void)snprintf(path + len, size - len, "/%s", entry->d_name);
		code = emit_cgroups(path, mount_len, size, sink, err);
		path[len] = '\0';
	}
	(void)closedir(dir);
	return code;
}

static unsigned wanted(const struct recording_options *options)
{
	return options->synth.given ? options->synth.mask : RECORDING_SYNTH_ALL;
}

/* What does not depend on the target. */
static int emit_system(const struct recording_options *options, struct sink *sink, struct err *err)
{
	struct scan_options scan = scan_for(options);
	char path[4096];
	int code = scan_kernel(&scan, sink, err);

	if (!code)
		code = bpf_existing_emit(sink, err);
	if (code || !options->source.all_cgroups || !(wanted(options) & RECORDING_SYNTH_CGROUP))
		return code;
	code = cgroup_mount("", path, sizeof(path), err);
	if (!code)
		code = emit_cgroups(path, strlen(path), sizeof(path), sink, err);
	return code;
}

int record_existing_start(const struct recording_options *options, const char *program,
			  struct sink *sink, struct err *err)
{
	struct scan_options scan = scan_for(options);
	int code = emit_system(options, sink, err);

	if (!code && program)
		code = emit_program(options, program, sink, err);
	if (code || !(wanted(options) & RECORDING_SYNTH_TASK))
		return code;
	if (options->source.system_wide || options->source.user ||
	    (options->source.cpus && !options->source.pids && !options->source.tids))
		return scan_all(&scan, sink, err);
	code = emit_processes(options->source.pids, options, sink, err);
	return code ? code : emit_processes(options->source.tids, options, sink, err);
}

bool record_existing_wants_tasks(const struct recording_options *options)
{
	return wanted(options) & RECORDING_SYNTH_TASK;
}

int record_existing_later(const struct recording_options *options, struct sink *sink,
			  struct sink *tasks, struct err *err)
{
	struct scan_options scan = scan_for(options);
	int code = emit_system(options, sink, err);

	if (code || !record_existing_wants_tasks(options))
		return code;
	return scan_all(&scan, tasks, err);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fills the filter of threads (see thread_filter.h). */
#include "source/bpf/thread_filter.h"

#include <errno.h>
#include <sys/stat.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/err.h"
#include "source/bpf/bpf_error.h"
#include "source/bpf/bpf_load.h"
#include "source/id_list.h"
#include "source/perf_event/perf_event.h"

#define FIRST_PID_NAMESPACE 0xeffffffcu /* PROC_PID_INIT_INO */

/* The next program of the skeleton that follows processes. NULL: there is none. */
static const struct bpf_prog_skeleton *next_follower(const struct bpf_object_skeleton *skeleton,
						     int *at)
{
	static const char *const names[] = { "on_exec", "on_fork", "on_free" };

	while (*at < skeleton->prog_cnt) {
		const struct bpf_prog_skeleton *program = bpf_skeleton_program(skeleton, (*at)++);

		for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
			if (strcmp(program->name, names[i]) == 0)
				return program;
	}
	return NULL;
}

void thread_filter_prepare(const struct bpf_object_skeleton *skeleton, bool follows)
{
	const struct bpf_prog_skeleton *program;

	for (int at = 0; (program = next_follower(skeleton, &at));)
		(void)bpf_program__set_autoload(*program->prog, follows); /* not loaded yet */
}

int thread_filter_follow(const struct bpf_object_skeleton *skeleton, struct err *err)
{
	const struct bpf_prog_skeleton *program;

	for (int at = 0; (program = next_follower(skeleton, &at));) {
		if (!bpf_program__autoload(*program->prog))
			continue;
		*program->link = bpf_program__attach(*program->prog);
		if (!*program->link)
			return bpf_fail(err, -errno, "following the program");
	}
	return 0;
}

int thread_filter_check(struct err *err)
{
	struct stat st;

	if (stat("/proc/self/ns/pid", &st) || st.st_ino == FIRST_PID_NAMESPACE)
		return 0;
	(void)err_set(err, -EXDEV, "in a PID namespace");
	return err_hint(err, "programs of BPF know processes by other numbers there: run cupel "
			     "outside of it (docker: --pid=host)");
}

int thread_filter_fill(const struct bpf_map *targets, const struct source_options *options,
		       struct err *err)
{
	const uint8_t yes = 1;
	struct id_list ids = { 0 };
	int code = id_list_parse(options->pids, "process", &ids, err);

	if (!code)
		code = id_list_parse(options->tids, "thread", &ids, err);
	if (!code && (ids.count || options->program))
		code = thread_filter_check(err);
	for (size_t i = 0; !code && i < ids.count; i++) {
		const uint32_t id = (uint32_t)ids.item[i];

		if (bpf_map__update_elem(targets, &id, sizeof(id), &yes, sizeof(yes), BPF_ANY))
			code = bpf_fail(err, -errno, "filling the thread filter");
	}
	vec_done(&ids);
	return code;
}

int thread_filter_put(const struct bpf_map *targets, const struct perf_target *target,
		      struct err *err)
{
	const uint8_t yes = 1;

	for (size_t i = 0; i < target->pid.count; i++) {
		const uint32_t tid = (uint32_t)target->pid.item[i];

		if (bpf_map__update_elem(targets, &tid, sizeof(tid), &yes, sizeof(yes), BPF_ANY))
			return bpf_fail(err, -errno, "filling the thread filter");
	}
	return 0;
}

int thread_filter_pid(const struct source_options *options)
{
	struct err ignored = { 0 };
	struct id_list ids = { 0 };
	int pid = 0;

	if (options->pids && !id_list_parse(options->pids, "process", &ids, &ignored) &&
	    ids.count == 1)
		pid = ids.item[0];
	vec_done(&ids);
	return pid;
}

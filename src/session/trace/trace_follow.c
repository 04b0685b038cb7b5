/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What calls do to file descriptors (see trace_follow.h). */
#include "session/trace/trace_follow.h"

#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

#include "session/trace/trace_call.h"
#include "session/trace/trace_files.h"

/* What a call makes that has no path. */
static const char *kind_of(const char *name)
{
	static const struct {
		const char *call, *kind;
	} kinds[] = {
		{ "pipe", "pipe" },
		{ "socket", "socket" },
		{ "accept", "socket" },
		{ "epoll_create", "anon_inode:[eventpoll]" },
		{ "eventfd", "anon_inode:[eventfd]" },
		{ "timerfd_create", "anon_inode:[timerfd]" },
		{ "inotify_init", "anon_inode:inotify" },
		{ "io_uring_setup", "anon_inode:[io_uring]" },
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (strncmp(name, kinds[i].call, strlen(kinds[i].call)) == 0)
			return kinds[i].kind;
	return NULL;
}

static void name_pair(struct trace_files *files, const struct trace_call *call,
		      const struct trace_argument *pair)
{
	int fd[2];

	if (pair->len != sizeof(fd))
		return;
	memcpy(fd, pair->data, sizeof(fd));
	trace_files_make(files, call->line->tgid, fd[0], kind_of(call->name));
	trace_files_make(files, call->line->tgid, fd[1], kind_of(call->name));
}

/* Of a process, in its parent. */
static bool is_fork(const char *name, const struct syscall_line *line)
{
	uint64_t flags = 0;

	if (line->result <= 0)
		return false;
	if (strcmp(name, "clone") == 0)
		flags = line->arg[0];
	else if (strcmp(name, "clone3") == 0 && line->copied[0] != SYSCALL_COPY_NONE &&
		 line->copied[0] >= sizeof(flags))
		memcpy(&flags, line + 1, sizeof(flags));
	else if (strcmp(name, "fork") != 0 && strcmp(name, "vfork") != 0)
		return false;
	return !(flags & CLONE_THREAD);
}

static void begin_program(struct trace_files *files, uint32_t pid, bool *launched)
{
	/* Others may be closed by that. */
	trace_files_forget(files, pid, *launched ? 0 : STDERR_FILENO + 1);
	if (*launched)
		trace_files_start(files, pid);
	*launched = false;
}

void trace_follow(struct trace_files *files, const struct trace_call *call, bool *launched)
{
	const struct syscall_line *line = call->line;
	const struct trace_argument *pair;
	const char *name = call->name;

	if (!call->row || trace_call_failed(line))
		return;
	pair = trace_call_find(call, ARG_FD_PAIR);
	if (strncmp(name, "exec", 4) == 0)
		begin_program(files, line->tgid, launched);
	else if (strcmp(name, "exit_group") == 0)
		trace_files_forget(files, line->tgid, 0);
	else if (strcmp(name, "close_range") == 0)
		trace_files_forget(files, line->tgid, (unsigned)line->arg[0]);
	else if (pair)
		name_pair(files, call, pair);
	else if (is_fork(name, line))
		trace_files_fork(files, line->tgid, (uint32_t)line->result);
	else if (strncmp(name, "dup", 3) == 0 ||
		 (strcmp(name, "fcntl") == 0 &&
		  (line->arg[1] == F_DUPFD || line->arg[1] == F_DUPFD_CLOEXEC)))
		trace_files_copy(files, line->tgid, (int)line->arg[0], (int)line->result);
	else if (call->row->result == ARG_FD && kind_of(name))
		trace_files_make(files, line->tgid, (int)line->result, kind_of(name));
	else if (call->row->result == ARG_FD)
		trace_files_open(files, line->tgid, (int)line->result, trace_call_path(call));
}

void trace_follow_close(struct trace_files *files, const struct trace_call *call)
{
	if (call->row && strcmp(call->name, "close") == 0)
		trace_files_close(files, call->line->tgid, (int)call->line->arg[0]);
}

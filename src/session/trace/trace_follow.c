/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What calls do to file descriptors (see trace_follow.h). */
#include "session/trace/trace_follow.h"

#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

#include "session/trace/trace_call.h"
#include "session/trace/trace_files.h"
#include "source/syscall/syscall_choice.h"
#include "source/syscall/syscall_table.h"

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

static bool begins_with_one_of(const char *name, const char *const *prefix, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strncmp(name, prefix[i], strlen(prefix[i])) == 0)
			return true;
	return false;
}

static bool has_kind(const struct syscall_signature *row, enum syscall_arg kind)
{
	for (size_t i = 0; i < SYSCALL_ARGS; i++)
		if ((row->arg[i] & ~ARG_WRITTEN) == kind)
			return true;
	return false;
}

/* Those that trace_follow() and trace_follow_close() are interested in. */
static bool is_followed(const char *name, const struct syscall_signature *row)
{
	static const char *const names[] = { "exec",  "exit_group", "close", "dup",
					     "fcntl", "clone",	    "fork",  "vfork" };

	return begins_with_one_of(name, names, sizeof(names) / sizeof(*names)) ||
	       row->result == ARG_FD || has_kind(row, ARG_FD_PAIR);
}

static bool names_files(const struct syscall_signature *row)
{
	return has_kind(row, ARG_FD) || has_kind(row, ARG_DIRFD) || has_kind(row, ARG_POLLFDS);
}

/* Of a number that has a name and a row; false: it has not. */
static bool find_call(size_t abi, size_t number, const char **name,
		      const struct syscall_signature **row)
{
	uint32_t call = (uint32_t)number | (abi == SYSCALL_COMPAT ? SYSCALL_COMPAT_BIT : 0);

	*name = syscall_name(call);
	*row = syscall_signature_of(call);
	return *name && *row;
}

void trace_follow_choose(struct syscall_choice *choice)
{
	const struct syscall_signature *row;
	bool files = false;
	const char *name;

	for (size_t abi = 0; abi < SYSCALL_ABIS; abi++)
		for (size_t i = 0; i < SYSCALL_NUMBERS; i++)
			if (choice->wanted[abi][i] && find_call(abi, i, &name, &row))
				files |= names_files(row);
	for (size_t abi = 0; files && abi < SYSCALL_ABIS; abi++)
		for (size_t i = 0; i < SYSCALL_NUMBERS; i++)
			choice->followed[abi][i] = find_call(abi, i, &name, &row) &&
						   is_followed(name, row);
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

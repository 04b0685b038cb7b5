/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Traced calls and their arguments (see trace_call.h). */
#include "session/trace/trace_call.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>

static enum syscall_arg option_kind(int level)
{
	switch (level) {
	case SOL_SOCKET:
		return ARG_SOL_SOCKET;
	case IPPROTO_TCP:
		return ARG_TCP_OPTION;
	case IPPROTO_IP:
		return ARG_IP_OPTION;
	default:
		return ARG_INT;
	}
}

static enum syscall_arg fcntl_kind(int command)
{
	switch (command) {
	case F_SETLK:
	case F_SETLKW:
	case F_OFD_SETLK:
	case F_OFD_SETLKW:
		return ARG_FLOCK;
	case F_SETFD:
		return ARG_FD_CLOEXEC;
	case F_SETFL:
		return ARG_OPEN;
	case F_DUPFD:
	case F_DUPFD_CLOEXEC:
	case F_SETOWN:
	case F_SETPIPE_SZ:
		return ARG_INT;
	default:
		return ARG_HEX;
	}
}

static enum syscall_arg ioctl_kind(unsigned request)
{
	switch (request) {
	case FIONREAD:
	case TIOCGPGRP:
	case TIOCGPTN:
	case TIOCOUTQ:
		return ARG_INT_OUT;
	case TIOCGWINSZ:
		return ARG_WINSIZE;
	default:
		return ARG_HEX;
	}
}

/* What an argument is, if those before decide that. */
static enum syscall_arg kind_of(enum syscall_arg kind, const struct trace_argument *argument)
{
	const uint64_t *arg = argument->line->arg;
	uint64_t last = argument->nr ? arg[argument->nr - 1] : 0;

	switch (kind) {
	case ARG_PRCTL_NAME:
		return last == PR_SET_NAME ? ARG_PRCTL_NAME : ARG_HEX;
	case ARG_SOCKET_OPTION:
		return option_kind((int)last);
	case ARG_FCNTL_VALUE:
		kind = fcntl_kind((int)last);
		/* 32-bit programs have two forms of it. */
		return kind == ARG_FLOCK && argument->line->call & SYSCALL_COMPAT_BIT ? ARG_HEX
										      : kind;
	case ARG_WIDE:
		return ARG_LONG;
	case ARG_IOCTL_VALUE:
		return ioctl_kind((unsigned)last);
	case ARG_PROTOCOL:
		return arg[0] == AF_INET || arg[0] == AF_INET6 ? ARG_INET_PROTOCOL : ARG_INT;
	default:
		return kind;
	}
}

/* How many arguments a call of that kind has, whatever is in the other registers. */
static size_t futex_count(uint64_t op)
{
	switch (op & FUTEX_CMD_MASK) {
	case FUTEX_UNLOCK_PI:
	case FUTEX_TRYLOCK_PI:
		return 2;
	case FUTEX_WAKE:
		return 3;
	case FUTEX_WAIT:
	case FUTEX_LOCK_PI:
		return 4;
	default:
		return SYSCALL_ARGS;
	}
}

static size_t fcntl_count(uint64_t command)
{
	bool alone = command == F_GETFD || command == F_GETFL || command == F_GETOWN ||
		     command == F_GETPIPE_SZ || command == F_GET_SEALS;

	return alone ? 2 : 3;
}

static size_t prctl_count(uint64_t option)
{
	switch (option) {
	case PR_GET_DUMPABLE:
	case PR_GET_KEEPCAPS:
	case PR_GET_TIMERSLACK:
	case PR_GET_SECCOMP:
		return 1;
	case PR_SET_NAME:
	case PR_GET_NAME:
	case PR_SET_DUMPABLE:
	case PR_SET_PDEATHSIG:
	case PR_SET_TIMERSLACK:
	case PR_CAPBSET_READ:
		return 2;
	default:
		return SYSCALL_ARGS;
	}
}

/* Arguments that other arguments make meaningless: the mode of a file that is not made. */
static bool is_left_out(const struct syscall_signature *row, const struct syscall_line *line,
			size_t nr)
{
	const uint64_t *arg = line->arg;
	uint16_t kind = nr ? row->arg[nr - 1] : ARG_END;

	if (kind == ARG_OPEN && row->arg[nr] == ARG_OCTAL)
		return !(arg[nr - 1] & (O_CREAT | (O_TMPFILE & ~O_DIRECTORY)));
	if (row->arg[1] == ARG_FUTEX)
		return nr >= futex_count(arg[1]);
	if (row->arg[1] == ARG_FCNTL)
		return nr >= fcntl_count(arg[1]);
	if (row->arg[0] == ARG_PRCTL)
		return nr >= prctl_count(arg[0]);
	/* Only a call that may move memory has an address for it. */
	return kind == ARG_MREMAP && !(arg[nr - 1] & MREMAP_FIXED);
}

/* Registers of 32-bit programs have no sign, and half of wide numbers. */
static uint64_t value_of(const struct syscall_line *line, size_t nr, uint16_t kind)
{
	if (!(line->call & SYSCALL_COMPAT_BIT))
		return line->arg[nr];
	if (kind == ARG_WIDE && nr + 1 < SYSCALL_ARGS)
		return line->arg[nr + 1] << 32 | line->arg[nr];
	return kind == ARG_LONG ? (uint64_t)(int32_t)line->arg[nr] : line->arg[nr];
}

static void read_arguments(struct trace_call *call, size_t count)
{
	const struct syscall_line *line = call->line;
	const uint8_t *data = (const uint8_t *)(line + 1);

	for (size_t i = 0; i < count; i++) {
		struct trace_argument *argument = &call->arg[call->count];

		if (call->row && call->row->arg[i] == ARG_WIDE_HIGH)
			continue;
		*argument = (struct trace_argument){
			.line = line,
			.nr = i,
			.value = value_of(line, i, call->row ? call->row->arg[i] : ARG_HEX),
		};
		if (line->copied[i] != SYSCALL_COPY_NONE) {
			argument->data = data;
			argument->len = line->copied[i];
			data += argument->len;
		}
		if (call->row && (call->row->arg[i] == ARG_END || is_left_out(call->row, line, i)))
			return;
		argument->written = call->row && call->row->arg[i] & ARG_WRITTEN;
		argument->kind =
			kind_of(call->row ? call->row->arg[i] & ~ARG_WRITTEN : ARG_HEX, argument);
		argument->written |= argument->kind == ARG_WINSIZE;
		if (call->name)
			argument->name_len =
				syscall_arg_name(call->name, call->count, &argument->name);
		call->count++;
	}
}

void trace_call_read(const struct syscall_line *line, struct trace_call *ret)
{
	const char *name = syscall_name(line->call);

	ret->line = line;
	ret->name = name;
	(void)syscall_label(line->call, ret->label);
	ret->row = syscall_signature_of(line->call);
	ret->count = 0;
	if (line->headless)
		return;
	read_arguments(ret, ret->row ? SYSCALL_ARGS : syscall_arg_count(line->call));
}

bool trace_call_failed(const struct syscall_line *line)
{
	return line->result < 0 && line->result >= -4095;
}

const struct trace_argument *trace_call_find(const struct trace_call *call, enum syscall_arg kind)
{
	for (size_t i = 0; i < call->count; i++)
		if (call->arg[i].kind == kind)
			return &call->arg[i];
	return NULL;
}

const char *trace_call_path(const struct trace_call *call)
{
	const struct trace_argument *path = trace_call_find(call, ARG_PATH);

	return path && path->len && !path->data[path->len - 1] ? (const char *)path->data : NULL;
}

bool trace_argument_text(const struct trace_argument *argument, size_t *len, bool *cut)
{
	enum syscall_arg kind = argument->kind;
	bool output = kind == ARG_STRING_OUT || kind == ARG_DATA_OUT;
	bool data = kind == ARG_DATA_IN || kind == ARG_DATA_OUT;

	if (!argument->data || (output && trace_call_failed(argument->line)))
		return false;
	if (!data && !output && kind != ARG_PATH && kind != ARG_STRING && kind != ARG_PRCTL_NAME)
		return false;
	*len = data || !argument->len ? argument->len : argument->len - 1;
	*cut = argument->len == SYSCALL_COPY_MAX;
	/* The result may be more than there was room for (MSG_TRUNC). */
	if (data && argument->nr + 1 < SYSCALL_ARGS && *len > argument->line->arg[argument->nr + 1])
		*len = (size_t)argument->line->arg[argument->nr + 1];
	return true;
}

bool trace_argument_is_signed(const struct trace_argument *argument)
{
	enum syscall_arg kind = argument->kind;

	return kind == ARG_INT || kind == ARG_LONG || kind == ARG_FD || kind == ARG_DIRFD ||
	       kind == ARG_SIGNAL;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Traced calls and their arguments (see trace_call.h). */
#include "session/trace/trace_call.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/socket.h>

/* What an argument is, if the one before decides that. */
static enum syscall_arg kind_of(enum syscall_arg kind, const struct trace_argument *argument)
{
	uint64_t last = argument->nr ? argument->line->arg[argument->nr - 1] : 0;

	if (kind == ARG_PRCTL_NAME && last != PR_SET_NAME && last != PR_GET_NAME)
		return ARG_HEX;
	if (kind == ARG_SOCKET_OPTION)
		return (int)last == SOL_SOCKET ? ARG_SOL_SOCKET : ARG_INT;
	return kind;
}

/* Arguments that other arguments make meaningless: the mode of a file that is not made. */
static bool is_left_out(const struct syscall_signature *row, const struct syscall_line *line,
			size_t nr)
{
	uint64_t before = nr ? line->arg[nr - 1] : 0;
	uint8_t kind = nr ? row->arg[nr - 1] : ARG_END;

	if (kind == ARG_OPEN && row->arg[nr] == ARG_OCTAL)
		return !(before & (O_CREAT | (O_TMPFILE & ~O_DIRECTORY)));
	return kind == ARG_FCNTL && (before == F_GETFD || before == F_GETFL || before == F_GETOWN ||
				     before == F_GETPIPE_SZ || before == F_GET_SEALS);
}

static void read_arguments(struct trace_call *call, size_t count)
{
	const struct syscall_line *line = call->line;
	const uint8_t *data = (const uint8_t *)(line + 1);

	for (size_t i = 0; i < count; i++) {
		struct trace_argument *argument = &call->arg[i];

		*argument = (struct trace_argument){ .line = line, .nr = i, .value = line->arg[i] };
		if (line->copied[i] != SYSCALL_COPY_NONE) {
			argument->data = data;
			argument->len = line->copied[i];
			data += argument->len;
		}
		if (call->row && (call->row->arg[i] == ARG_END || is_left_out(call->row, line, i)))
			return;
		argument->kind = kind_of(call->row ? (enum syscall_arg)call->row->arg[i] : ARG_HEX,
					 argument);
		if (call->name)
			argument->name_len = syscall_arg_name(call->name, i, &argument->name);
		call->count = i + 1;
	}
}

void trace_call_read(const struct syscall_line *line, struct trace_call *ret)
{
	bool native = !(line->call & (SYSCALL_COMPAT_BIT | SYSCALL_X32_BIT));
	const char *name = syscall_name(line->call);

	ret->line = line;
	ret->name = name;
	(void)syscall_label(line->call, ret->label);
	ret->row = native && name ? syscall_signature(name) : NULL;
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
	return true;
}

bool trace_argument_is_signed(const struct trace_argument *argument)
{
	enum syscall_arg kind = argument->kind;

	return kind == ARG_INT || kind == ARG_LONG || kind == ARG_FD || kind == ARG_DIRFD ||
	       kind == ARG_SIGNAL;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Arguments and results as text (see trace_argument.h). */
#include "session/trace/trace_argument.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>

#include "base/buf.h"
#include "session/trace/trace_call.h"
#include "session/trace/trace_files.h"
#include "session/trace/trace_struct.h"
#include "session/trace/trace_value.h"
#include "session/trace/trace_vector.h"

#define SHOWN_DATA 32 /* bytes, as in strace */

/* Without printf, which would take most of the time of a line. */
static void put_hex(uint64_t value, struct buf *out)
{
	char text[16];
	size_t at = sizeof(text);

	for (; value; value >>= 4)
		text[--at] = "0123456789abcdef"[value & 15];
	(void)buf_append(out, "0x", 2);
	(void)buf_append(out, text + at, sizeof(text) - at);
}

static void put_signed(int64_t value, struct buf *out)
{
	if (value < 0)
		(void)buf_putc(out, '-');
	(void)buf_put_u64(out, value < 0 ? -(uint64_t)value : (uint64_t)value);
}

static void put_address(uint64_t value, struct buf *out)
{
	if (value)
		put_hex(value, out);
	else
		(void)buf_puts(out, "NULL");
}

static void put_fd(struct trace_files *files, const struct syscall_line *line, int fd,
		   struct buf *out)
{
	put_signed(fd, out);
	if (fd >= 0 && line->result != -EBADF)
		trace_files_put(files, line->tgid, fd, out);
}

/* What the kernel writes: after a failure the memory is what it was before. */
static bool is_output(const struct trace_argument *from)
{
	enum syscall_arg arg = from->kind;

	return from->written || arg == ARG_STRING_OUT || arg == ARG_DATA_OUT || arg == ARG_STAT ||
	       arg == ARG_FD_PAIR || arg == ARG_EPOLL_EVENTS || arg == ARG_WAIT_STATUS ||
	       arg == ARG_SOCKADDR_OUT || arg == ARG_INT_OUT || arg == ARG_TIMESPEC_OUT ||
	       arg == ARG_TIMEVAL_OUT || arg == ARG_RLIMIT_OUT;
}

/* The kernel has written no more than the next argument says: another copy, behind this one. */
static size_t address_len(const struct trace_argument *from)
{
	uint32_t len = 0;

	if (from->line->copied[from->nr + 1] == sizeof(len))
		memcpy(&len, from->data + from->len, sizeof(len));
	return len < from->len ? len : from->len;
}

static bool put_copied(const struct trace_argument *from, struct buf *out)
{
	enum syscall_arg kind = from->kind;
	bool cut, data = kind == ARG_DATA_IN || kind == ARG_DATA_OUT;
	size_t len = from->len;

	if (trace_argument_text(from, &len, &cut)) {
		trace_put_string(from->data, len, data ? SHOWN_DATA : SYSCALL_COPY_MAX, cut, out);
		return true;
	}
	if (!from->data || (is_output(from) && trace_call_failed(from->line)))
		return false;
	/* No child was waited for: there is no status. */
	if (kind == ARG_WAIT_STATUS && from->line->result == 0)
		return false;
	if (kind == ARG_SOCKADDR_OUT)
		len = address_len(from);
	if (trace_put_vector(from, out))
		return true;
	if (kind == ARG_FD_SET) {
		trace_put_numbers(from->data, len, (size_t)from->line->arg[0], out);
		return true;
	}
	if (kind == ARG_CPU_SET && from->written)
		len = (size_t)from->line->result < len ? (size_t)from->line->result : len;
	return trace_put_struct(kind, from->data, len, out) ||
	       trace_put_fields(kind, from->data, len, out);
}

static void put_number(enum syscall_arg arg, uint64_t value, struct buf *out)
{
	switch (arg) {
	case ARG_INT:
		put_signed((int)value, out);
		break;
	case ARG_UINT:
		(void)buf_put_u64(out, (unsigned)value);
		break;
	case ARG_LONG:
		put_signed((int64_t)value, out);
		break;
	case ARG_SIZE:
		(void)buf_put_u64(out, value);
		break;
	case ARG_HEX:
		if (value)
			put_hex(value, out);
		else
			(void)buf_putc(out, '0');
		break;
	case ARG_OCTAL:
		(void)buf_printf(out, value & 07777777 ? "0%o" : "000", (unsigned)value & 07777777);
		break;
	case ARG_SIGNAL:
		trace_put_signal((int)value, out);
		break;
	default:
		put_address(value, out);
	}
}

static bool is_named(enum syscall_arg kind, uint64_t value)
{
	const struct syscall_flag_set *set = syscall_flags(kind);

	for (size_t i = 0; i < set->count; i++)
		if (set->flag[i].value == value)
			return true;
	return false;
}

/* The parts of an ioctl's number: direction, type, number, size. */
static void put_request(uint32_t request, struct buf *out)
{
	static const char *const directions[] = { "_IOC_NONE", "_IOC_WRITE", "_IOC_READ",
						  "_IOC_READ|_IOC_WRITE" };

	(void)buf_printf(out, "_IOC(%s, 0x%x, 0x%x, 0x%x)", directions[_IOC_DIR(request)],
			 _IOC_TYPE(request), _IOC_NR(request), _IOC_SIZE(request));
}

void trace_put_argument(struct trace_files *files, const struct trace_argument *argument,
			struct buf *out)
{
	enum syscall_arg kind = argument->kind;

	if (kind == ARG_DIRFD && (int)argument->value == AT_FDCWD)
		(void)buf_puts(out, "AT_FDCWD");
	else if (kind == ARG_FD || kind == ARG_DIRFD)
		put_fd(files, argument->line, (int)argument->value, out);
	else if (kind == ARG_IOCTL && !is_named(kind, (uint32_t)argument->value))
		put_request((uint32_t)argument->value, out);
	else if (kind >= ARG_FLAGS)
		trace_put_flags(syscall_flags(kind), (uint32_t)argument->value, out);
	else if (!put_copied(argument, out))
		put_number(kind, argument->value, out);
}

static void put_new_fd(struct trace_files *files, const struct trace_call *call, struct buf *out)
{
	const char *path = trace_call_path(call);

	files->begun_ns = files->returned_ns;
	if (!path) {
		put_fd(files, call->line, (int)call->line->result, out);
		return;
	}
	(void)buf_printf(out, "%d<", (int)call->line->result);
	trace_put_escaped((const uint8_t *)path, strlen(path), out);
	(void)buf_putc(out, '>');
}

/* As in strace. */
static const char *restart_text(int64_t error)
{
	switch (error) {
	case 512:
		return " (To be restarted if SA_RESTART is set)";
	case 513:
		return " (To be restarted)";
	case 514:
		return " (To be restarted if no handler)";
	case 516:
		return " (Interrupted by signal)";
	default:
		return "";
	}
}

/* Whether 0 means that nothing happened. */
static bool is_wait(const struct trace_call *call)
{
	return call->row && (trace_call_find(call, ARG_POLLFDS) || call->row->arg[1] == ARG_FD_SET);
}

void trace_put_result(struct trace_files *files, const struct trace_call *call, struct buf *out)
{
	const struct syscall_line *line = call->line;
	enum syscall_arg kind = call->row ? (enum syscall_arg)call->row->result : ARG_END;
	const char *error = trace_call_failed(line) ? syscall_error_name((uint32_t)-line->result)
						    : NULL;

	if (line->returns_never)
		(void)buf_putc(out, '?');
	else if (trace_call_failed(line) && -line->result >= 512)
		(void)buf_printf(out, "? %s%s", error ? error : "error",
				 restart_text(-line->result));
	else if (error)
		(void)buf_printf(out, "-1 %s (%s)", error, strerror((int)-line->result));
	else if (kind == ARG_FD)
		put_new_fd(files, call, out);
	else if (kind != ARG_END)
		put_number(kind, (uint64_t)line->result, out);
	else
		put_signed(line->result, out);
	if (!line->returns_never && !line->result && is_wait(call))
		(void)buf_puts(out, " (Timeout)");
}

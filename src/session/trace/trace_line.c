/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines of traced calls (see trace_line.h). */
#include "session/trace/trace_line.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/buf.h"
#include "session/trace/trace_value.h"
#include "source/id_list.h"
#include "source/syscall/syscall_args.h"
#include "source/syscall/syscall_table.h"

#define SHOWN_DATA 32 /* bytes, as in strace */

/* One argument of a call that is being written. */
struct argument {
	const struct syscall_line *line;
	size_t nr;
	uint64_t value;
	const uint8_t *data; /* NULL = nothing was copied */
	size_t len;
};

void trace_lines_init(struct trace_lines *lines, bool sees_all)
{
	*lines = (struct trace_lines){ 0 };
	trace_files_init(&lines->files, sees_all);
}

int trace_lines_meet(struct trace_lines *lines, const char *pids, struct err *err)
{
	struct id_list ids = { 0 };
	int code = id_list_parse(pids, "process", &ids, err);

	for (size_t i = 0; !code && i < ids.count; i++)
		trace_files_meet(&lines->files, (uint32_t)ids.item[i]);
	vec_done(&ids);
	return code;
}

void trace_lines_done(struct trace_lines *lines)
{
	trace_files_done(&lines->files);
}

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

/* Milliseconds with three digits behind the point, in at least `width` columns. */
static void put_ms(uint64_t ns, size_t width, struct buf *out)
{
	uint64_t us = (ns + 500) / 1000, fraction = us % 1000;
	const char digits[4] = { '.', (char)('0' + fraction / 100),
				 (char)('0' + fraction / 10 % 10), (char)('0' + fraction % 10) };
	size_t len = 5;

	for (uint64_t ms = us / 1000; ms >= 10; ms /= 10)
		len++;
	(void)buf_pad(out, ' ', width > len ? width - len : 0);
	(void)buf_put_u64(out, us / 1000);
	(void)buf_append(out, digits, sizeof(digits));
}

static void put_address(uint64_t value, struct buf *out)
{
	if (value)
		put_hex(value, out);
	else
		(void)buf_puts(out, "NULL");
}

static void put_fd(struct trace_lines *lines, const struct syscall_line *line, int fd, bool folder,
		   struct buf *out)
{
	if (folder && fd == AT_FDCWD) {
		(void)buf_puts(out, "AT_FDCWD");
		return;
	}
	put_signed(fd, out);
	if (fd >= 0 && line->result != -EBADF)
		trace_files_put(&lines->files, line->tgid, fd, out);
}

static bool is_failed(const struct syscall_line *line)
{
	return line->result < 0 && line->result >= -4095;
}

/* What the kernel writes: after a failure the memory is what it was before. */
static bool is_output(enum syscall_arg arg)
{
	return arg == ARG_STRING_OUT || arg == ARG_DATA_OUT || arg == ARG_STAT ||
	       arg == ARG_FD_PAIR || arg == ARG_EPOLL_EVENTS || arg == ARG_WAIT_STATUS ||
	       arg == ARG_SOCKADDR_OUT || arg == ARG_INT_OUT || arg == ARG_TIMESPEC_OUT ||
	       arg == ARG_TIMEVAL_OUT || arg == ARG_RLIMIT_OUT;
}

/* The kernel has written no more than the next argument says: another copy, behind this one. */
static size_t address_len(const struct argument *from)
{
	uint32_t len = 0;

	if (from->line->copied[from->nr + 1] == sizeof(len))
		memcpy(&len, from->data + from->len, sizeof(len));
	return len < from->len ? len : from->len;
}

static bool put_copied(enum syscall_arg arg, const struct argument *from, struct buf *out)
{
	bool text = arg == ARG_PATH || arg == ARG_STRING || arg == ARG_STRING_OUT ||
		    arg == ARG_PRCTL_NAME;
	size_t len = from->len;

	if (!from->data || (is_output(arg) && is_failed(from->line)))
		return false;
	if (text) {
		bool cut = len == SYSCALL_COPY_MAX;

		trace_put_string(from->data, len ? len - 1 : 0, SYSCALL_COPY_MAX, cut, out);
		return true;
	}
	if (arg == ARG_DATA_IN || arg == ARG_DATA_OUT) {
		trace_put_string(from->data, len, SHOWN_DATA, len == SYSCALL_COPY_MAX, out);
		return true;
	}
	/* No child was waited for: there is no status. */
	if (arg == ARG_WAIT_STATUS && from->line->result == 0)
		return false;
	if (arg == ARG_SOCKADDR_OUT)
		len = address_len(from);
	return trace_put_struct(arg, from->data, len, out);
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

/* What an argument is, if the one before decides that. */
static enum syscall_arg arg_by_last(enum syscall_arg arg, const struct argument *from)
{
	uint64_t last = from->nr ? from->line->arg[from->nr - 1] : 0;

	if (arg == ARG_PRCTL_NAME && last != PR_SET_NAME && last != PR_GET_NAME)
		return ARG_HEX;
	if (arg == ARG_SOCKET_OPTION)
		return (int)last == SOL_SOCKET ? ARG_SOL_SOCKET : ARG_INT;
	return arg;
}

static void put_argument(struct trace_lines *lines, enum syscall_arg arg,
			 const struct argument *from, struct buf *out)
{
	arg = arg_by_last(arg, from);
	if (arg == ARG_FD || arg == ARG_DIRFD)
		put_fd(lines, from->line, (int)from->value, arg == ARG_DIRFD, out);
	else if (arg >= ARG_FLAGS)
		trace_put_flags(syscall_flags(arg), (uint32_t)from->value, out);
	else if (!put_copied(arg, from, out))
		put_number(arg, from->value, out);
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

static void put_arguments(struct trace_lines *lines, const struct syscall_signature *row,
			  const struct syscall_line *line, struct buf *out)
{
	size_t count = row ? SYSCALL_ARGS : syscall_arg_count(line->call);
	const uint8_t *data = (const uint8_t *)(line + 1);

	for (size_t i = 0; i < count; i++) {
		bool copied = line->copied[i] != SYSCALL_COPY_NONE;
		const struct argument from = { .line = line,
					       .nr = i,
					       .value = line->arg[i],
					       .data = copied ? data : NULL,
					       .len = copied ? line->copied[i] : 0 };

		data += from.len;
		if (row && (row->arg[i] == ARG_END || is_left_out(row, line, i)))
			break;
		(void)buf_puts(out, i ? ", " : "");
		put_argument(lines, row ? (enum syscall_arg)row->arg[i] : ARG_HEX, &from, out);
	}
}

/* Of the call's first path, as copied; NULL = it has none. */
static const char *path_of(const struct syscall_signature *row, const struct syscall_line *line)
{
	const char *data = (const char *)(line + 1);

	for (size_t i = 0; i < SYSCALL_ARGS; i++) {
		bool copied = line->copied[i] != SYSCALL_COPY_NONE && line->copied[i];

		if (row->arg[i] == ARG_PATH)
			return copied ? data : NULL;
		data += copied ? line->copied[i] : 0;
	}
	return NULL;
}

static void put_new_fd(struct trace_lines *lines, const struct syscall_signature *row,
		       const struct syscall_line *line, struct buf *out)
{
	const char *path = path_of(row, line);

	lines->files.begun_ns = lines->files.returned_ns;
	if (!path) {
		put_fd(lines, line, (int)line->result, false, out);
		return;
	}
	(void)buf_printf(out, "%d<", (int)line->result);
	trace_put_escaped((const uint8_t *)path, strlen(path), out);
	(void)buf_putc(out, '>');
}

static void put_result(struct trace_lines *lines, const struct syscall_signature *row,
		       const struct syscall_line *line, struct buf *out)
{
	const char *error = is_failed(line) ? syscall_error_name((uint32_t)-line->result) : NULL;

	(void)buf_puts(out, " = ");
	if (line->returns_never)
		(void)buf_putc(out, '?');
	else if (is_failed(line) && -line->result >= 512)
		(void)buf_printf(out, "? %s", error ? error : "error");
	else if (error)
		(void)buf_printf(out, "-1 %s (%s)", error, strerror((int)-line->result));
	else if (row && row->result == ARG_FD)
		put_new_fd(lines, row, line, out);
	else if (row && row->result != ARG_END)
		put_number((enum syscall_arg)row->result, (uint64_t)line->result, out);
	else
		put_signed(line->result, out);
}

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

static void name_pair(struct trace_lines *lines, const char *name,
		      const struct syscall_signature *row, const struct syscall_line *line)
{
	size_t nr = row->arg[0] == ARG_FD_PAIR ? 0 : 3;
	int fd[2];

	if (line->copied[nr] != sizeof(fd)) /* the only copy of these calls */
		return;
	memcpy(fd, line + 1, sizeof(fd));
	trace_files_make(&lines->files, line->tgid, fd[0], kind_of(name));
	trace_files_make(&lines->files, line->tgid, fd[1], kind_of(name));
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

static void begin_program(struct trace_lines *lines, uint32_t pid)
{
	/* Others may be closed by that. */
	trace_files_forget(&lines->files, pid, lines->launched ? 0 : STDERR_FILENO + 1);
	if (lines->launched)
		trace_files_start(&lines->files, pid);
	lines->launched = false;
}

/* What the call does to descriptors. */
static void follow_files(struct trace_lines *lines, const char *name,
			 const struct syscall_signature *row, const struct syscall_line *line)
{
	if (is_failed(line))
		return;
	if (strncmp(name, "exec", 4) == 0)
		begin_program(lines, line->tgid);
	else if (strcmp(name, "exit_group") == 0)
		trace_files_forget(&lines->files, line->tgid, 0);
	else if (strcmp(name, "close_range") == 0)
		trace_files_forget(&lines->files, line->tgid, (unsigned)line->arg[0]);
	else if (row->arg[0] == ARG_FD_PAIR || row->arg[3] == ARG_FD_PAIR)
		name_pair(lines, name, row, line);
	else if (is_fork(name, line))
		trace_files_fork(&lines->files, line->tgid, (uint32_t)line->result);
	else if (strncmp(name, "dup", 3) == 0 ||
		 (strcmp(name, "fcntl") == 0 &&
		  (line->arg[1] == F_DUPFD || line->arg[1] == F_DUPFD_CLOEXEC)))
		trace_files_copy(&lines->files, line->tgid, (int)line->arg[0], (int)line->result);
	else if (row->result == ARG_FD && kind_of(name))
		trace_files_make(&lines->files, line->tgid, (int)line->result, kind_of(name));
	else if (row->result == ARG_FD)
		trace_files_open(&lines->files, line->tgid, (int)line->result, path_of(row, line));
}

static void put_head(struct trace_lines *lines, const struct syscall_line *line, struct buf *out)
{
	char comm[sizeof(line->comm) + 1] = { 0 };
	uint64_t since_ns;

	if (!lines->start_ns)
		lines->start_ns = line->start_ns;
	since_ns = lines->full_time		      ? line->start_ns
		   : line->start_ns > lines->start_ns ? line->start_ns - lines->start_ns
						      : 0;
	if (!lines->no_times) {
		put_ms(since_ns, 10, out);
		(void)buf_puts(out, " (");
		put_ms(line->ns, 6, out);
		(void)buf_puts(out, " ms): ");
	}
	memcpy(comm, line->comm, sizeof(line->comm));
	if (!lines->no_comm) {
		trace_put_escaped((const uint8_t *)comm, strlen(comm), out);
		(void)buf_putc(out, '/');
	}
	(void)buf_put_u64(out, line->tid);
	(void)buf_putc(out, ' ');
}

void trace_lines_put(struct trace_lines *lines, const struct syscall_line *line, struct buf *out)
{
	const char *name = syscall_name(line->call);
	bool native = !(line->call & (SYSCALL_COMPAT_BIT | SYSCALL_X32_BIT));
	const struct syscall_signature *row = native && name ? syscall_signature(name) : NULL;
	char label[SYSCALL_NAME_SIZE];

	if (line->missing)
		(void)buf_printf(out,
				 "[%" PRIu32 " calls of thread %" PRIu32
				 " are missing here: the reader was too slow]\n",
				 line->missing, line->tid);
	if (line->missing)
		trace_files_forget(&lines->files, line->tgid, 0);
	lines->files.begun_ns = line->start_ns;
	lines->files.returned_ns = line->start_ns + line->ns;
	trace_files_prove(&lines->files, line->tgid);
	put_head(lines, line, out);
	(void)buf_puts(out, native && name ? name : syscall_label(line->call, label));
	(void)buf_putc(out, '(');
	put_arguments(lines, row, line, out);
	(void)buf_putc(out, ')');
	if (row)
		follow_files(lines, name, row, line);
	put_result(lines, row, line, out);
	if (row && strcmp(name, "close") == 0)
		trace_files_close(&lines->files, line->tgid, (int)line->arg[0]);
	(void)buf_putc(out, '\n');
}

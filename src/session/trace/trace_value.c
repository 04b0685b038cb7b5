/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Values of system calls (see trace_value.h). */
#include "session/trace/trace_value.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>

#include "base/buf.h"

#define FIRST_RT     32 /* of the kernel; libc keeps some for itself */
#define COUNT(array) (sizeof(array) / sizeof(*(array)))

void trace_put_flags(const struct syscall_flag_set *set, uint64_t value, struct buf *out)
{
	uint64_t left = value;
	bool first = true;

	for (size_t i = 0; i < set->count; i++) {
		const struct syscall_flag *flag = &set->flag[i];
		uint64_t mask = flag->mask ? flag->mask : flag->value;

		if (flag->mask == UINT64_MAX ? value != flag->value
					     : (value & mask) != flag->value || !mask)
			continue;
		/* A part of another one that is there already, such as O_DSYNC of O_SYNC. */
		if (flag->value && !(left & flag->value))
			continue;
		(void)buf_printf(out, "%s%s", first ? "" : "|", flag->name);
		left &= flag->mask == UINT64_MAX ? 0 : ~flag->value;
		first = false;
	}
	if (left || first)
		(void)buf_printf(out, left ? "%s0x%" PRIx64 : "%s0", first ? "" : "|", left);
}

static void put_byte(uint8_t byte, bool digit_follows, struct buf *out)
{
	static const char escaped[] = "abtnvfr";

	if (byte == '"' || byte == '\\')
		(void)buf_printf(out, "\\%c", byte);
	else if (byte >= 9 && byte <= 13)
		(void)buf_printf(out, "\\%c", escaped[byte - 7]);
	else if (byte >= 32 && byte < 127)
		(void)buf_putc(out, (char)byte);
	else
		(void)buf_printf(out, digit_follows ? "\\%03o" : "\\%o", byte);
}

void trace_put_escaped(const uint8_t *text, size_t len, struct buf *out)
{
	for (size_t i = 0; i < len; i++)
		put_byte(text[i], i + 1 < len && text[i + 1] >= '0' && text[i + 1] <= '9', out);
}

void trace_put_string(const uint8_t *text, size_t len, size_t most, bool cut, struct buf *out)
{
	size_t shown = len < most ? len : most;

	(void)buf_putc(out, '"');
	trace_put_escaped(text, shown, out);
	(void)buf_puts(out, cut || shown < len ? "\"..." : "\"");
}

void trace_put_signal(int number, struct buf *out)
{
	const char *name = number > 0 && number < FIRST_RT ? sigabbrev_np(number) : NULL;

	if (name)
		(void)buf_printf(out, "SIG%s", name);
	else if (number == FIRST_RT)
		(void)buf_puts(out, "SIGRTMIN");
	else if (number > FIRST_RT && number <= SIGRTMAX)
		(void)buf_printf(out, "SIGRT_%d", number - FIRST_RT);
	else
		(void)buf_printf(out, "%d", number);
}

static void put_path(const char *path, size_t len, struct buf *out)
{
	size_t end = strnlen(path, len);

	if (len && !path[0] && len > 1) { /* abstract */
		(void)buf_putc(out, '@');
		trace_put_string((const uint8_t *)path + 1, len - 1, len, false, out);
	} else {
		trace_put_string((const uint8_t *)path, end, len, false, out);
	}
}

static bool put_address(const uint8_t *data, size_t len, struct buf *out)
{
	char text[INET6_ADDRSTRLEN];
	struct sockaddr_in6 six;
	struct sockaddr_in four;
	sa_family_t family;

	if (len < sizeof(family))
		return false;
	memcpy(&family, data, sizeof(family));
	(void)buf_puts(out, "{sa_family=");
	trace_put_flags(syscall_flags(ARG_FAMILY), family, out);
	if (family == AF_UNIX && len > sizeof(family)) {
		(void)buf_puts(out, ", sun_path=");
		put_path((const char *)data + sizeof(family), len - sizeof(family), out);
	} else if (family == AF_INET && len >= sizeof(four)) {
		memcpy(&four, data, sizeof(four));
		(void)inet_ntop(AF_INET, &four.sin_addr, text, sizeof(text));
		(void)buf_printf(out, ", sin_port=htons(%u), sin_addr=inet_addr(\"%s\")",
				 ntohs(four.sin_port), text);
	} else if (family == AF_INET6 && len >= sizeof(six)) {
		memcpy(&six, data, sizeof(six));
		(void)inet_ntop(AF_INET6, &six.sin6_addr, text, sizeof(text));
		(void)buf_printf(
			out,
			", sin6_port=htons(%u), sin6_flowinfo=htonl(%u), inet_pton(AF_INET6, "
			"\"%s\", &sin6_addr), sin6_scope_id=%u",
			ntohs(six.sin6_port), ntohl(six.sin6_flowinfo), text, six.sin6_scope_id);
	}
	(void)buf_putc(out, '}');
	return true;
}

void trace_put_mode(unsigned mode, struct buf *out)
{
	static const struct {
		mode_t type;
		const char *name;
	} types[] = { { S_IFREG, "S_IFREG" },  { S_IFDIR, "S_IFDIR" }, { S_IFLNK, "S_IFLNK" },
		      { S_IFCHR, "S_IFCHR" },  { S_IFBLK, "S_IFBLK" }, { S_IFIFO, "S_IFIFO" },
		      { S_IFSOCK, "S_IFSOCK" } };

	for (size_t i = 0; i < COUNT(types); i++)
		if ((mode & S_IFMT) == types[i].type)
			(void)buf_printf(out, "%s|", types[i].name);
	(void)buf_printf(out, "0%o", mode & 07777u);
}

static bool put_stat(const uint8_t *data, size_t len, struct buf *out)
{
	struct stat stat;

	if (len < sizeof(stat))
		return false;
	memcpy(&stat, data, sizeof(stat));
	(void)buf_puts(out, "{st_mode=");
	trace_put_mode(stat.st_mode, out);
	if (S_ISCHR(stat.st_mode) || S_ISBLK(stat.st_mode))
		(void)buf_printf(out, ", st_rdev=makedev(0x%x, 0x%x), ...}", major(stat.st_rdev),
				 minor(stat.st_rdev));
	else
		(void)buf_printf(out, ", st_size=%jd, ...}", (intmax_t)stat.st_size);
	return true;
}

static bool put_two(const uint8_t *data, size_t len, const char *first, const char *second,
		    struct buf *out)
{
	uint64_t value[2];

	if (len < sizeof(value))
		return false;
	memcpy(value, data, sizeof(value));
	(void)buf_printf(out, "{%s=%" PRId64 ", %s=%" PRId64 "}", first, (int64_t)value[0], second,
			 (int64_t)value[1]);
	return true;
}

void trace_put_limit(uint64_t value, size_t size, struct buf *out)
{
	if (size == sizeof(uint32_t) && value == UINT32_MAX)
		(void)buf_puts(out, "RLIM_INFINITY");
	else if (value == UINT64_MAX)
		(void)buf_puts(out, "RLIM64_INFINITY");
	else if (value > 1024 && value % 1024 == 0)
		(void)buf_printf(out, "%" PRIu64 "*1024", value / 1024);
	else
		(void)buf_printf(out, "%" PRIu64, value);
}

static bool put_limits(const uint8_t *data, size_t len, struct buf *out)
{
	uint64_t value[2];

	if (len < sizeof(value))
		return false;
	memcpy(value, data, sizeof(value));
	(void)buf_puts(out, "{rlim_cur=");
	trace_put_limit(value[0], sizeof(*value), out);
	(void)buf_puts(out, ", rlim_max=");
	trace_put_limit(value[1], sizeof(*value), out);
	(void)buf_putc(out, '}');
	return true;
}

static bool put_pair(const uint8_t *data, size_t len, struct buf *out)
{
	int fd[2];

	if (len < sizeof(fd))
		return false;
	memcpy(fd, data, sizeof(fd));
	(void)buf_printf(out, "[%d, %d]", fd[0], fd[1]);
	return true;
}

static bool put_polls(const uint8_t *data, size_t len, struct buf *out)
{
	static const struct syscall_flag names[] = {
		{ POLLIN, "POLLIN", 0 },   { POLLPRI, "POLLPRI", 0 }, { POLLOUT, "POLLOUT", 0 },
		{ POLLERR, "POLLERR", 0 }, { POLLHUP, "POLLHUP", 0 }, { POLLNVAL, "POLLNVAL", 0 },
	};
	static const struct syscall_flag_set set = { names, COUNT(names) };
	struct pollfd poll;

	(void)buf_putc(out, '[');
	for (size_t at = 0; at + sizeof(poll) <= len; at += sizeof(poll)) {
		memcpy(&poll, data + at, sizeof(poll));
		(void)buf_printf(out, "%s{fd=%d", at ? ", " : "", poll.fd);
		if (poll.fd >= 0) {
			(void)buf_puts(out, ", events=");
			trace_put_flags(&set, (uint16_t)poll.events, out);
		}
		if (poll.revents) {
			(void)buf_puts(out, ", revents=");
			trace_put_flags(&set, (uint16_t)poll.revents, out);
		}
		(void)buf_putc(out, '}');
	}
	(void)buf_puts(out, len == SYSCALL_COPY_MAX ? ", ...]" : "]");
	return true;
}

static bool put_epolls(const uint8_t *data, size_t len, bool one, struct buf *out)
{
	static const struct syscall_flag names[] = {
		{ EPOLLIN, "EPOLLIN", 0 },
		{ EPOLLPRI, "EPOLLPRI", 0 },
		{ EPOLLOUT, "EPOLLOUT", 0 },
		{ EPOLLERR, "EPOLLERR", 0 },
		{ EPOLLHUP, "EPOLLHUP", 0 },
		{ EPOLLRDHUP, "EPOLLRDHUP", 0 },
		{ EPOLLEXCLUSIVE, "EPOLLEXCLUSIVE", 0 },
		{ EPOLLONESHOT, "EPOLLONESHOT", 0 },
		{ EPOLLET, "EPOLLET", 0 },
	};
	static const struct syscall_flag_set set = { names, COUNT(names) };
	struct epoll_event event;

	if (one && len < sizeof(event))
		return false;
	(void)buf_puts(out, one ? "" : "[");
	for (size_t at = 0; at + sizeof(event) <= len; at += sizeof(event)) {
		memcpy(&event, data + at, sizeof(event));
		(void)buf_puts(out, at ? ", {events=" : "{events=");
		trace_put_flags(&set, event.events, out);
		(void)buf_printf(out, ", data={u32=%" PRIu32 ", u64=%" PRIu64 "}}", event.data.u32,
				 event.data.u64);
	}
	(void)buf_puts(out, one ? "" : len + sizeof(event) > SYSCALL_COPY_MAX ? ", ...]" : "]");
	return true;
}

static bool put_status(const uint8_t *data, size_t len, struct buf *out)
{
	int status;

	if (len < sizeof(status))
		return false;
	memcpy(&status, data, sizeof(status));
	if (WIFEXITED(status)) {
		(void)buf_printf(out, "[{WIFEXITED(s) && WEXITSTATUS(s) == %d}]",
				 WEXITSTATUS(status));
	} else if (WIFSIGNALED(status)) {
		(void)buf_puts(out, "[{WIFSIGNALED(s) && WTERMSIG(s) == ");
		trace_put_signal(WTERMSIG(status), out);
		(void)buf_puts(out, WCOREDUMP(status) ? " && WCOREDUMP(s)}]" : "}]");
	} else {
		(void)buf_printf(out, "[0x%x]", (unsigned)status);
	}
	return true;
}

static bool put_words(const uint8_t *data, size_t len, struct buf *out)
{
	bool cut = len == SYSCALL_COPY_MAX;
	size_t at = 0;

	if (!len)
		return false;
	(void)buf_putc(out, '[');
	while (at < len) {
		size_t word = strnlen((const char *)data + at, len - at);

		(void)buf_puts(out, at ? ", " : "");
		trace_put_string(data + at, word, word, at + word == len, out);
		at += word + 1;
	}
	(void)buf_puts(out, cut ? ", ...]" : "]");
	return true;
}

static bool put_clone(const uint8_t *data, size_t len, struct buf *out)
{
	uint64_t value[5]; /* flags, pidfd, child_tid, parent_tid, exit_signal */

	if (len < sizeof(value))
		return false;
	memcpy(value, data, sizeof(value));
	(void)buf_puts(out, "{flags=");
	trace_put_flags(syscall_flags(ARG_CLONE), value[0], out);
	(void)buf_puts(out, ", exit_signal=");
	trace_put_signal((int)value[4], out);
	(void)buf_puts(out, ", ...}");
	return true;
}

static bool put_int(const uint8_t *data, size_t len, struct buf *out)
{
	int value;

	if (len < sizeof(value))
		return false;
	memcpy(&value, data, sizeof(value));
	(void)buf_printf(out, "[%d]", value);
	return true;
}

bool trace_put_struct(enum syscall_arg arg, const uint8_t *data, size_t len, struct buf *out)
{
	switch (arg) {
	case ARG_TIMESPEC:
	case ARG_TIMESPEC_OUT:
		return put_two(data, len, "tv_sec", "tv_nsec", out);
	case ARG_TIMEVAL:
	case ARG_TIMEVAL_OUT:
		return put_two(data, len, "tv_sec", "tv_usec", out);
	case ARG_WORDS:
		return put_words(data, len, out);
	case ARG_CLONE_ARGS:
		return put_clone(data, len, out);
	case ARG_INT_IN:
	case ARG_INT_OUT:
		return put_int(data, len, out);
	case ARG_SOCKADDR:
	case ARG_SOCKADDR_OUT:
		return put_address(data, len, out);
	case ARG_FD_PAIR:
		return put_pair(data, len, out);
	case ARG_STAT:
		return put_stat(data, len, out);
	case ARG_RLIMIT:
	case ARG_RLIMIT_OUT:
		return put_limits(data, len, out);
	case ARG_POLLFDS:
		return put_polls(data, len, out);
	case ARG_EPOLL_EVENT:
	case ARG_EPOLL_EVENTS:
		return put_epolls(data, len, arg == ARG_EPOLL_EVENT, out);
	case ARG_WAIT_STATUS:
		return put_status(data, len, out);
	default:
		return false;
	}
}

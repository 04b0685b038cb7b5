/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The process that opens outputs, and what it agrees to (see reader.h). It answers each path with
 * a descriptor or an error number, and ends with the reader. */
#include "command/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/err.h"
#include "base/fd.h"
#include "base/input_files.h"
#include "base/memory_limit.h"
#include "base/output_file.h"
#include "base/sandbox.h"
#include "command/option/option.h"
#include "command/pager.h"
#include "symbol/kernel/kallsyms_cache.h"

/* Written without being named on the command line. */
static const char *const usual[] = { "flame.svg", "flame.html", "heatmap.html", "output.svg",
				     "palette.map" };

/* What a message to the opener asks for, in front of the path. */
enum { OPENER_OPEN = 'o', OPENER_KEEP = 'k', OPENER_DROP = 'd' };

static int opener = -1; /* socket to the process that opens outputs; -1 = there is none */
static bool confined;
static struct output_file output; /* the last one opened, here or in the opener */
static struct pager pager;	  /* of standard output */

/* What the browser writes: "report.hist.7", "report.flame.7.html". */
static bool is_of_browser(const char *path)
{
	static const char *const stems[][2] = { { "report.hist.", "" },
						{ "report.flame.", ".html" } };

	for (size_t i = 0; i < sizeof(stems) / sizeof(stems[0]); i++) {
		size_t len = strlen(stems[i][0]);
		size_t digits =
			strncmp(path, stems[i][0], len) == 0 ? strspn(path + len, "0123456789") : 0;

		if (digits && strcmp(path + len + digits, stems[i][1]) == 0)
			return true;
	}
	return false;
}

/* Is the path a word of the command line, or the end of one ("--output=FILE", "-oFILE")? */
static bool is_named(const char *path, const struct option_words *line)
{
	size_t len = strlen(path);

	for (size_t i = 0; i < sizeof(usual) / sizeof(usual[0]); i++)
		if (strcmp(path, usual[i]) == 0)
			return true;
	if (line->argc > 1 && strcmp(line->argv[1], "report") == 0 && is_of_browser(path))
		return true;
	for (int i = 1; i < line->argc; i++) {
		size_t word = strlen(line->argv[i]);

		if (word >= len && strcmp(line->argv[i] + word - len, path) == 0)
			return true;
	}
	return false;
}

static bool has_word(const struct option_words *line, const char *start)
{
	for (int i = 1; i < line->argc; i++)
		if (strncmp(line->argv[i], start, strlen(start)) == 0)
			return true;
	return false;
}

/* What comes from a server needs the network, which the sandbox has not. */
static bool names_server(const struct option_words *line)
{
	static const char *const starts[] = { "clickhouse://", "--store=clickhouse://",
					      "store:clickhouse://",
					      "--input=store:clickhouse://" };
	bool ret = false;

	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++)
		ret |= has_word(line, starts[i]);
	return ret;
}

/* script --per-event-dump: "INPUT.EVENT.dump", the event's name is the input's. */
static bool is_event_dump(const char *path, const struct option_words *line)
{
	const char *slash = strrchr(path, '/'), *dot = slash ? slash : path;
	size_t len = strlen(path);
	char input[PATH_MAX];

	if (!has_word(line, "--per-event") || len < 5 || strcmp(path + len - 5, ".dump") != 0)
		return false;
	while ((dot = strchr(dot, '.')) && dot < path + len - 5) {
		memcpy(input, path, (size_t)(dot - path));
		input[dot - path] = '\0';
		if (is_named(input, line) || strcmp(input, "perf.data") == 0)
			return true;
		dot++;
	}
	return false;
}

/* archive: "INPUT.cupel.tar.gz". */
static bool is_archive(const char *path, const struct option_words *line)
{
	size_t len = strlen(path), end = sizeof(READER_ARCHIVE_END) - 1;
	char input[PATH_MAX];

	if (!has_word(line, "archive") || len <= end || len - end >= sizeof(input) ||
	    strcmp(path + len - end, READER_ARCHIVE_END) != 0)
		return false;
	memcpy(input, path, len - end);
	input[len - end] = '\0';
	return is_named(input, line) || strcmp(input, "perf.data") == 0;
}

/* One byte, with the descriptor; or an error number. */
static void answer(int socket, int result)
{
	union {
		struct cmsghdr header;
		char room[CMSG_SPACE(sizeof(int))];
	} control = { .header = { .cmsg_len = CMSG_LEN(sizeof(int)),
				  .cmsg_level = SOL_SOCKET,
				  .cmsg_type = SCM_RIGHTS } };
	struct iovec bytes = { &result, sizeof(result) };
	struct msghdr message = { .msg_iov = &bytes, .msg_iovlen = 1 };

	if (result >= 0) {
		memcpy(CMSG_DATA(&control.header), &result, sizeof(result));
		message.msg_control = &control;
		message.msg_controllen = sizeof(control);
	}
	(void)sendmsg(socket, &message, MSG_NOSIGNAL); /* no reader: the end */
}

/* 0 or an error number, without a descriptor. */
static void answer_end(int socket, int code)
{
	(void)send(socket, &code, sizeof(code), MSG_NOSIGNAL);
}

static _Noreturn void open_for(int socket, const struct option_words *line)
{
	char message[PATH_MAX + 1];
	ssize_t len;

	while ((len = recv(socket, message, sizeof(message) - 1, 0)) > 0) {
		const char *path = message + 1;
		int result;

		message[len] = '\0';
		if (message[0] != OPENER_OPEN) {
			answer_end(socket, output_file_end(&output, message[0] == OPENER_KEEP));
			continue;
		}
		result = is_named(path, line) || is_event_dump(path, line) || is_archive(path, line)
				 ? output_file_open(&output, path)
				 : -EPERM;
		answer(socket, result);
		fd_close(&result);
	}
	(void)output_file_end(&output, false); /* the reader was killed */
	_exit(0);
}

static bool start_opener(const struct option_words *line)
{
	int ends[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		return false;
	pid = fork();
	if (pid == 0) {
		/* readers of the pipe must see its end */
		(void)dup2(ends[0], STDIN_FILENO);
		(void)close_range(STDIN_FILENO + 1, UINT_MAX, 0);
		open_for(STDIN_FILENO, line);
	}
	(void)close(ends[0]);
	if (pid < 0)
		(void)close(ends[1]);
	else
		opener = ends[1];
	return pid > 0;
}

void reader_page(void)
{
	pager_start(&pager);
}

int reader_write_stdout(const char *data, size_t len)
{
	if (!pager.pid)
		return fd_write_all(STDOUT_FILENO, data, len);
	pager_write(&pager, data, len);
	return 0;
}

int reader_end_page(void)
{
	return pager_end(&pager);
}

bool reader_is_left(void)
{
	return pager.left;
}

void reader_begin(const struct option_words *line, bool writes)
{
	struct err ignored = { 0 };

	if (!writes)
		reader_page();
	/* no sandbox is no reason not to work: containers without seccomp have root's power cut */
	if (!sandbox_needed() || confined || !MEMORY_LIMIT_METERED || has_word(line, "--trust") ||
	    has_word(line, "--debuginfod") || names_server(line))
		return;
	kallsyms_keep_running(); /* for which the sandbox has no room */
	if (writes && !start_opener(line))
		return;
	confined = true;
	(void)sandbox_enter(&ignored);
}

static int send_message(char what, const char *path)
{
	struct iovec bytes[] = { { &what, 1 }, { (void *)(uintptr_t)path, strlen(path) } };
	struct msghdr message = { .msg_iov = bytes, .msg_iovlen = 2 };

	return sendmsg(opener, &message, MSG_NOSIGNAL) < 0 ? -errno : 0;
}

static int request_output(const char *path)
{
	union {
		struct cmsghdr header;
		char room[CMSG_SPACE(sizeof(int))];
	} control;
	int result = -EIO, fd, code = send_message(OPENER_OPEN, path);
	struct iovec bytes = { &result, sizeof(result) };
	struct msghdr message = { .msg_iov = &bytes, .msg_iovlen = 1 };

	if (code)
		return code;
	message.msg_control = &control;
	message.msg_controllen = sizeof(control);
	if (recvmsg(opener, &message, MSG_CMSG_CLOEXEC) != sizeof(result))
		return -EIO;
	if (result < 0)
		return result;
	if (message.msg_controllen < CMSG_LEN(sizeof(int)) ||
	    control.header.cmsg_type != SCM_RIGHTS)
		return -EIO;
	memcpy(&fd, CMSG_DATA(&control.header), sizeof(fd));
	return fd;
}

/* The descriptor of this process that a path names, such as /dev/stdout or a shell's >(command); -1
 * = none. The opener, which is another process, has none of them. */
static int own_descriptor(const char *path)
{
	static const char *const folders[] = { "/dev/fd/", "/proc/self/fd/" };

	if (strcmp(path, "/dev/stdout") == 0)
		return STDOUT_FILENO;
	if (strcmp(path, "/dev/stderr") == 0)
		return STDERR_FILENO;
	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		size_t len = strlen(folders[i]);
		char *end;
		unsigned long fd;

		if (strncmp(path, folders[i], len) != 0 || path[len] < '0' || path[len] > '9')
			continue;
		fd = strtoul(path + len, &end, 10);
		return *end || fd > INT_MAX ? -1 : (int)fd;
	}
	return -1;
}

static int open_named(const char *path)
{
	int own = own_descriptor(path), fd;

	if (own < 0)
		return opener >= 0 ? request_output(path) : output_file_open(&output, path);
	fd = fcntl(own, F_DUPFD_CLOEXEC, 0);
	return fd < 0 ? -errno : fd;
}

/* The opener does not know the inputs. */
static int refuse_input(const char *path, struct err *err)
{
	(void)err_set(err, -EINVAL, "%s: the output would replace the input", path);
	return err_hint(err, "name another file with -o");
}

int reader_open_output(const char *path, struct err *err)
{
	int fd;

	if (own_descriptor(path) < 0 && input_files_have(path))
		return refuse_input(path, err);
	fd = open_named(path);
	return fd < 0 ? output_file_error(path, fd, err) : fd;
}

static int request_end(bool keep)
{
	int result = -EIO, code = send_message(keep ? OPENER_KEEP : OPENER_DROP, "");

	if (!code && read(opener, &result, sizeof(result)) != sizeof(result))
		return -EIO;
	return code ? code : result;
}

int reader_close_output(const char *path, int fd, bool keep, struct err *err)
{
	int code = close(fd) ? -errno : 0, end;
	bool own = own_descriptor(path) >= 0;
	/* one that was opened after the output */
	bool is_input = !own && keep && input_files_have(path);

	keep = keep && !code && !is_input;
	if (!own) {
		end = opener >= 0 ? request_end(keep) : output_file_end(&output, keep);
		code = code ? code : end;
	}
	if (is_input)
		return refuse_input(path, err);
	return code ? err_set(err, code, "%s: %s", path, strerror(-code)) : 0;
}

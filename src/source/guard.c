/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The processes that undo changes (see guard.h). Each reads records from a socket: a type, the
 * length of a path, the length of a text, the path, the text. The end of the socket is the end of
 * their parent. The first one works; the second one does it when the first was killed. */
#include "source/guard.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/vec.h"

#define BUSY_TRIES   600 /* files of a killed process close one after the other */
#define BUSY_WAIT_NS 10000000
#define LONG_WAIT_NS 500000000 /* after those tries */
#define MEMBERS	     2

enum undo_type { UNDO_REMOVE = 1, UNDO_RESTORE, UNDO_WRITE, UNDO_END };

struct undo_head {
	uint32_t type, path_len, text_len;
};

struct member {
	pid_t pid;
	int change_fd; /* records for it; closed: the end */
	int done_fd;   /* a byte when all is undone; at its end without one: it was killed */
};

struct guard {
	struct member member[MEMBERS]; /* the first is the one that works */
	struct buf records;
};

/* What one of the processes has open. */
struct post {
	int change_fd, done_fd, keep_fd;
	int clean_fd; /* of the first: to write a byte to when all is undone; else to read it */
	bool is_first;
	pid_t parent;
};

static void remove_path(const char *path)
{
	const struct timespec wait = { .tv_nsec = BUSY_WAIT_NS };

	if (unlink(path) == 0)
		return; /* a file */
	for (int i = 0; i < BUSY_TRIES && rmdir(path) && errno == EBUSY; i++)
		(void)nanosleep(&wait, NULL);
}

/* A failure has nobody to report to, and must not keep the others from being undone. */
static void restore_file(const char *path, const char *text)
{
	AUTO_CLOSE int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);

	while (fd >= 0 && *text) {
		size_t len = strcspn(text, "\n");

		len += text[len] == '\n';
		(void)!write(fd, text, len);
		text += len;
	}
}

/* Appends a line, again and again while what it removes is in use, which may be long. */
static void write_line(const char *path, const char *line)
{
	for (int i = 0;; i++) {
		const struct timespec wait = { .tv_nsec = i < BUSY_TRIES ? BUSY_WAIT_NS
									 : LONG_WAIT_NS };
		AUTO_CLOSE int fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);

		if (fd < 0 || write(fd, line, strlen(line)) >= 0 || errno != EBUSY)
			return;
		(void)nanosleep(&wait, NULL);
	}
}

/* The files of a killed process close one by one, and some settings are made when theirs closes. A
 * process has another parent when all are closed. */
static void wait_for_end(const struct buf *records, pid_t parent)
{
	const struct timespec wait = { .tv_nsec = BUSY_WAIT_NS };
	struct undo_head last = { 0 };

	if (records->len >= sizeof(last) + 2)
		memcpy(&last, records->data + records->len - sizeof(last) - 2, sizeof(last));
	if (last.type == UNDO_END && last.path_len == 1 && last.text_len == 1)
		return; /* it asked, and waits */
	for (int i = 0; i < BUSY_TRIES && getppid() == parent; i++)
		(void)nanosleep(&wait, NULL);
}

static void undo(struct buf *records)
{
	VEC(size_t) at = { 0 };
	struct undo_head head;

	for (size_t i = 0; records->len - i >= sizeof(head);) {
		memcpy(&head, records->data + i, sizeof(head));
		if (records->len - i - sizeof(head) < (size_t)head.path_len + head.text_len)
			break; /* cut off: it was announced, not made */
		vec_push(&at, i);
		i += sizeof(head) + head.path_len + head.text_len;
	}
	while (at.count) {
		char *path = records->data + at.item[--at.count] + sizeof(head);

		memcpy(&head, path - sizeof(head), sizeof(head));
		if (head.type == UNDO_REMOVE)
			remove_path(path);
		else if (head.type == UNDO_RESTORE)
			restore_file(path, path + head.path_len);
		else if (head.type == UNDO_WRITE)
			write_line(path, path + head.path_len);
	}
	vec_done(&at);
}

/* Whether the first one has undone everything. */
static bool is_undone(int clean_fd)
{
	char byte;
	ssize_t n;

	do
		n = read(clean_fd, &byte, 1);
	while (n < 0 && errno == EINTR);
	return n == 1;
}

static _Noreturn void watch(const struct post *post)
{
	static const int ignored[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGTSTP };
	int keep[] = { post->change_fd, post->done_fd, post->keep_fd, post->clean_fd };
	struct buf records = { 0 };
	char chunk[4096];
	ssize_t n;

	(void)setsid();
	(void)prctl(PR_SET_NAME, "cupel-guard");
	for (size_t i = 0; i < sizeof(ignored) / sizeof(*ignored); i++)
		(void)signal(ignored[i], SIG_IGN);
	/* below 5.9 copies of descriptors that are marked stay open: the instance is then busy
	 * until the parent ends, and no longer */
	fd_sort(keep, sizeof(keep) / sizeof(*keep));
	fd_close_others(keep, sizeof(keep) / sizeof(*keep));
	do {
		n = read(post->change_fd, chunk, sizeof(chunk));
		if (n > 0)
			(void)buf_append(&records, chunk, (size_t)n);
	} while (n > 0 || (n < 0 && errno == EINTR));
	wait_for_end(&records, post->parent);
	if (post->is_first || !is_undone(post->clean_fd))
		undo(&records);
	if (post->is_first)
		(void)!write(post->clean_fd, "", 1);
	(void)!write(post->done_fd, "", 1);
	_exit(0);
}

/* post: with what both have. */
static int start_member(const struct post *both, struct member *ret, struct err *err)
{
	struct post post = *both;
	int change[2] = { -1, -1 }, done[2] = { -1, -1 };
	pid_t pid = -1;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, change) == 0 &&
	    pipe2(done, O_CLOEXEC) == 0)
		pid = fork();
	post.change_fd = change[0];
	post.done_fd = done[1];
	if (pid == 0)
		watch(&post);
	if (pid < 0)
		(void)err_errno(err, "starting the process that restores settings");
	fd_close(&change[0]);
	fd_close(&done[1]);
	*ret = (struct member){ .pid = pid, .change_fd = change[1], .done_fd = done[0] };
	return pid < 0 ? err->code : 0;
}

/* That is the end for it. */
static void end_changes(struct member *member)
{
	fd_close(&member->change_fd);
	member->change_fd = -1;
}

static void end_member(struct member *member)
{
	end_changes(member);
	fd_close(&member->done_fd);
	if (member->pid > 0)
		(void)waitpid(member->pid, NULL, WNOHANG);
}

int guard_start(int keep_fd, struct guard **ret, struct err *err)
{
	/* asked later, a killed one's guard would find another */
	struct post post = { .keep_fd = keep_fd, .parent = getpid() };
	struct guard *guard;
	int clean[2], code;

	if (pipe2(clean, O_CLOEXEC))
		return err_errno(err, "starting the process that restores settings");
	guard = mem_zalloc(sizeof(*guard));
	for (int i = 0; i < MEMBERS; i++)
		guard->member[i] = (struct member){ 0, -1, -1 };
	post.clean_fd = clean[0];
	code = start_member(&post, &guard->member[1], err);
	post.clean_fd = clean[1];
	post.is_first = true;
	if (!code)
		code = start_member(&post, &guard->member[0], err);
	(void)close(clean[0]);
	(void)close(clean[1]);
	if (!code) {
		*ret = guard;
		return 0;
	}
	for (int i = 0; i < MEMBERS; i++)
		end_member(&guard->member[i]);
	free(guard);
	return code;
}

static bool send_all(int fd, const char *data, size_t len)
{
	while (len) {
		ssize_t n = send(fd, data, len, MSG_NOSIGNAL);

		if (n < 0 && errno != EINTR)
			return false;
		if (n > 0) {
			data += n;
			len -= (size_t)n;
		}
	}
	return true;
}

/* One of them is enough, and without any, this process does it, unless it is killed. */
static int announce(struct guard *guard, enum undo_type type, const char *path, const char *text,
		    struct err *err)
{
	struct undo_head head = { .type = type,
				  .path_len = (uint32_t)strlen(path) + 1,
				  .text_len = (uint32_t)strlen(text) + 1 };
	struct buf record = { 0 };
	bool sent = false;

	(void)buf_append(&record, &head, sizeof(head));
	(void)buf_append(&record, path, head.path_len);
	(void)buf_append(&record, text, head.text_len);
	for (int i = 0; i < MEMBERS; i++)
		sent |= send_all(guard->member[i].change_fd, record.data, record.len);
	if (sent)
		(void)buf_append(&guard->records, record.data, record.len);
	buf_done(&record);
	return sent ? 0 : err_set(err, -EPIPE, "%s: the process that restores it is gone", path);
}

int guard_remove(struct guard *guard, const char *path, struct err *err)
{
	return announce(guard, UNDO_REMOVE, path, "", err);
}

int guard_restore(struct guard *guard, const char *path, const char *text, struct err *err)
{
	return announce(guard, UNDO_RESTORE, path, text, err);
}

int guard_write(struct guard *guard, const char *path, const char *line, struct err *err)
{
	return announce(guard, UNDO_WRITE, path, line, err);
}

enum ended { ENDED_DONE, ENDED_KILLED, ENDED_NOT };

static enum ended wait_for_member(const struct member *member, int wait_ms)
{
	struct pollfd done = { .fd = member->done_fd, .events = POLLIN };

	if (poll(&done, 1, wait_ms) <= 0)
		return ENDED_NOT;
	(void)waitpid(member->pid, NULL, 0); /* it ends as soon as it has written */
	return is_undone(member->done_fd) ? ENDED_DONE : ENDED_KILLED;
}

bool guard_end(struct guard *guard, int wait_ms)
{
	struct err ignored = { 0 };
	enum ended ended;

	if (!guard)
		return true;
	(void)announce(guard, UNDO_END, "", "", &ignored); /* else it waits for our end */
	for (int i = 0; i < MEMBERS; i++)
		end_changes(&guard->member[i]);
	ended = wait_for_member(&guard->member[1], wait_ms);
	if (ended == ENDED_KILLED)
		ended = wait_for_member(&guard->member[0], wait_ms);
	if (ended == ENDED_KILLED)
		undo(&guard->records);
	for (int i = 0; i < MEMBERS; i++)
		end_member(&guard->member[i]);
	buf_done(&guard->records);
	free(guard);
	return ended != ENDED_NOT;
}

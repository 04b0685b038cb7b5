/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The process that undoes changes (see guard.h). It reads records from a pipe: a type, the length
 * of a path, the length of a text, the path, the text. The end of the pipe is the end of its
 * parent. */
#include "source/guard.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
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

enum undo_type { UNDO_REMOVE = 1, UNDO_RESTORE, UNDO_END };

struct undo_head {
	uint32_t type, path_len, text_len;
};

struct guard {
	pid_t pid;
	int change_fd; /* records for it; closed: the end */
	int done_fd;   /* at its end when all is undone */
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
	}
	vec_done(&at);
}

static int compare_fds(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static void let_go_of_files(int *keep, size_t count)
{
	unsigned from = 0;

	/* below 5.9 copies of descriptors that are marked stay open: the instance is then busy
	 * until the parent ends, and no longer */
	qsort(keep, count, sizeof(*keep), compare_fds);
	for (size_t i = 0; i < count; i++) {
		if (keep[i] < 0)
			continue;
		if ((unsigned)keep[i] > from)
			(void)close_range(from, (unsigned)keep[i] - 1, 0);
		from = (unsigned)keep[i] + 1;
	}
	(void)close_range(from, ~0u, 0);
}

static _Noreturn void watch(int change_fd, int done_fd, int keep_fd, pid_t parent)
{
	static const int ignored[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGTSTP };
	int keep[] = { change_fd, done_fd, keep_fd };
	struct buf records = { 0 };
	char chunk[4096];
	ssize_t n;

	(void)setsid();
	(void)prctl(PR_SET_NAME, "cupel-guard");
	for (size_t i = 0; i < sizeof(ignored) / sizeof(*ignored); i++)
		(void)signal(ignored[i], SIG_IGN);
	let_go_of_files(keep, sizeof(keep) / sizeof(*keep));
	do {
		n = read(change_fd, chunk, sizeof(chunk));
		if (n > 0)
			(void)buf_append(&records, chunk, (size_t)n);
	} while (n > 0 || (n < 0 && errno == EINTR));
	wait_for_end(&records, parent);
	undo(&records);
	_exit(0);
}

int guard_start(int keep_fd, struct guard **ret, struct err *err)
{
	const pid_t self = getpid(); /* asked later, a killed one's guard would find another */
	int change[2] = { -1, -1 }, done[2] = { -1, -1 };
	struct guard *guard;
	pid_t pid = -1;

	if (pipe2(change, O_CLOEXEC) == 0 && pipe2(done, O_CLOEXEC) == 0)
		pid = fork();
	if (pid == 0)
		watch(change[0], done[1], keep_fd, self);
	if (pid < 0)
		(void)err_errno(err, "starting the process that restores settings");
	fd_close(&change[0]);
	fd_close(&done[1]);
	if (pid < 0) {
		fd_close(&change[1]);
		fd_close(&done[0]);
		return err->code;
	}
	guard = mem_zalloc(sizeof(*guard));
	*guard = (struct guard){ .pid = pid, .change_fd = change[1], .done_fd = done[0] };
	*ret = guard;
	return 0;
}

static int announce(struct guard *guard, enum undo_type type, const char *path, const char *text,
		    struct err *err)
{
	struct undo_head head = { .type = type,
				  .path_len = (uint32_t)strlen(path) + 1,
				  .text_len = (uint32_t)strlen(text) + 1 };
	struct buf record = { 0 };
	int code;

	(void)buf_append(&record, &head, sizeof(head));
	(void)buf_append(&record, path, head.path_len);
	(void)buf_append(&record, text, head.text_len);
	code = fd_write_all(guard->change_fd, record.data, record.len);
	buf_done(&record);
	return code ? err_set(err, code, "%s: the process that restores it is gone", path) : 0;
}

int guard_remove(struct guard *guard, const char *path, struct err *err)
{
	return announce(guard, UNDO_REMOVE, path, "", err);
}

int guard_restore(struct guard *guard, const char *path, const char *text, struct err *err)
{
	return announce(guard, UNDO_RESTORE, path, text, err);
}

bool guard_end(struct guard *guard, int wait_ms)
{
	struct err ignored = { 0 };
	struct pollfd done;
	bool ended;

	if (!guard)
		return true;
	(void)announce(guard, UNDO_END, "", "", &ignored); /* else it waits for our end */
	(void)close(guard->change_fd);
	done = (struct pollfd){ .fd = guard->done_fd, .events = POLLIN };
	ended = poll(&done, 1, wait_ms) > 0;
	if (ended)
		(void)waitpid(guard->pid, NULL, 0);
	(void)close(guard->done_fd);
	free(guard);
	return ended;
}

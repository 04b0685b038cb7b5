/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The server and its two requests (see fork_server.h). It is this program with this memory layout,
 * so a function's address means the same there. */
#include "base/fork_server.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/fd.h"

#define SERVER_FD 3 /* in the server */

struct fork_server {
	int socket, end;
	pid_t pid;
	pthread_mutex_t lock; /* from a request to its answer */
};

struct request {
	void (*run)(int socket); /* the socket comes with the request; NULL = end the process */
	pid_t pid;
	int nice_value;
};

/* The server. */

/* Returns the signal that ended it; 0 = none. */
static int wait_for(pid_t pid)
{
	int status = 0;
	pid_t found;

	do
		found = waitpid(pid, &status, 0);
	while (found < 0 && errno == EINTR);
	return found == pid && WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static int answer_start(const struct request *request, int socket)
{
	pid_t pid = fork();

	if (pid == 0) {
		(void)close(SERVER_FD);
		(void)setpriority(PRIO_PROCESS, 0,
				  request->nice_value); /* a better one is refused */
		request->run(socket);
		_exit(0);
	}
	return pid < 0 ? -errno : pid;
}

static int answer_end(pid_t pid)
{
	(void)kill(pid, SIGKILL); /* not waited for yet, so the number is still its own */
	return wait_for(pid);
}

/* False at the end. */
static bool take_request(struct request *ret, int *ret_fd)
{
	union {
		struct cmsghdr header;
		char room[CMSG_SPACE(sizeof(int))];
	} control;
	struct iovec bytes = { ret, sizeof(*ret) };
	struct msghdr message = { .msg_iov = &bytes,
				  .msg_iovlen = 1,
				  .msg_control = &control,
				  .msg_controllen = sizeof(control) };

	*ret_fd = -1;
	if (recvmsg(SERVER_FD, &message, MSG_CMSG_CLOEXEC) != (ssize_t)sizeof(*ret))
		return false;
	if (message.msg_controllen >= CMSG_LEN(sizeof(int)))
		memcpy(ret_fd, CMSG_DATA(&control.header), sizeof(*ret_fd));
	return true;
}

static _Noreturn void serve(int socket)
{
	struct request request;
	sigset_t all;
	int fd, null;

	(void)sigfillset(&all); /* signals of the terminal are for the program's own process */
	(void)sigprocmask(SIG_SETMASK, &all, NULL);
	(void)prctl(PR_SET_NAME, "cupel-forks");
	socket = fcntl(socket, F_DUPFD_CLOEXEC, SERVER_FD + 1);
	null = open("/dev/null", O_RDWR | O_CLOEXEC);
	for (fd = STDIN_FILENO; fd <= STDERR_FILENO && null >= 0; fd++)
		(void)dup2(null, fd);
	(void)dup2(socket, SERVER_FD);
	(void)close_range(SERVER_FD + 1, UINT_MAX, 0);
	while (take_request(&request, &fd)) {
		int result = request.run ? answer_start(&request, fd) : answer_end(request.pid);

		fd_close(&fd);
		if (send(SERVER_FD, &result, sizeof(result), MSG_NOSIGNAL) < 0)
			break;
	}
	_exit(0);
}

/* The others. */

int fork_server_open(struct fork_server **ret, struct err *err)
{
	struct fork_server *server;
	int ends[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		return err_errno(err, "socketpair");
	pid = fork();
	if (pid == 0)
		serve(ends[0]);
	(void)close(ends[0]);
	if (pid < 0) {
		int code = err_errno(err, "fork");

		(void)close(ends[1]);
		return code;
	}
	server = mem_zalloc(sizeof(*server));
	server->socket = ends[1];
	server->pid = pid;
	server->end = (int)syscall(SYS_pidfd_open, pid, 0);
	(void)pthread_mutex_init(&server->lock, NULL); /* cannot fail with default attributes */
	*ret = server;
	return 0;
}

const int *fork_server_end_fd(const struct fork_server *server)
{
	return &server->end;
}

void fork_server_close(struct fork_server *server)
{
	if (!server)
		return;
	(void)close(server->socket);
	(void)wait_for(server->pid);
	fd_close(&server->end);
	(void)pthread_mutex_destroy(&server->lock);
	free(server);
}

/* With a descriptor unless it is -1. The answer, or -errno. */
static int ask(struct fork_server *server, const struct request *request, int fd)
{
	union {
		struct cmsghdr header;
		char room[CMSG_SPACE(sizeof(int))];
	} control = { .header = { .cmsg_len = CMSG_LEN(sizeof(int)),
				  .cmsg_level = SOL_SOCKET,
				  .cmsg_type = SCM_RIGHTS } };
	struct iovec bytes = { (void *)(uintptr_t)request, sizeof(*request) };
	struct msghdr message = { .msg_iov = &bytes, .msg_iovlen = 1 };
	int result = -EPIPE;
	ssize_t len;

	if (fd >= 0) {
		memcpy(CMSG_DATA(&control.header), &fd, sizeof(fd));
		message.msg_control = &control;
		message.msg_controllen = sizeof(control);
	}
	(void)pthread_mutex_lock(&server->lock);
	if (sendmsg(server->socket, &message, MSG_NOSIGNAL) > 0) {
		do
			len = recv(server->socket, &result, sizeof(result), 0);
		while (len < 0 && errno == EINTR);
		if (len != (ssize_t)sizeof(result))
			result = -EPIPE;
	}
	(void)pthread_mutex_unlock(&server->lock);
	return result;
}

int fork_server_start(struct fork_server *server, void (*run)(int socket), pid_t *ret)
{
	struct request request = { .run = run, .nice_value = getpriority(PRIO_PROCESS, 0) };
	int ends[2], result;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
		return -errno;
	result = ask(server, &request, ends[0]);
	(void)close(ends[0]);
	if (result < 0) {
		(void)close(ends[1]);
		return result;
	}
	*ret = result;
	return ends[1];
}

int fork_server_end(struct fork_server *server, pid_t pid)
{
	return ask(server, &(struct request){ .pid = pid }, -1);
}

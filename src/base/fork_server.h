/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A process that starts others. It is forked before there are threads, so what it forks has no lock
 * that a thread held which is not there, and little memory to copy. Functions may be called by any
 * thread. */
#ifndef BASE_FORK_SERVER_H
#define BASE_FORK_SERVER_H

#include <sys/types.h>

struct err;
struct fork_server;

/* Call it before starting threads. Returns 0, or -errno with err set. */
int fork_server_open(struct fork_server **ret, struct err *err);
/* Ends it, but not what it started. NULL is fine. */
void fork_server_close(struct fork_server *server);

/* Readable once the server has ended, which only another process can have done: nothing can be
 * started any more. -1: the kernel is older than 5.3. It is closed with the server. */
const int *fork_server_end_fd(const struct fork_server *server);

/* Calls run(socket) in a new process, which ends when that returns. The process has the caller's
 * nice value, no other descriptors than its socket and /dev/null as 0 to 2, and blocks all signals.
 * Returns the other end of its socket (stream), or -errno. */
int fork_server_start(struct fork_server *server, void (*run)(int socket), pid_t *ret);
/* Kills the process, if it has not ended, and waits for its end. Returns the signal that ended it:
 * 0 = none, < 0 = not known. */
int fork_server_end(struct fork_server *server, pid_t pid);

#endif

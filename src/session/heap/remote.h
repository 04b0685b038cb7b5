/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A running process that is stopped for a moment: one of its threads makes system calls, and runs
 * code that was put into it, wherever it was stopped. Signals wait meanwhile. Registers of any size
 * are saved and restored; a thread that waits in a system call goes on waiting. If the code that
 * was put there faults, the process does not notice. The calling thread traces the process, so its
 * end lets the process go: it must not end between the calls. */
#ifndef SESSION_HEAP_REMOTE_H
#define SESSION_HEAP_REMOTE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct err;
struct remote;

/* Stops all threads. */
int remote_stop(pid_t pid, struct remote **ret, struct err *err);
/* Restores what was, and lets them go. Returns how long they were stopped. NULL is fine. */
uint64_t remote_resume(struct remote *remote);

/* What the system call returned is in *ret; fails if it was not made. */
int remote_call(struct remote *remote, long number, const uint64_t args[6], int64_t *ret,
		struct err *err);
/* The same where the call must succeed: returns its result, or -errno with err set. */
int64_t remote_must_call(struct remote *remote, long number, const uint64_t args[6],
			 struct err *err);
struct remote_code {
	uint64_t at, stack, args[4]; /* where a function has its first four */
};
/* Runs code until it faults near its beginning, where it ends; *ret is what a function's first
 * argument would be then. */
int remote_run(struct remote *remote, const struct remote_code *code, uint64_t *ret,
	       struct err *err);

/* Its memory, also what it can only read. */
int remote_read(pid_t pid, uint64_t address, void *to, size_t len);
int remote_write(const struct remote *remote, uint64_t address, const void *from, size_t len);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Processes that parse what others wrote, for one that has privileges. Such a child is forked from
 * this program, enters the sandbox (base/sandbox.h) before it runs anything, and has no descriptors
 * but standard error, its socket and one that it is given. What it answers is data to check: a flaw
 * in a parser gives away what the sandbox still allows, not the privileges. The rule: a process
 * that can do more than read opens no binary (sandbox_is_privileged()). */
#ifndef BASE_CONFINED_H
#define BASE_CONFINED_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct buf;
struct err;

struct confined {
	pid_t pid;  /* 0 = there is none */
	int socket; /* stream; -1 = there is none */
};

#define CONFINED_NONE ((struct confined){ .socket = -1 })

struct confined_options {
	const char *name; /* of the process, at most 15 bytes; borrowed for the call */
	int keep;	  /* a descriptor that it may use as well, also standard input; -1 = none */
	bool network;	  /* downloads: without the sandbox */
};

/* Calls run(context, socket) in a child, which ends when that returns. It has what this process has
 * in memory. Call it before starting threads. Returns 0, or -errno with err set. */
int confined_start(const struct confined_options *options, void (*run)(void *context, int socket),
		   void *context, struct confined *ret, struct err *err);
/* Kills the child, if it has not ended, and frees; it may be called twice. */
void confined_end(struct confined *confined);
/* Whether the process is one that confined_start() made and that has not been ended. */
bool confined_has(pid_t pid);
/* Up to `most` of those; returns their number. */
unsigned confined_list(uint32_t *ret, unsigned most);

/* In the child: the result of its work, code and err or bytes. Returns 0 or -errno. */
int confined_answer(int socket, int code, const struct buf *bytes, const struct err *err);
/* Waits for that; appends the bytes up to ret->limit. A child that ended without an answer, or one
 * that is too long, is -ECHILD. Returns the child's code with its err. */
int confined_take(struct confined *confined, struct buf *ret, struct err *err);

/* Calls make(context, bytes, err) in such a child and takes its answer. Without privileges to lose
 * it is called here. */
int confined_call(const char *name, int (*make)(void *context, struct buf *bytes, struct err *err),
		  void *context, struct buf *ret, struct err *err);

#endif

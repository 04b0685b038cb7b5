/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Answers in processes of their own, one each: they may only read, have a limit of memory and of
 * time, and take nothing with them when they end. A store holds what programs on many machines were
 * named by, and its binaries are untrusted as well.
 *
 * Any thread may ask. */
#ifndef SERVER_WORKER_H
#define SERVER_WORKER_H

#include <stdint.h>

struct err;
struct question_place;
struct reply;
struct workers;

struct worker_limits {
	unsigned processes; /* at a time; others wait */
	uint64_t memory_bytes;
	uint64_t time_ns; /* of an answer, waiting included */
};

/* Call it before starting threads. */
int workers_open(const struct worker_limits *limits, struct workers **ret, struct err *err);
/* As fork_server_end_fd(). */
const int *workers_end_fd(const struct workers *workers);
void workers_close(struct workers *workers); /* NULL is fine */
/* What answer() says; a reply that is an error when it takes too long or fails. */
void workers_answer(struct workers *workers, const char *target, const struct question_place *place,
		    struct reply *reply);

#endif

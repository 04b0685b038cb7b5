/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The process that writes what is received: it holds stores open, reads the profiles, appends them,
 * and has a limit of memory. When it ends, for whatever is in a profile, the next one begins with
 * the next request, and what was answered with success stays. Any thread may ask; one request at a
 * time is written. */
#ifndef SERVER_WRITER_H
#define SERVER_WRITER_H

#include <stddef.h>
#include <stdint.h>

#include "store/store.h"

struct err;
struct fork_server;
struct reply;
struct writer;

struct writer_limits {
	uint64_t memory_bytes; /* 0 = no limit */
	uint64_t time_ns;      /* of a request */
	struct store_limits store;
};

struct writer_request {
	const char *location, *target, *type, *encoding;
	uint32_t uid; /* as in struct ingest */
	uint64_t now_ns;
	const void *body;
	size_t len;
};

/* Call it before starting threads. */
int writer_open(const struct writer_limits *limits, struct writer **ret, struct err *err);
/* As fork_server_end_fd(). */
const int *writer_end_fd(const struct writer *writer);
void writer_close(struct writer *writer); /* NULL is fine; what was written is kept */
void writer_send(struct writer *writer, const struct writer_request *request, struct reply *reply);

#endif

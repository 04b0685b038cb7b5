/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The web server over a store: listens, decides who may ask (admission.h), and has answers made by
 * processes of their own (worker.h). It has a thread for each connection, and limits for all that a
 * client can make large. */
#ifndef SERVER_SERVER_H
#define SERVER_SERVER_H

#include <stddef.h>
#include <stdint.h>

#include "server/worker.h"
#include "server/writer.h"

struct err;
struct server;

#define SERVER_LISTEN_DEFAULT "127.0.0.1:4170"

struct server_options {
	const char *store;
	const char *const *listen; /* none = SERVER_LISTEN_DEFAULT */
	size_t listen_count;
	const char *tls_cert, *tls_key; /* files in PEM; for addresses that are not loopback */
	const char *tokens;		/* file; NULL = "tokens" in the store */
	const char *const *hosts;	/* further names of this machine in Host headers */
	size_t host_count;
	uint64_t connections;	/* at a time */
	uint64_t request_bytes; /* of what is sent here */
	struct worker_limits answers;
	struct writer_limits received;
	void (*say)(const char *line); /* for the log */
};

/* All limits; neither a store nor a log. */
void server_options_default(struct server_options *ret);
/* Call it before starting threads, and with SIGPIPE blocked. */
int server_open(const struct server_options *options, struct server **ret, struct err *err);
/* As fork_server_end_fd(), of the two processes that start all others; the server is of no use
 * without them. */
enum server_part { SERVER_ANSWERS, SERVER_WRITES };
const int *server_end_fd(const struct server *server, enum server_part part);
void server_close(struct server *server); /* NULL is fine */

#endif

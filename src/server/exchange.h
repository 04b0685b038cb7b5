/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A request and its reply, without the library that carries them: what server.c gets from clients
 * goes in here, and what they get comes out. Any thread may call the functions. */
#ifndef SERVER_EXCHANGE_H
#define SERVER_EXCHANGE_H

#include "server/admission.h"

struct buf;
struct reply;
struct workers;
struct writer;

/* What all exchanges have in common. */
struct exchange_server {
	const char *store;
	struct admission_rules rules;
	struct workers *workers;
	struct writer *writer;
};

/* What came with a request. */
struct exchange_sent {
	const char *target, *type, *encoding; /* headers that are missing are "" */
	const struct buf *body;
};

/* Which requests there are. */
struct route {
	const char *method;
	unsigned rights;
	void (*answer)(const struct exchange_server *server, const struct caller *caller,
		       const struct exchange_sent *sent, struct reply *reply);
};

/* NULL = there is no such path, or it does not take that method: then *ret_status is 404 or 405. */
const struct route *exchange_route(const char *method, const char *target, unsigned *ret_status);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A request and its reply, without the library that carries them: what server.c gets from clients
 * goes in here, and what they get comes out. Any thread may call the functions. */
#ifndef SERVER_EXCHANGE_H
#define SERVER_EXCHANGE_H

#include "server/admission.h"

struct buf;
struct reply;
struct workers;

/* What all exchanges have in common. */
struct exchange_server {
	const char *store;
	struct admission_rules rules;
	struct workers *workers;
};

/* Which requests there are. `rights` = 0: anybody may. */
struct route {
	const char *method;
	unsigned rights;
	/* body: what was sent; for methods that send something. */
	void (*answer)(const struct exchange_server *server, const struct caller *caller,
		       const char *target, const struct buf *body, struct reply *reply);
};

/* NULL = there is no such path, or it does not take that method: then *ret_status is 404 or 405. */
const struct route *exchange_route(const char *method, const char *target, unsigned *ret_status);

#endif

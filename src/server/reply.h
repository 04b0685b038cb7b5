/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a client gets. */
#ifndef SERVER_REPLY_H
#define SERVER_REPLY_H

#include <stddef.h>

#include "base/buf.h"

struct err;

#define REPLY_HTML     "text/html; charset=utf-8"
#define REPLY_JSON     "application/json"
#define REPLY_TEXT     "text/plain; charset=utf-8"
#define REPLY_BYTES    "application/octet-stream"
#define REPLY_CONNECT  "application/proto"
#define REPLY_PROTOBUF "application/x-protobuf"

struct reply {
	unsigned status;   /* of HTTP */
	const char *type;  /* of the body: a string that is constant */
	const char *tag;   /* a constant that changes with the body; NULL = it is not kept */
	char download[64]; /* name of a file that the client saves it as; "" = it is shown */
	struct buf body;
};

/* A line of text in place of what the body has. */
void reply_error(struct reply *reply, unsigned status, const char *message);
/* The status for an error: what the client did wrong, what is not there, what failed here. */
void reply_err(struct reply *reply, const struct err *err);
void reply_done(struct reply *reply);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a client asks for: the target of its request line, PATH?NAME=VALUE&…, taken apart and
 * decoded. The text is untrusted. */
#ifndef SERVER_REQUEST_H
#define SERVER_REQUEST_H

#include <stddef.h>

struct err;

#define REQUEST_TARGET_MAX     ((size_t)16 << 10)
#define REQUEST_PARAMETERS_MAX 64

struct request_parameter {
	const char *name, *value;
};

struct request {
	char *text; /* what the others point into */
	const char *path;
	struct request_parameter parameter[REQUEST_PARAMETERS_MAX];
	size_t count;
};

/* Fails for more than the limits, for damaged escapes and for NUL bytes. */
int request_parse(const char *target, struct request *ret, struct err *err);
/* The first one of that name; NULL = there is none. */
const char *request_get(const struct request *request, const char *name);
void request_done(struct request *request);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which client may do what. It is known by the token that it sends, else, on this machine, by the
 * user of its process: root and the server's own user see everything, others what is theirs.
 * Requests that another web page makes a browser send are refused, and so are names of hosts that
 * are not this machine's (DNS rebinding). */
#ifndef SERVER_ADMISSION_H
#define SERVER_ADMISSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "server/listener.h"
#include "server/tokens.h"

struct admission_rules {
	const char *tokens_path;
	const char *const *hosts; /* further names of this machine */
	size_t host_count;
	uid_t owner; /* of the server's process */
};

/* What the request says of itself; headers that it does not have are NULL. */
struct admission_claim {
	enum listener_kind kind;
	int socket;
	const char *method;
	const char *host, *authorization, *api_key, *origin, *fetch_site, *fetch_mode;
};

struct caller {
	unsigned rights; /* bits of enum right */
	uint32_t viewer; /* STORE_EVERYBODY, or the user who sees no others' samples */
	const char *by;	 /* "token" or "user": how it is known */
	char name[TOKEN_NAME_MAX], tenant[TOKEN_NAME_MAX];
};

/* 0, or the status of HTTP with which the request is refused, and why. Asks for all of `rights`. */
unsigned admission_check(const struct admission_rules *rules, const struct admission_claim *claim,
			 unsigned rights, struct caller *ret, const char **ret_why);

/* Whether a Host header names this machine's loopback interface, or one of the further names. */
bool admission_host_is_ours(const struct admission_rules *rules, const char *host);
/* The token in a header "Bearer TOKEN" or "Basic base64(NAME:TOKEN)"; false = there is none. */
bool admission_secret(const char *authorization, char ret[TOKEN_MAX]);

#endif

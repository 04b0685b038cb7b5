/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Profiles to servers of other systems, over HTTP, as `cupel serve` receives them: KIND:URL, with
 * the kinds pyroscope, parca, coroot and otlp. The URL is that of the server, such as
 * http://host:4040; what the protocol has behind it is added. */
#ifndef SESSION_STORE_PROFILE_SEND_H
#define SESSION_STORE_PROFILE_SEND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;
struct err;
struct http_client;
struct label_set;
struct profile;
struct send_kind;

#define SEND_KINDS "pyroscope, parca, coroot or otlp"

struct send_target {
	const struct send_kind *kind;
	const char *url; /* borrowed from the text */
};

struct send_options {
	const struct label_set *labels; /* `service` and others, by the names of a store */
	int64_t clock_ns;		/* what makes the profile's times Unix time */
	const char *token;		/* NULL = none */
	struct http_client *client;
};

int send_target_parse(const char *text, struct send_target *ret, struct err *err);
/* Whether it takes times of samples: PROFILE_KEEP_TIME is of use. */
bool send_target_keeps_time(const struct send_target *target);
struct send_result {
	uint64_t left_out; /* samples of events that the system has no name for */
	char warning[256]; /* what a server says that took everything; "" = nothing */
};

/* Fails as well if the server took only a part. The profile's meta and names of
 * events are changed as the system has them. */
int profile_send(const struct send_target *target, struct profile *profile,
		 const struct send_options *options, struct send_result *ret, struct err *err);

/* For tests: the address and the body. */
struct send_request {
	struct buf *url, *body;
	const char *type;
	uint64_t left_out;
};
int profile_send_make(const struct send_target *target, struct profile *profile,
		      const struct send_options *options, struct send_request *ret,
		      struct err *err);

#endif

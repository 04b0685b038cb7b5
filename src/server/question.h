/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which part of a store a request is about. Parameters, all optional: selector, from, to (as of
 * `cupel query`), event, by (a label), step (seconds), total. Those of the other side of a
 * comparison have "before_" in front. */
#ifndef SERVER_QUESTION_H
#define SERVER_QUESTION_H

#include <stdbool.h>
#include <stdint.h>

#include "session/store/store_input.h"

struct err;
struct load_options;
struct profile;
struct request;
struct store_query;

#define QUESTION_COLUMNS_MAX 2000

/* Whose question it is, and about which store. */
struct question_place {
	const char *location;
	uint32_t viewer; /* as in struct store_query */
	uint64_t now_ns; /* Unix time */
};

struct question {
	struct store_input input;
	const char *event, *by; /* borrowed from the request; NULL = all, none */
	uint64_t step_ns;	/* a multiple of STORE_BUCKET_NS */
	bool total;
};

/* prefix: "" or "before_". Errors are the client's. */
int question_make(const struct request *request, const struct question_place *place,
		  const char *prefix, struct question *ret, struct err *err);
void question_done(struct question *question);
/* For the store itself; borrows from the question. */
struct store_query question_query(const struct question *question);
/* Amounts of different events cannot be added: an error that names them, if it asks for none of
 * several. Before question_load(). */
int question_check_event(const struct question *question, struct err *err);
/* The profile that it asks for, named, as `cupel query` loads it. It takes the input. */
int question_load(struct question *question, const struct load_options *options,
		  struct profile **ret, struct err *err);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A part of a store as an input of all commands that read profiles:
 *
 *     store:LOCATION{service="web", host=~"db.*"}[-1h,now]
 *
 * LOCATION is a folder or an address, nothing = STORE_DEFAULT; the selector and the range, of which
 * either may be missing, are those of store/selector.h and store/time_text.h. Without a range it is
 * the last hour. */
#ifndef SESSION_STORE_INPUT_H
#define SESSION_STORE_INPUT_H

#include <stdbool.h>
#include <stdint.h>

struct err;
struct load_options;
struct profile;
struct selector;

#define STORE_INPUT_PREFIX "store:"

struct store_input {
	char *location;
	struct selector *selector; /* NULL = everything */
	uint64_t from_ns, to_ns;
	uint32_t viewer; /* as in struct store_query; STORE_EVERYBODY from a path */
};

bool store_input_is(const char *path); /* NULL = no */
/* now_ns: Unix time. */
int store_input_parse(const char *path, uint64_t now_ns, struct store_input *ret, struct err *err);
void store_input_done(struct store_input *input);
/* As recording_load(): named, without samples an error with the reason. */
int store_input_load(const struct store_input *input, const struct load_options *options,
		     struct profile *ret, struct err *err);

/* Whose samples this process may see: STORE_EVERYBODY for root, else those of its user. */
uint32_t store_viewer(void);

#endif

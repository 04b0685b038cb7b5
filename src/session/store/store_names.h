/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names for what comes out of a store. Frames are stored as a place in a module with a build id,
 * with or without the name that was known then. They get, in this order, the name that the store
 * learned later (the file `names` in its folder, in the form of symbol/kept/kept_names.h), the
 * one that they came with, and what this machine knows. */
#ifndef SESSION_STORE_NAMES_H
#define SESSION_STORE_NAMES_H

#include <stdint.h>

struct err;
struct load_options;
struct profile;
struct symbol_options;

/* Adds the samples of a raw profile to an empty one with the options' detail. */
int store_names_apply(const char *location, const struct profile *raw,
		      const struct load_options *options, struct profile *ret, struct err *err);
/* Looks for the names of all places of a raw profile on this machine, and keeps them in the store,
 * with those that it has. *ret_count (may be NULL) are the places that have a name now. */
int store_names_learn(const char *location, const struct profile *raw,
		      const struct symbol_options *options, uint64_t *ret_count, struct err *err);

#endif

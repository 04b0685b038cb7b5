/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The functions that samples of a profile hit, and where in them. The profile must have addresses
 * (RESOLVE_ADDRESSES); only the sampled place of each stack counts. */
#ifndef SESSION_ANNOTATE_INDEX_H
#define SESSION_ANNOTATE_INDEX_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/strtab.h"
#include "base/vec.h"
#include "profile/annotation.h"

struct profile;
struct suggest;

/* A function with samples. */
struct annotate_function {
	uint32_t module; /* of the profile */
	string_id name;	 /* of the profile */
	uint64_t start, end;
	uint32_t first_hit, hits;
	struct annotation_count *count; /* per event */
};

struct annotate_hit {
	uint64_t offset; /* in the module */
	uint32_t function;
	uint16_t event;
	struct annotation_count count;
};

struct annotate_index {
	const struct profile *profile;
	VEC(struct annotate_function) functions; /* in the order of their first samples */
	VEC(struct annotate_hit) hits;		 /* by function, then offset */
	uint64_t nameless;			 /* samples that hit no function with a name */
	struct arena arena;
};

/* The profile is borrowed. */
void annotate_index_find(const struct profile *profile, struct annotate_index *ret);
void annotate_index_done(struct annotate_index *index);

enum annotate_match {
	ANNOTATE_NAME,	 /* that name */
	ANNOTATE_CLONES, /* also what compilers make of it: symbol_name_is_clone() */
};

/* The function with that name, from `from` on; SIZE_MAX if there is none. `modules`: names or paths
 * with commas between them, NULL = any. name NULL = any. */
size_t annotate_index_search(const struct annotate_index *index, const char *name,
			     enum annotate_match match, const char *modules, size_t from);
/* The function of that name that begins at `start` in its module. If there is none: the one with
 * the most samples of those with the name. */
size_t annotate_index_at(const struct annotate_index *index, const char *name, const char *modules,
			 uint64_t start);
/* The function with code at an offset of its module; SIZE_MAX if there is none. */
size_t annotate_index_covering(const struct annotate_index *index, const char *modules,
			       uint64_t offset);
/* The functions hottest in an event first: returns their numbers, count of them in *ret_count;
 * free() it. */
uint32_t *annotate_index_order(const struct annotate_index *index, size_t event, size_t *ret_count);
/* Considers all names. */
void annotate_index_suggest(const struct annotate_index *index, struct suggest *suggest);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is at a data address of a process: a variable of a module, else the mapping. Follows the
 * mappings by the records that have them (mmap_data). Not thread-safe. */
#ifndef SESSION_DATA_DATA_PLACE_H
#define SESSION_DATA_DATA_PLACE_H

#include <stdint.h>

#include "profile/profile_access.h"

struct address_space;
struct data_module;
struct data_modules;
struct data_places;
struct event;
struct module_table;

/* Both outlive it; modules of mappings are added to the table. */
struct data_places *data_places_new(struct data_modules *modules, struct module_table *table);
void data_places_free(struct data_places *places); /* NULL is fine */
/* Every event that is not a sample, in order of time. */
void data_places_apply(struct data_places *places, const struct event *event);

struct data_place {
	enum access_kind kind;
	const char *object, *module; /* "" = none; as long as what they are of */
	uint64_t offset, size;	     /* in the object; size 0 = unknown */
	struct data_module *of;	     /* of a variable; valid until the next call */
	uint64_t address;	     /* where it is linked */
};

struct data_subject {
	uint32_t pid;
	const struct address_space *space; /* its code */
	uint64_t sp;			   /* of the thread; 0 = unknown */
};

void data_place_find(struct data_places *places, const struct data_subject *subject,
		     uint64_t address, struct data_place *ret);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The accesses to data that samples of a recording are about (PROFILE_ADDR_IS_ACCESS), with what is
 * at their addresses. */
#ifndef SESSION_LOAD_ACCESS_H
#define SESSION_LOAD_ACCESS_H

#include <stdint.h>

struct address_space;
struct event;
struct load_access_table;
struct load_options;
struct module_table;
struct profile;

/* Both are borrowed. */
struct load_access_table *load_access_new(const struct load_options *options,
					  struct module_table *modules);
void load_access_free(struct load_access_table *table); /* NULL is fine */
/* Every event that is not a sample. */
void load_access_apply(struct load_access_table *table, const struct event *event);
/* A sample; `space` is that of its process. Returns the access's index, and changes the weight
 * where the options ask for it. */
uint64_t load_access_add(struct load_access_table *table, const struct event *event,
			 const struct address_space *space, uint64_t *weight);
/* After the last sample. */
void load_access_finish(const struct load_access_table *table, struct profile *profile);

#endif

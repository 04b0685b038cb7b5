/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Collects the names that a recording is to keep (symbol/kept/kept_names.h): reads it once, finds
 * every place that its samples hit, and asks this machine for the names of each. */
#ifndef SESSION_KEEP_NAMES_H
#define SESSION_KEEP_NAMES_H

#include <stdbool.h>

struct buf;
struct err;
struct map;
struct module;
struct module_bundle;
struct module_table;
struct recording;
struct section_cache;

/* Of the recording at `path`, which may still lack its end. Appends nothing when nothing has a
 * name. */
struct keep_names_request {
	const char *path;
	const struct map *users;	      /* symbol_options.users */
	const struct module_bundle *binaries; /* that are open; NULL = none */
	struct section_cache *unpacked;	      /* symbol_options.unpacked */
	bool lines; /* and inlined functions: they take most of the memory and time */
};
int keep_names_of(const struct keep_names_request *request, struct buf *ret, struct err *err);

/* The same of one that is open. Each module that was hit is offered as well; `stacks` tells whether
 * samples hold copied stacks, which take the modules' unwind tables to read. Modules are valid
 * during the call; a result other than 0 ends the work and becomes that of the function. */
struct keep_names_visit {
	int (*module)(void *context, const struct module *module, const struct module_table *all,
		      bool stacks, struct err *err);
	void *context;
};
int keep_names_visit(struct recording *recording, const struct keep_names_visit *visit,
		     struct buf *ret, struct err *err);

#endif

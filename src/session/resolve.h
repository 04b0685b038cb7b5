/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Gives a raw profile its names: every distinct frame is resolved once, on all cores, and the tree
 * is rebuilt with inlined functions as frames of their own. */
#ifndef SESSION_RESOLVE_H
#define SESSION_RESOLVE_H

#include "symbol/symbolizer.h"

struct module_table;
struct profile;

/* On entry frame.module is an id of `modules`; on return it is an index in profile->modules.
 * options NULL = leave the names out. */
void resolve_profile(struct profile *profile, const struct module_table *modules,
		     const struct symbol_options *options);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names for the frames of a profile while it is being loaded. Places (module, offset) are
 * collected in batches, resolved on all cores, and then pushed onto stacks as the frames they
 * turned out to be: one per function, inlined ones included. One thread may collect a batch while
 * another runs the one before and writes the profile. */
#ifndef SESSION_RESOLVE_H
#define SESSION_RESOLVE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "profile/profile.h"
#include "symbol/symbolizer.h"

struct module;
struct module_table;
struct resolver;

/* Which frames are distinct. Less detail makes profiles smaller and faster. */
enum resolve_detail {
	RESOLVE_ADDRESSES, /* every address is a frame, with its source line */
	RESOLVE_FUNCTIONS, /* a function is one frame; addresses without a symbol stay distinct */
	RESOLVE_NAMES,	   /* the same, and all nameless addresses of a module are one frame */
};

struct resolve_options {
	const struct symbol_options *symbol; /* NULL = no names */
	enum resolve_detail detail;
	bool late; /* places get no names before resolver_name_late() */
};

struct resolve_place {
	const struct module *module;
	uint64_t offset, pc;
	bool kernel, caller; /* see struct frame */
};

struct named_module;
struct place;

struct resolve_batch {
	VEC(struct place) places;
	VEC(struct named_module *) twins; /* modules among theirs that may share symbols */
};

void resolve_batch_done(struct resolve_batch *batch);

struct resolver *resolver_new(struct profile *profile, const struct module_table *modules,
			      const struct resolve_options *options);
/* Adds a place, new or known, and returns its number among those of all batches. */
uint32_t resolver_add(struct resolver *resolver, struct resolve_batch *batch,
		      const struct resolve_place *place);
/* Call when the batch is full, before another thread runs it. */
void resolver_hand_over(struct resolver *resolver, struct resolve_batch *batch);
/* Resolves the places of a batch and empties it; batches are run in the order in which they were
 * handed over. */
void resolver_run(struct resolver *resolver, struct resolve_batch *batch);
/* Pushes the frames of a place of this batch or one before, outermost first. */
stack_id resolver_push(struct resolver *resolver, stack_id stack, uint32_t place);
/* Symbolizes the stacks and samples of a late resolver's profile, after the last batch, into an
 * empty profile: as if they had been resolved with these options from the start. */
void resolver_name_late(const struct resolver *late, const struct module_table *modules,
			const struct resolve_options *options, struct profile *ret);
/* Writes down which modules could not be named and why, then closes everything. NULL is fine. */
void resolver_finish(struct resolver *resolver);

/* How a profile has code of that module: the kind of its frames, and the name of the module. */
enum frame_kind resolve_frame_kind(const struct module *module, bool kernel);
const char *resolve_module_path(const struct module *module);

#endif

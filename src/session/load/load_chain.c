/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Chains of places (see load_chain.h). A place is looked up once as long as its slot of a cache of
 * fixed size is not taken by another. */
#include "session/load/load_chain.h"

#include <string.h>

#include "base/vec.h"
#include "proc/address_space.h"
#include "proc/module.h"
#include "proc/proc.h"
#include "session/capture.h"
#include "session/load/load.h"
#include "session/load/load_finish.h"
#include "session/load/resolve.h"

/* The cache stays in the CPU's: a lost entry is only worked out again. */
#define PLACE_BITS  16
#define PLACE_SLOTS (1u << PLACE_BITS)

/* A place that the resolver already has. */
struct known_place {
	uint64_t key;	/* hash of (space, pc, caller) */
	uint32_t place; /* + 1, 0 = free */
};

/* One half of a chain: where its addresses are looked for. */
struct half {
	const struct address_space *space;
	const uint64_t *pc; /* leaf first */
	size_t count;
	uint64_t id;	  /* of what decides where an address lies */
	uint64_t seed[2]; /* by caller: distinguishes cached places of this half */
	enum capture_mode mode;
	bool calls; /* addresses are of the calls themselves: none is a return address */
};

/* The chain before on the same CPUs. */
struct lane {
	VEC(uint64_t) pc;
	size_t count[2]; /* of its halves: kernel, user */
	uint64_t id[2];
};

struct load_chains {
	const struct load_options *options;
	const struct capture *capture;
	struct resolver *resolver;
	struct known_place *known;
	struct lane lane[LOAD_LANES];
};

struct load_chains *load_chains_new(const struct load_options *options,
				    const struct capture *capture, struct resolver *resolver)
{
	struct load_chains *chains = mem_zalloc(sizeof(*chains));

	chains->options = options;
	chains->capture = capture;
	chains->resolver = resolver;
	chains->known = mem_zalloc(PLACE_SLOTS * sizeof(*chains->known));
	return chains;
}

void load_chains_free(struct load_chains *chains)
{
	if (!chains)
		return;
	for (size_t i = 0; i < LOAD_LANES; i++)
		vec_done(&chains->lane[i].pc);
	free(chains->known);
	free(chains);
}

static struct half make_half(const struct load_chains *c, const struct address_space *space,
			     enum capture_mode mode)
{
	uint32_t space_id = mode == CAPTURE_KERNEL ? proc_table_kernel_space(c->capture->procs)
						   : space->id;
	uint64_t id = (uint64_t)space_id << 2 | (uint64_t)mode;
	uint64_t seed = id * 0xd6e8feb86659fd93u;

	return (struct half){ .space = space, .id = id, .seed = { seed, ~seed * 3 }, .mode = mode };
}

/* The leaf and its callers are alike. */
static void take_as_calls(struct half *half)
{
	half->calls = true;
	half->id = ~half->id;
	half->seed[1] = half->seed[0];
}

/* What the options leave of a chain. */
static void split(const struct load_chains *c, const struct capture_chain *chain,
		  struct half *kernel, struct half *user)
{
	const struct load_options *options = c->options;
	size_t count = chain->count, border;

	if (options->max_stack && count > options->max_stack)
		count = options->max_stack;
	border = chain->kernel < count ? chain->kernel : count;
	kernel->pc = chain->pc;
	kernel->count = options->hide_kernel ? 0 : border;
	user->pc = chain->pc + border;
	user->count = options->hide_user ? 0 : count - border;
}

/* Outer frames in common; the innermost is no caller and so equals none but the innermost. */
static size_t count_same(const struct half *half, const uint64_t *before, size_t count)
{
	size_t most = half->count < count ? half->count : count, same = 0;

	while (same < most && half->pc[half->count - 1 - same] == before[count - 1 - same])
		same++;
	return same - (same && same == most && half->count != count);
}

/* How many places the chain shares with the one before in its lane, which it replaces there. */
static size_t follow(struct lane *lane, const struct half *kernel, const struct half *user)
{
	size_t same = 0;

	if (user->id == lane->id[1])
		same = count_same(user, lane->pc.item + lane->count[0], lane->count[1]);
	if (same == user->count && user->count == lane->count[1] && kernel->id == lane->id[0])
		same += count_same(kernel, lane->pc.item, lane->count[0]);
	lane->pc.count = 0;
	vec_reserve(&lane->pc, kernel->count + user->count + 1); /* never NULL */
	memcpy(lane->pc.item, kernel->pc, kernel->count * sizeof(*kernel->pc));
	memcpy(lane->pc.item + kernel->count, user->pc, user->count * sizeof(*user->pc));
	lane->count[0] = kernel->count;
	lane->count[1] = user->count;
	lane->id[0] = kernel->id;
	lane->id[1] = user->id;
	return same;
}

static uint32_t find_place(const struct load_chains *c, struct load_batch *batch,
			   const struct half *half, size_t i)
{
	struct resolve_place place = { .pc = half->pc[i],
				       .kernel = half->mode == CAPTURE_KERNEL,
				       .caller = !half->calls && capture_is_caller(i) };
	struct capture_place at;

	capture_locate(c->capture, half->space, place.pc, half->mode, &at);
	place.module = at.module;
	place.offset = at.offset;
	if (c->options->ends_only && place.caller && at.module->kind == MODULE_UNKNOWN)
		place.offset = place.pc = 0; /* a root that is none: which one does not matter */
	return resolver_add(c->resolver, &batch->resolve, &place);
}

static uint64_t place_key(const struct half *half, size_t i)
{
	return (half->pc[i] ^ half->seed[i > 0]) * 0x9e3779b97f4a7c15u;
}

static struct known_place *known_place(const struct load_chains *c, uint64_t key)
{
	return &c->known[key >> (64 - PLACE_BITS)];
}

static uint32_t place_of(const struct load_chains *c, struct load_batch *batch,
			 const struct half *half, size_t i)
{
	uint64_t key = place_key(half, i);
	struct known_place *known = known_place(c, key);

	if (known->key != key || !known->place)
		*known = (struct known_place){ key, find_place(c, batch, half, i) + 1 };
	return known->place - 1;
}

static void add_places(const struct load_chains *c, struct load_batch *batch,
		       const struct half *half, size_t count)
{
	if (count > 2) /* so that the cache misses overlap */
		for (size_t i = 0; i < count; i++)
			__builtin_prefetch(known_place(c, place_key(half, i)));
	for (size_t i = 0; i < count; i++)
		vec_push(&batch->places, place_of(c, batch, half, i));
}

/* The innermost place and the outermost. */
static void add_ends(const struct load_chains *c, struct load_batch *batch,
		     const struct half *kernel, const struct half *user)
{
	const struct half *inner = kernel->count ? kernel : user;
	const struct half *outer = user->count ? user : kernel;

	if (inner->count)
		vec_push(&batch->places, place_of(c, batch, inner, 0));
	if (kernel->count + user->count > 1)
		vec_push(&batch->places, place_of(c, batch, outer, outer->count - 1));
}

uint32_t load_chains_add(struct load_chains *c, struct load_batch *batch,
			 const struct address_space *space, uint16_t cpu,
			 const struct capture_chain *chain)
{
	struct half kernel = make_half(c, space, CAPTURE_KERNEL);
	struct half user =
		make_half(c, space, chain->in_kernel ? CAPTURE_USER_IN_KERNEL : CAPTURE_USER);
	struct batch_chain new = { .first = (uint32_t)batch->places.count,
				   .sample = UINT32_MAX,
				   .lane = cpu % LOAD_LANES };
	size_t same;

	split(c, chain, &kernel, &user);
	if (capture_has_calls(chain))
		take_as_calls(&user);
	if (chain->branch)
		take_as_calls(&kernel);
	if (c->options->ends_only) {
		add_ends(c, batch, &kernel, &user);
	} else {
		new.same = (uint16_t)follow(&c->lane[new.lane], &kernel, &user);
		same = new.same < user.count ? new.same : user.count;
		add_places(c, batch, &kernel, kernel.count + same - new.same);
		add_places(c, batch, &user, user.count - same);
	}
	new.count = (uint32_t)batch->places.count - new.first;
	vec_push(&batch->chains, new);
	return (uint32_t)batch->chains.count - 1;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Resolves places in batches (see resolve.h). The symbolizer of a module is opened in the
 * background from its first place on; a batch is sorted by (module, offset), resolved on all cores,
 * and the answers are interned on one. */
#include "session/resolve.h"

#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/map.h"
#include "base/par.h"
#include "proc/module.h"

/* Places handed to a core at a time: neighbours in a module share cache lines and DWARF units. */
#define RESOLVE_GRAIN 64

struct place {
	uint64_t offset, pc;
	uint32_t module;
	enum frame_kind kind;
	bool caller;
};

/* What a place turned out to be. Most are one frame, which then stands here itself. */
struct resolved {
	uint32_t first; /* count 1: the frame's id; else an index in resolver->frames */
	uint32_t count;
};

/* One place's answer: `count` symbol_frames of a worker's list. */
struct answer {
	uint32_t worker, first, count;
	char binding;
	uint64_t start, end;
};

/* A module with places. The copy is what the background thread may look at while the original is
 * still being updated. */
struct named_module {
	struct module module;
	const struct symbol_options *options;
	struct symbolizer *symbolizer; /* once the queue is done */
	uint32_t profile_module;
};

struct resolver {
	struct profile *profile;
	struct resolve_options options;
	struct symbol_options symbol; /* *options.symbol and what this resolver adds to it */
	struct arena arena;	      /* of named modules */
	struct par_queue *opening;
	VEC(struct named_module *) deferred; /* to be opened by the next run */
	VEC(struct place) places;
	struct map index; /* hash of a place → number of the first + 1; the next hash on a clash */
	VEC(struct resolved) resolved; /* by place; further ones are not resolved yet */
	VEC(frame_id) frames;
	VEC(struct named_module *) modules; /* by module id; NULL = no places yet */
	/* of the batch that runs */
	VEC(uint32_t) order; /* new places by (module, offset) */
	VEC(struct answer) answers;
	size_t workers;
	VEC(struct symbol_frame) * found; /* one list per worker */
};

static void open_symbolizer(void *item)
{
	struct named_module *named = item;

	named->symbolizer = symbolizer_open(&named->module, named->options);
}

struct resolver *resolver_new(struct profile *profile, const struct module_table *modules,
			      const struct resolve_options *options)
{
	struct resolver *r = mem_zalloc(sizeof(*r));

	r->profile = profile;
	r->options = *options;
	if (options->symbol) {
		r->symbol = *options->symbol;
		r->symbol.shared = symbol_shared_new();
		r->symbol.modules = modules;
	}
	r->opening = par_queue_new(open_symbolizer);
	r->workers = par_threads();
	r->found = mem_zalloc(r->workers * sizeof(*r->found));
	return r;
}

static void name_module(struct resolver *r, const struct module *module)
{
	struct named_module *named = arena_new(&r->arena, struct named_module);
	char hex[2 * BUILD_ID_MAX + 1] = "";

	for (size_t i = 0; i < module->build_id.len && i < BUILD_ID_MAX; i++)
		(void)snprintf(hex + 2 * i, 3, "%02x", module->build_id.bytes[i]);
	named->module = *module;
	named->options = &r->symbol;
	named->profile_module = profile_module(r->profile, module->path, hex);
	r->modules.item[module->id.v] = named;
	/* others look for the kernel or for jitdumps among all modules, which the reading thread
	 * still adds to: they have to wait for resolver_run() */
	if (r->options.symbol && module->kind != MODULE_FILE && module->kind != MODULE_KERNEL)
		vec_push(&r->deferred, named);
	else if (r->options.symbol)
		par_queue_push(r->opening, named);
}

uint32_t resolver_place(struct resolver *r, const struct resolve_place *place)
{
	struct place new = { .offset = place->offset,
			     .pc = place->pc,
			     .module = place->module->id.v,
			     .caller = place->caller,
			     .kind = place->kernel ? FRAME_KERNEL : FRAME_USER };
	uint64_t key, *value;
	bool added;

	if (place->module->kind == MODULE_JIT)
		new.kind = FRAME_JIT;
	if (place->module->kind == MODULE_UNKNOWN && r->options.detail == RESOLVE_NAMES)
		new.offset = new.pc = new.caller = 0; /* nothing to tell them apart by */
	key = hash_u64(new.offset ^ (uint64_t) new.module << 40) ^ (uint64_t) new.kind << 1 ^
	      new.caller;
	for (;; key++) {
		const struct place *old;

		value = map_add(&r->index, key, &added);
		if (added)
			break;
		old = &r->places.item[*value];
		if (old->offset == new.offset && old->module == new.module &&
		    old->kind == new.kind && old->caller == new.caller)
			return (uint32_t)*value;
	}
	*value = r->places.count;
	vec_push(&r->places, new);
	while (r->modules.count <= new.module)
		vec_push(&r->modules, NULL);
	if (!r->modules.item[new.module])
		name_module(r, place->module);
	return (uint32_t)*value;
}

static int compare_places(const void *a, const void *b, void *context)
{
	const struct resolver *r = context;
	const struct place *x = &r->places.item[*(const uint32_t *)a];
	const struct place *y = &r->places.item[*(const uint32_t *)b];

	if (x->module != y->module)
		return x->module < y->module ? -1 : 1;
	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

static void sort_new_places(struct resolver *r)
{
	r->order.count = 0;
	for (size_t i = r->resolved.count; i < r->places.count; i++)
		vec_push(&r->order, (uint32_t)i);
	qsort_r(r->order.item, r->order.count, sizeof(*r->order.item), compare_places, r);
}

static void resolve_place(void *context, size_t i, size_t worker)
{
	struct resolver *r = context;
	uint32_t number = r->order.item[i];
	const struct place *place = &r->places.item[number];
	struct symbol symbol;

	if (!symbolizer_resolve(r->modules.item[place->module]->symbolizer,
				place->offset - place->caller, &symbol))
		return;
	r->answers.item[number - r->resolved.count] =
		(struct answer){ .worker = (uint32_t)worker,
				 .first = (uint32_t)r->found[worker].count,
				 .count = (uint32_t)symbol.count,
				 .binding = symbol.binding,
				 .start = symbol.start,
				 .end = symbol.end };
	for (size_t j = 0; j < symbol.count; j++)
		vec_push(&r->found[worker], symbol.frame[j]);
}

static string_id intern(struct profile *profile, const char *s)
{
	return s ? strtab_put_tidy(profile->strings, s, strlen(s)) : STRING_EMPTY;
}

/* Interns the frames of a place, outermost first. */
static void add_frames(struct resolver *r, const struct place *place, const struct answer *answer)
{
	const struct symbol_frame *found =
		answer->count ? &r->found[answer->worker].item[answer->first] : NULL;
	struct frame frame = { .module = r->modules.item[place->module]->profile_module,
			       .kind = place->kind,
			       .binding = answer->binding,
			       .symbol_start = answer->start,
			       .symbol_end = answer->end };
	bool apart = r->options.detail == RESOLVE_ADDRESSES ||
		     (r->options.detail == RESOLVE_FUNCTIONS && !found);
	struct resolved resolved = { (uint32_t)r->frames.count, answer->count };
	frame_id last = { 0 };

	if (apart) {
		frame.offset = place->offset;
		frame.pc = place->pc;
		frame.caller = place->caller;
	}
	for (uint32_t i = answer->count; i-- > 0;) { /* symbols come innermost first */
		frame.function = intern(r->profile, found[i].name);
		frame.file = intern(r->profile, found[i].file);
		frame.line = apart ? found[i].line : 0;
		frame.inlined = found[i].inlined;
		last = profile_frame(r->profile, &frame);
		if (answer->count > 1)
			vec_push(&r->frames, last);
	}
	if (!found)
		last = profile_frame(r->profile, &frame);
	if (answer->count <= 1)
		resolved = (struct resolved){ last.v, 1 };
	vec_push(&r->resolved, resolved);
}

void resolver_run(struct resolver *r)
{
	size_t first = r->resolved.count, count = r->places.count - first;

	if (!count)
		return;
	sort_new_places(r);
	vec_reserve(&r->answers, count);
	memset(r->answers.item, 0, count * sizeof(*r->answers.item));
	for (size_t i = 0; i < r->workers; i++)
		r->found[i].count = 0;
	if (r->options.symbol) {
		for (size_t i = 0; i < r->deferred.count; i++)
			open_symbolizer(r->deferred.item[i]);
		r->deferred.count = 0;
		par_queue_wait(r->opening);
		par_for(count, RESOLVE_GRAIN, resolve_place, r);
	}
	for (size_t i = 0; i < count; i++)
		add_frames(r, &r->places.item[first + i], &r->answers.item[i]);
}

stack_id resolver_push(struct resolver *r, stack_id stack, uint32_t number)
{
	struct resolved resolved = r->resolved.item[number];

	if (resolved.count == 1)
		return profile_stack_push(r->profile, stack, (frame_id){ resolved.first });
	for (uint32_t i = 0; i < resolved.count; i++)
		stack = profile_stack_push(r->profile, stack, r->frames.item[resolved.first + i]);
	return stack;
}

void resolver_finish(struct resolver *r)
{
	if (!r)
		return;
	par_queue_free(r->opening);
	for (size_t i = 0; i < r->modules.count; i++) {
		struct named_module *named = r->modules.item[i];
		const char *problem =
			named && named->symbolizer ? symbolizer_problem(named->symbolizer) : NULL;

		if (problem)
			r->profile->modules.item[named->profile_module].problem =
				intern(r->profile, problem);
		if (named)
			symbolizer_close(named->symbolizer);
	}
	for (size_t i = 0; i < r->workers; i++)
		vec_done(&r->found[i]);
	free(r->found);
	vec_done(&r->places);
	vec_done(&r->resolved);
	vec_done(&r->frames);
	symbol_shared_free(r->symbol.shared);
	vec_done(&r->modules);
	vec_done(&r->deferred);
	vec_done(&r->order);
	vec_done(&r->answers);
	map_done(&r->index);
	arena_done(&r->arena);
	free(r);
}

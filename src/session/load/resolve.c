/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Resolves places in batches (see resolve.h). The symbolizer of a module is opened in the
 * background from its first place on. Of a batch, all cores first find out which places will have
 * one answer (most of a function's have, see symbol_grain); what is new among those is sorted by
 * (module, offset), resolved on all cores, and the answers are interned on one. Modules belong to
 * the thread that collects places, copies of them to the one that runs batches. */
#include "session/load/resolve.h"

#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/map.h"
#include "base/par.h"
#include "proc/elf_file.h"
#include "proc/module.h"
#include "session/load/late_places.h"
#include "symbol/address_table.h"

/* Places handed to a core at a time: neighbours in a module share cache lines and DWARF units. */
#define RESOLVE_GRAIN 64
#define GRADE_GRAIN   1024 /* places to look up in symbol tables only */

struct place {
	uint64_t offset, pc;
	struct named_module *module;
	enum frame_kind kind;
	bool caller;
	/* once it is graded */
	enum symbol_grain grain;
	uint64_t key; /* identifies it within its grain and module */
};

/* The result for a place. Most are one frame, which is stored here. */
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

/* A module with places. The copy is what other threads may look at while the original is still
 * being updated. */
struct named_module {
	struct module module;
	const struct symbol_options *options;
	struct symbolizer *symbolizer; /* once the queue is done */
	struct named_module *twin;     /* met before, with the same build id; NULL = none */
	bool borrows;		       /* the symbolizer is the twin's */
	uint32_t profile_module;       /* + 1, 0 = not there yet */
};

/* An answer that places have in common. */
struct known_place {
	uint64_t key;
	uint32_t what;	 /* module, kind, grain and caller in one */
	uint32_t answer; /* + 1, 0 = free */
};

/* Position of a new place of a batch in the order of resolution. */
struct turn {
	uint64_t key;	/* module, then offset */
	uint32_t fresh; /* index */
};

struct resolver {
	struct profile *profile;
	struct resolve_options options;
	struct late_places *late;     /* NULL = places are named batch by batch */
	struct symbol_options symbol; /* *options.symbol and what this resolver adds to it */
	struct symbol_shared *own_shared;
	struct arena arena; /* of named modules */
	struct par_queue *opening;
	/* of the thread that collects */
	VEC(struct named_module *) modules;  /* by module id; NULL = no places yet */
	VEC(struct named_module *) deferred; /* to be opened by the next take */
	VEC(struct named_module *) twins;    /* since the last take */
	struct map build_ids;		     /* hash of a build id → first module with it */
	uint32_t places;		     /* added so far */
	char apart[PAR_APART];
	/* of the thread that runs batches */
	struct known_place *known; /* hash table */
	size_t capacity;
	VEC(uint32_t) answer_of;       /* by place */
	VEC(struct resolved) resolved; /* by answer; places with the same frames have one */
	VEC(frame_id) frames;
	struct resolve_batch *batch;
	VEC(const struct place *) fresh; /* of the batch, not known before */
	VEC(struct turn) order;
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
	if (options->late) {
		r->options.symbol = NULL;
		r->late = late_places_new();
	}
	if (r->options.symbol) {
		r->symbol = *options->symbol;
		if (!r->symbol.shared)
			r->symbol.shared = r->own_shared = symbol_shared_new();
		r->symbol.modules = modules;
	}
	r->opening = par_queue_new(open_symbolizer, SIZE_MAX);
	r->workers = par_threads();
	r->found = mem_zalloc(r->workers * sizeof(*r->found));
	return r;
}

/* The first file with that build id; NULL = this one. Containers and chroots map the same libraries
 * again and again, and their debug info is not to be read for each. */
static struct named_module *find_twin(struct resolver *r, struct named_module *named)
{
	const struct build_id *id = &named->module.build_id;
	struct named_module *first;
	uint64_t *known;
	bool added;

	if (!r->options.symbol || named->module.kind != MODULE_FILE || !id->len)
		return NULL;
	known = map_add(&r->build_ids, hash_bytes(id->bytes, id->len), &added);
	if (added)
		*known = (uintptr_t)named;
	first = (struct named_module *)(uintptr_t)*known;
	return first != named && build_id_equal(&first->module.build_id, id) ? first : NULL;
}

/* Kernel modules ask for it in the background, while the collecting thread adds modules. */
static void name_kernel(struct resolver *r)
{
	const struct module *recorded = module_table_kernel(r->symbol.modules);
	struct module *kernel;

	if (r->symbol.kernel || !recorded)
		return;
	kernel = arena_new(&r->arena, struct module);
	*kernel = *recorded;
	r->symbol.kernel = kernel;
}

static struct named_module *name_module(struct resolver *r, const struct module *module)
{
	struct named_module *named = arena_new(&r->arena, struct named_module);

	if (r->options.symbol && module->kind == MODULE_KMODULE)
		name_kernel(r);
	*named = (struct named_module){ .module = *module, .options = &r->symbol };
	r->modules.item[module->id.v] = named;
	named->twin = find_twin(r, named);
	/* jitdumps are looked for among all modules, which the collecting thread still adds to:
	 * only that one may open them */
	if (named->twin)
		vec_push(&r->twins, named);
	else if (r->options.symbol && module->kind == MODULE_JIT)
		vec_push(&r->deferred, named);
	else if (r->options.symbol)
		par_queue_push(r->opening, named);
	return named;
}

static struct named_module *get_module(struct resolver *r, const struct module *module)
{
	while (r->modules.count <= module->id.v)
		vec_push(&r->modules, NULL);
	return r->modules.item[module->id.v] ? r->modules.item[module->id.v]
					     : name_module(r, module);
}

enum frame_kind resolve_frame_kind(const struct module *module, bool kernel)
{
	return module->kind == MODULE_JIT      ? FRAME_JIT
	       : module->kind == MODULE_PYTHON ? FRAME_INTERPRETER
	       : kernel			       ? FRAME_KERNEL
					       : FRAME_USER;
}

const char *resolve_module_path(const struct module *module)
{
	return module->kind == MODULE_PYTHON ? module->name : module->path;
}

uint32_t resolver_add(struct resolver *r, struct resolve_batch *batch,
		      const struct resolve_place *place)
{
	struct place *new;

	if (r->late)
		return late_places_add(r->late, place);
	new = vec_add(&batch->places);
	new->offset = place->offset;
	new->pc = place->pc;
	new->module = get_module(r, place->module);
	new->kind = resolve_frame_kind(place->module, place->kernel);
	new->caller = place->caller;
	return r->places++;
}

void resolver_hand_over(struct resolver *r, struct resolve_batch *batch)
{
	for (size_t i = 0; i < r->deferred.count; i++)
		open_symbolizer(r->deferred.item[i]);
	r->deferred.count = 0;
	for (size_t i = 0; i < r->twins.count; i++)
		vec_push(&batch->twins, r->twins.item[i]);
	r->twins.count = 0;
}

/* Its slot, or the free one where it belongs. */
static struct known_place *find_known(const struct resolver *r, uint64_t key, uint32_t what)
{
	size_t at = hash_u64(key ^ (uint64_t)what << 36) & (r->capacity - 1);

	while (r->known[at].answer && (r->known[at].key != key || r->known[at].what != what))
		at = (at + 1) & (r->capacity - 1);
	return &r->known[at];
}

/* Doubles the table when it is 5/8 full. */
static void grow_known(struct resolver *r)
{
	struct known_place *old = r->known;
	size_t capacity = r->capacity;

	if ((r->resolved.count + r->fresh.count + 1) * 8 <= capacity * 5)
		return;
	r->capacity = capacity ? capacity * 2 : 1024;
	r->known = mem_zalloc(r->capacity * sizeof(*r->known));
	for (size_t i = 0; i < capacity; i++)
		if (old[i].answer)
			*find_known(r, old[i].key, old[i].what) = old[i];
	free(old);
}

/* The answer of a graded place; a new one joins the fresh ones. */
static uint32_t answer_of(struct resolver *r, const struct place *place)
{
	uint32_t what = place->module->module.id.v << 6 | (uint32_t)place->kind << 3 |
			(uint32_t)place->grain << 1;
	struct known_place *known;

	if (place->grain == SYMBOL_ADDRESS || r->options.detail == RESOLVE_FUNCTIONS)
		what |= place->grain != SYMBOL_FUNCTION && place->caller;
	grow_known(r);
	known = find_known(r, place->key, what);
	if (!known->answer) {
		vec_push(&r->fresh, place);
		*known = (struct known_place){ place->key, what,
					       (uint32_t)(r->resolved.count + r->fresh.count) };
	}
	return known->answer - 1;
}

/* Whatever the first file of a kind lacks, another path may lead to one that has it. */
static void open_twin(struct named_module *named)
{
	named->borrows = !symbolizer_problem(named->twin->symbolizer);
	if (named->borrows)
		named->symbolizer = named->twin->symbolizer;
	else
		open_symbolizer(named);
}

/* Most addresses have nothing but their function's own name: one lookup serves all of them.
 */
static void grade_place(void *context, size_t i, size_t worker)
{
	struct resolver *r = context;
	struct place *place = &r->batch->places.item[i];

	(void)worker;
	place->key = place->offset;
	place->grain = r->options.symbol ? SYMBOL_ADDRESS : SYMBOL_NONE;
	if (r->options.symbol && r->options.detail != RESOLVE_ADDRESSES)
		place->grain = symbolizer_grain(place->module->symbolizer,
						place->offset - place->caller, &place->key);
	if (place->grain == SYMBOL_NONE)
		place->key = r->options.detail == RESOLVE_NAMES ? 0 : place->offset;
}

/* Equal keys of places that differ do no harm: the order is for speed. */
static void sort_fresh(struct resolver *r)
{
	r->order.count = 0;
	for (size_t i = 0; i < r->fresh.count; i++) {
		const struct place *place = r->fresh.item[i];
		uint64_t key = (uint64_t)place->module->module.id.v << 40;

		if (place->grain != SYMBOL_NONE)
			vec_push(&r->order, ((struct turn){ key ^ place->offset, (uint32_t)i }));
	}
	address_sort(r->order.item, r->order.count, sizeof(*r->order.item));
}

static void resolve_place(void *context, size_t i, size_t worker)
{
	struct resolver *r = context;
	uint32_t fresh = r->order.item[i].fresh;
	const struct place *place = r->fresh.item[fresh];
	struct symbol symbol;

	if (!symbolizer_resolve(place->module->symbolizer, place->offset - place->caller, &symbol))
		return;
	r->answers.item[fresh] = (struct answer){ .worker = (uint32_t)worker,
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
	return s ? strtab_intern(profile->strings, s, strlen(s)) : STRING_EMPTY;
}

static uint32_t module_of(struct resolver *r, struct named_module *named)
{
	const struct build_id *id = &named->module.build_id;
	char hex[2 * BUILD_ID_MAX + 1] = "";

	if (named->profile_module)
		return named->profile_module - 1;
	for (size_t i = 0; i < id->len && i < BUILD_ID_MAX; i++)
		(void)snprintf(hex + 2 * i, 3, "%02x", id->bytes[i]);
	named->profile_module =
		profile_module(r->profile, resolve_module_path(&named->module), hex) + 1;
	return named->profile_module - 1;
}

/* Interns the frames of a place, outermost first. */
static void add_frames(struct resolver *r, const struct place *place, const struct answer *answer)
{
	const struct symbol_frame *found =
		answer->count ? &r->found[answer->worker].item[answer->first] : NULL;
	struct frame frame = { .module = module_of(r, place->module),
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

static void resolve_fresh(struct resolver *r)
{
	size_t count = r->fresh.count;

	r->answers.count = 0;
	vec_reserve(&r->answers, count);
	if (count)
		memset(r->answers.item, 0, count * sizeof(*r->answers.item));
	for (size_t i = 0; i < r->workers; i++)
		r->found[i].count = 0;
	sort_fresh(r);
	par_for(r->order.count, RESOLVE_GRAIN, resolve_place, r);
	for (size_t i = 0; i < count; i++)
		add_frames(r, r->fresh.item[i], &r->answers.item[i]);
}

void resolver_run(struct resolver *r, struct resolve_batch *batch)
{
	size_t count = batch->places.count;

	if (r->late)
		return;
	r->batch = batch;
	r->fresh.count = 0;
	par_queue_wait(r->opening, 0);
	for (size_t i = 0; i < batch->twins.count; i++)
		open_twin(batch->twins.item[i]);
	par_for(count, GRADE_GRAIN, grade_place, r);
	for (size_t i = 0; i < count; i++)
		vec_push(&r->answer_of, answer_of(r, &batch->places.item[i]));
	resolve_fresh(r);
	batch->places.count = batch->twins.count = 0;
}

stack_id resolver_push(struct resolver *r, stack_id stack, uint32_t place)
{
	struct resolved resolved;

	if (r->late)
		return late_places_push(r->late, r->profile, stack, place);
	resolved = r->resolved.item[r->answer_of.item[place]];
	if (resolved.count == 1)
		return profile_stack_push(r->profile, stack, (frame_id){ resolved.first });
	for (uint32_t i = 0; i < resolved.count; i++)
		stack = profile_stack_push(r->profile, stack, r->frames.item[resolved.first + i]);
	return stack;
}

/* `stack` is by node of the raw profile. */
static void copy_samples(const struct profile *raw, const stack_id *stack, struct profile *ret)
{
	size_t count = raw->samples.count;
	struct profile_sample *samples = mem_alloc((count + 1) * sizeof(*samples));
	thread_id *threads = mem_alloc((raw->threads.count + 1) * sizeof(*threads));

	for (size_t i = 0; i < raw->events.count; i++)
		(void)profile_event(ret, profile_string(raw, raw->events.item[i].name),
				    profile_string(raw, raw->events.item[i].unit));
	for (size_t i = 0; i < raw->threads.count; i++) {
		const struct profile_thread *t = &raw->threads.item[i];

		threads[i] = profile_thread(ret, t->pid, t->tid, profile_string(raw, t->comm));
	}
	for (size_t i = 0; i < count; i++) {
		samples[i] = raw->samples.item[i];
		samples[i].stack = stack[samples[i].stack.v];
		samples[i].thread = threads[samples[i].thread.v];
	}
	profile_add_all(ret, samples, count);
	free(samples);
	free(threads);
}

void resolver_name_late(const struct resolver *late, const struct module_table *modules,
			const struct resolve_options *options, struct profile *ret)
{
	const struct profile *raw = late->profile;
	struct resolver *r = resolver_new(ret, modules, options);
	stack_id *stack = mem_zalloc(raw->nodes.count * sizeof(*stack));
	struct resolve_batch batch = { 0 };

	for (uint32_t i = 0; i < late_places_count(late->late); i++)
		(void)resolver_add(r, &batch, late_places_get(late->late, i)); /* it is number i */
	resolver_hand_over(r, &batch);
	resolver_run(r, &batch);
	for (size_t i = 1; i < raw->nodes.count; i++) { /* parents come first */
		const struct stack_node *node = &raw->nodes.item[i];
		uint64_t place = raw->frames.item[node->frame.v].offset;

		stack[i] = resolver_push(r, stack[node->parent.v], (uint32_t)place);
	}
	copy_samples(raw, stack, ret);
	resolve_batch_done(&batch);
	resolver_finish(r);
	free(stack);
}

void resolve_batch_done(struct resolve_batch *batch)
{
	vec_done(&batch->places);
	vec_done(&batch->twins);
}

void resolver_finish(struct resolver *r)
{
	if (!r)
		return;
	par_queue_free(r->opening);
	late_places_free(r->late);
	for (size_t i = 0; i < r->modules.count; i++) {
		struct named_module *named = r->modules.item[i];
		const char *problem =
			named && named->symbolizer ? symbolizer_problem(named->symbolizer) : NULL;

		if (problem && named->profile_module)
			r->profile->modules.item[named->profile_module - 1].problem =
				intern(r->profile, problem);
	}
	for (size_t i = 0; i < r->modules.count; i++)
		if (r->modules.item[i] && !r->modules.item[i]->borrows)
			symbolizer_close(r->modules.item[i]->symbolizer);
	for (size_t i = 0; i < r->workers; i++)
		vec_done(&r->found[i]);
	free(r->found);
	vec_done(&r->fresh);
	vec_done(&r->answer_of);
	vec_done(&r->resolved);
	vec_done(&r->frames);
	symbol_shared_free(r->own_shared);
	vec_done(&r->modules);
	vec_done(&r->deferred);
	vec_done(&r->twins);
	map_done(&r->build_ids);
	vec_done(&r->order);
	vec_done(&r->answers);
	free(r->known);
	arena_done(&r->arena);
	free(r);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Symbolises a profile in four steps: group raw frames by module, open the symbolizers, resolve all
 * frames on all cores, then intern the answers on one (see resolve.h). */
#include "session/resolve.h"

#include <stdio.h>

#include "base/par.h"
#include "proc/module.h"
#include "profile/profile.h"

/* Frames handed to a core at a time: neighbours in a module share cache lines and DWARF units. */
#define RESOLVE_GRAIN 64

/* One raw frame's answer: `count` symbol_frames of a worker's list. */
struct answer {
	uint32_t worker, first, count;
	char binding;
	uint64_t start, end;
};

struct resolver {
	struct profile *profile;
	const struct module_table *modules;
	const struct symbol_options *options;
	struct symbolizer **symbolizer; /* by module id; NULL = no frames there */
	uint32_t *used;			/* ids of modules with frames, fullest first */
	size_t used_count;
	uint32_t *order; /* raw frame ids by (module, offset) */
	struct answer *answer;
	VEC(struct symbol_frame) * found; /* one list per worker */
	uint32_t *profile_module;	  /* module id → index in profile->modules */
	frame_id *item;			  /* expansions, frame after frame */
	struct frame_expansion *expansion;
};

/* What sorts raw frames: compact, so that sorting does not chase pointers. */
struct place {
	uint32_t module, frame;
	uint64_t offset;
};

static int compare_places(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->module != y->module)
		return x->module < y->module ? -1 : 1;
	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

struct module_use {
	uint32_t module;
	size_t frames;
};

static int compare_uses(const void *a, const void *b)
{
	const struct module_use *x = a, *y = b;

	return x->frames > y->frames ? -1 : x->frames < y->frames;
}

/* Fills order and used. */
static void group_frames(struct resolver *r)
{
	size_t frames = r->profile->frames.count, modules = module_table_count(r->modules);
	struct place *place = mem_alloc(frames * sizeof(*place));
	struct module_use *use = mem_zalloc(modules * sizeof(*use));

	for (size_t i = 0; i < frames; i++) {
		const struct frame *frame = &r->profile->frames.item[i];

		place[i] = (struct place){ frame->module, (uint32_t)i, frame->offset };
		use[frame->module].frames++;
	}
	for (size_t i = 0; i < modules; i++)
		use[i].module = (uint32_t)i;
	qsort(place, frames, sizeof(*place), compare_places);
	qsort(use, modules, sizeof(*use), compare_uses);
	r->order = mem_alloc(frames * sizeof(*r->order));
	r->used = mem_alloc(modules * sizeof(*r->used));
	for (size_t i = 0; i < frames; i++)
		r->order[i] = place[i].frame;
	for (size_t i = 0; i < modules && use[i].frames; i++)
		r->used[r->used_count++] = use[i].module;
	free(place);
	free(use);
}

static void open_symbolizer(void *context, size_t i, size_t worker)
{
	struct resolver *r = context;
	module_id id = { r->used[i] };

	(void)worker;
	r->symbolizer[id.v] = symbolizer_open(module_table_get(r->modules, id), r->options);
}

static void resolve_frame(void *context, size_t i, size_t worker)
{
	struct resolver *r = context;
	uint32_t id = r->order[i];
	const struct frame *frame = &r->profile->frames.item[id];
	struct symbol symbol;

	if (!symbolizer_resolve(r->symbolizer[frame->module], frame->offset - frame->caller,
				&symbol))
		return;
	r->answer[id] = (struct answer){ .worker = (uint32_t)worker,
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
	return s ? strtab_puts(profile->strings, s) : STRING_EMPTY;
}

static void add_modules(struct resolver *r)
{
	for (size_t i = 0; i < r->used_count; i++) {
		const struct module *module =
			module_table_get(r->modules, (module_id){ r->used[i] });
		const char *problem = r->symbolizer[module->id.v]
					      ? symbolizer_problem(r->symbolizer[module->id.v])
					      : NULL;
		char hex[2 * BUILD_ID_MAX + 1] = "";
		uint32_t index;

		for (size_t j = 0; j < module->build_id.len && j < BUILD_ID_MAX; j++)
			(void)snprintf(hex + 2 * j, 3, "%02x", module->build_id.bytes[j]);
		index = profile_module(r->profile, module->path, hex);
		r->profile_module[module->id.v] = index;
		if (problem)
			r->profile->modules.item[index].problem = intern(r->profile, problem);
	}
}

/* Interns the resolved frames of raw frame `id`, outermost first, at r->item[*at]. */
static void add_frames(struct resolver *r, uint32_t id, size_t *at)
{
	struct frame raw = r->profile->frames.item[id]; /* a copy: interning may move the array */
	const struct answer *answer = &r->answer[id];
	const struct symbol_frame *found =
		answer->count ? &r->found[answer->worker].item[answer->first] : NULL;

	raw.module = r->profile_module[raw.module];
	raw.resolved = true;
	raw.binding = answer->binding;
	raw.symbol_start = answer->start;
	raw.symbol_end = answer->end;
	r->expansion[id] = (struct frame_expansion){ .item = &r->item[*at], .count = 1 };
	if (!found) {
		r->item[(*at)++] = profile_frame(r->profile, &raw);
		return;
	}
	r->expansion[id].count = answer->count;
	for (uint32_t i = answer->count; i-- > 0;) { /* symbols come innermost first */
		raw.function = intern(r->profile, found[i].name);
		raw.file = intern(r->profile, found[i].file);
		raw.line = found[i].line;
		raw.inlined = found[i].inlined;
		r->item[(*at)++] = profile_frame(r->profile, &raw);
	}
}

static struct frame_expansion expand(void *context, frame_id frame)
{
	struct resolver *r = context;

	return r->expansion[frame.v];
}

static void rebuild(struct resolver *r)
{
	size_t frames = r->profile->frames.count, items = 0, at = 0;

	for (size_t i = 0; i < frames; i++)
		items += r->answer[i].count ? r->answer[i].count : 1;
	r->item = mem_alloc(items * sizeof(*r->item));
	r->expansion = mem_alloc(frames * sizeof(*r->expansion));
	add_modules(r);
	for (size_t i = 0; i < frames; i++)
		add_frames(r, (uint32_t)i, &at);
	profile_expand(r->profile, frames, expand, r);
}

void resolve_profile(struct profile *profile, const struct module_table *modules,
		     const struct symbol_options *options)
{
	size_t frames = profile->frames.count, workers = par_threads();
	struct symbol_options shared = { 0 };
	struct resolver r = { .profile = profile, .modules = modules, .options = &shared };

	group_frames(&r);
	r.symbolizer = mem_zalloc(module_table_count(modules) * sizeof(struct symbolizer *));
	r.profile_module = mem_zalloc(module_table_count(modules) * sizeof(*r.profile_module));
	r.answer = mem_zalloc(frames * sizeof(*r.answer));
	r.found = mem_zalloc(workers * sizeof(*r.found));
	if (options) {
		shared = *options;
		shared.shared = symbol_shared_new();
		shared.modules = modules;
		par_for(r.used_count, 1, open_symbolizer, &r);
		par_for(frames, RESOLVE_GRAIN, resolve_frame, &r);
	}
	rebuild(&r);
	for (size_t i = 0; i < module_table_count(modules); i++)
		symbolizer_close(r.symbolizer[i]);
	symbol_shared_free(shared.shared);
	for (size_t i = 0; i < workers; i++)
		vec_done(&r.found[i]);
	free(r.found);
	free(r.answer);
	free(r.symbolizer);
	free(r.profile_module);
	free(r.used);
	free(r.order);
	free(r.item);
	free(r.expansion);
}

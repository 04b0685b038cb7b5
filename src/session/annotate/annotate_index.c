// SPDX-License-Identifier: GPL-2.0-or-later
/* Samples by function and address (see annotate_index.h). */
#include "session/annotate/annotate_index.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/suggest.h"
#include "profile/profile.h"
#include "session/annotate/annotate_module.h"
#include "symbol/symbol_name.h"

/* The real function of a stack's leaf, which may be one inlined into it. */
static const struct frame *sampled_frame(const struct profile *profile, stack_id stack)
{
	const struct frame *frame;

	while (stack.v) {
		const struct stack_node *node = &profile->nodes.item[stack.v];

		frame = &profile->frames.item[node->frame.v];
		if (!frame->inlined)
			return frame;
		stack = node->parent;
	}
	return NULL;
}

static bool is_function(const struct frame *frame)
{
	return frame && frame->kind != FRAME_INTERPRETER && frame->kind != FRAME_SEPARATOR &&
	       frame->function.v != STRING_EMPTY.v && frame->symbol_end > frame->symbol_start &&
	       frame->offset >= frame->symbol_start && frame->offset < frame->symbol_end;
}

/* Module and start identify a function, also where two have one hash. */
static uint32_t find_function(struct annotate_index *index, struct map *known,
			      const struct frame *frame)
{
	uint64_t key = hash_u64(frame->symbol_start ^ (uint64_t)frame->module << 44);
	struct annotate_function *function;
	uint64_t *number;
	bool added = false;

	for (;; key++) {
		number = map_add(known, key, &added);
		if (added)
			break;
		function = &index->functions.item[*number];
		if (function->module == frame->module && function->start == frame->symbol_start)
			return (uint32_t)*number;
	}
	*number = index->functions.count;
	vec_push(&index->functions,
		 ((struct annotate_function){
			 .module = frame->module,
			 .name = frame->function,
			 .start = frame->symbol_start,
			 .end = frame->symbol_end,
			 .count = arena_array(&index->arena, struct annotation_count,
					      index->profile->events.count + 1) }));
	return (uint32_t)*number;
}

static int compare_hits(const void *a, const void *b)
{
	const struct annotate_hit *x = a, *y = b;

	if (x->function != y->function)
		return x->function < y->function ? -1 : 1;
	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	return x->event < y->event ? -1 : x->event > y->event;
}

struct ranked {
	uint64_t weight, start;
	uint32_t number;
};

static int compare_ranks(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->weight != y->weight)
		return x->weight > y->weight ? -1 : 1;
	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

uint32_t *annotate_index_order(const struct annotate_index *index, size_t event, size_t *ret_count)
{
	size_t count = index->functions.count, used = 0;
	struct ranked *ranks = mem_alloc((count + 1) * sizeof(*ranks));
	uint32_t *order = mem_alloc((count + 1) * sizeof(*order));

	for (size_t i = 0; i < count; i++) {
		const struct annotate_function *f = &index->functions.item[i];

		if (f->count[event].samples)
			ranks[used++] =
				(struct ranked){ f->count[event].weight, f->start, (uint32_t)i };
	}
	qsort(ranks, used, sizeof(*ranks), compare_ranks);
	for (size_t i = 0; i < used; i++)
		order[i] = ranks[i].number;
	free(ranks);
	*ret_count = used;
	return order;
}

/* Sums hits of one event at one address. */
static void merge_hits(struct annotate_index *index)
{
	struct annotate_hit *item = index->hits.item;
	size_t kept = 0;

	for (size_t i = 0; i < index->hits.count; i++) {
		struct annotate_function *f = &index->functions.item[item[i].function];

		if (kept && compare_hits(&item[kept - 1], &item[i]) == 0) {
			item[kept - 1].count.samples += item[i].count.samples;
			item[kept - 1].count.weight += item[i].count.weight;
			continue;
		}
		if (!f->hits)
			f->first_hit = (uint32_t)kept;
		f->hits++;
		item[kept++] = item[i];
	}
	index->hits.count = kept;
}

void annotate_index_find(const struct profile *profile, struct annotate_index *ret)
{
	struct map known = { 0 };

	*ret = (struct annotate_index){ .profile = profile };
	for (size_t i = 0; i < profile->samples.count; i++) {
		const struct profile_sample *sample = &profile->samples.item[i];
		const struct frame *frame = sampled_frame(profile, sample->stack);
		struct annotation_count *count;
		uint32_t function;

		if (!is_function(frame)) {
			ret->nameless += sample->count;
			continue;
		}
		function = find_function(ret, &known, frame);
		count = &ret->functions.item[function].count[sample->event];
		count->samples += sample->count;
		count->weight += sample->weight;
		vec_push(&ret->hits, ((struct annotate_hit){ frame->offset,
							     function,
							     sample->event,
							     { sample->count, sample->weight } }));
	}
	map_done(&known);
	if (ret->hits.count)
		qsort(ret->hits.item, ret->hits.count, sizeof(*ret->hits.item), compare_hits);
	merge_hits(ret);
}

void annotate_index_done(struct annotate_index *index)
{
	vec_done(&index->functions);
	vec_done(&index->hits);
	arena_done(&index->arena);
}

static bool is_named(const char *own, const char *name, enum annotate_match match)
{
	return match == ANNOTATE_CLONES ? symbol_name_is_clone(own, name) : strcmp(own, name) == 0;
}

size_t annotate_index_search(const struct annotate_index *index, const char *name,
			     enum annotate_match match, const char *modules, size_t from)
{
	const struct profile *profile = index->profile;

	for (size_t i = from; i < index->functions.count; i++) {
		const struct annotate_function *f = &index->functions.item[i];

		if (name && !is_named(profile_string(profile, f->name), name, match))
			continue;
		if (annotate_is_listed(profile, f->module, modules))
			return i;
	}
	return SIZE_MAX;
}

static uint64_t samples_of(const struct annotate_index *index, size_t function)
{
	uint64_t samples = 0;

	for (size_t i = 0; i < index->profile->events.count; i++)
		samples += index->functions.item[function].count[i].samples;
	return samples;
}

size_t annotate_index_at(const struct annotate_index *index, const char *name, const char *modules,
			 uint64_t start)
{
	size_t best = SIZE_MAX, at = 0;

	while ((at = annotate_index_search(index, name, ANNOTATE_NAME, modules, at)) != SIZE_MAX) {
		if (index->functions.item[at].start == start)
			return at;
		if (best == SIZE_MAX || samples_of(index, at) > samples_of(index, best))
			best = at;
		at++;
	}
	return best;
}

size_t annotate_index_covering(const struct annotate_index *index, const char *modules,
			       uint64_t offset)
{
	for (size_t i = 0; i < index->functions.count; i++) {
		const struct annotate_function *f = &index->functions.item[i];

		if (f->start <= offset && offset < f->end &&
		    annotate_is_listed(index->profile, f->module, modules))
			return i;
	}
	return SIZE_MAX;
}

void annotate_index_suggest(const struct annotate_index *index, struct suggest *suggest)
{
	for (size_t i = 0; i < index->functions.count; i++)
		suggest_offer(suggest,
			      profile_string(index->profile, index->functions.item[i].name));
}

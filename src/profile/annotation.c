// SPDX-License-Identifier: GPL-2.0-or-later
/* What follows from the rows of an annotation (see annotation.h). */
#include "profile/annotation.h"

#include <stdlib.h>

struct annotation *annotation_new(void)
{
	return mem_zalloc(sizeof(struct annotation));
}

void annotation_free(struct annotation *annotation)
{
	if (!annotation)
		return;
	vec_done(&annotation->events);
	vec_done(&annotation->rows);
	vec_done(&annotation->counts);
	vec_done(&annotation->frames);
	vec_done(&annotation->loops);
	vec_done(&annotation->sources);
	arena_done(&annotation->arena);
	free(annotation);
}

/* By first row; the loop around others first. */
static int compare_loops(const void *a, const void *b)
{
	const struct annotation_loop *x = a, *y = b;

	if (x->first != y->first)
		return x->first < y->first ? -1 : 1;
	return x->last > y->last ? -1 : x->last < y->last;
}

/* Several jumps back to one row are one loop. */
static void merge_loops(struct annotation *annotation)
{
	struct annotation_loop *item = annotation->loops.item;
	size_t kept = 0;

	for (size_t i = 0; i < annotation->loops.count; i++)
		if (!kept || item[kept - 1].first != item[i].first)
			item[kept++] = item[i];
	annotation->loops.count = kept;
}

static void nest_loops(struct annotation *annotation)
{
	struct annotation_loop *item = annotation->loops.item;
	uint32_t around = ANNOTATION_NONE;

	for (uint32_t i = 0; i < annotation->loops.count; i++) {
		while (around != ANNOTATION_NONE && item[around].last < item[i].first)
			around = item[around].outer;
		item[i].outer = around;
		item[i].depth = around == ANNOTATION_NONE ? 1 : item[around].depth + 1;
		around = i;
	}
}

/* The innermost loop around each row: the last one that began before and has not ended. Loops that
 * overlap without nesting are as good as nested up to the end of the earlier one. */
static void place_rows(struct annotation *annotation)
{
	const struct annotation_loop *loops = annotation->loops.item;
	uint32_t next = 0, around = ANNOTATION_NONE;

	for (uint32_t i = 0; i < annotation->rows.count; i++) {
		if (next < annotation->loops.count && loops[next].first == i)
			around = next++;
		while (around != ANNOTATION_NONE && loops[around].last < i)
			around = loops[around].outer;
		annotation->rows.item[i].loop = around;
	}
}

void annotation_find_loops(struct annotation *annotation)
{
	for (uint32_t i = 0; i < annotation->rows.count; i++) {
		const struct annotation_row *row = &annotation->rows.item[i];

		if (row->kind == ANNOTATION_JUMP && row->target <= i)
			vec_push(&annotation->loops,
				 ((struct annotation_loop){ .first = row->target, .last = i }));
	}
	if (annotation->loops.count)
		qsort(annotation->loops.item, annotation->loops.count,
		      sizeof(*annotation->loops.item), compare_loops);
	merge_loops(annotation);
	nest_loops(annotation);
	place_rows(annotation);
}

uint32_t annotation_find_row(const struct annotation *annotation, uint64_t address)
{
	const struct annotation_row *item = annotation->rows.item;
	size_t low = 0, high = annotation->rows.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (item[middle].address < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low < annotation->rows.count && item[low].address == address ? (uint32_t)low
									    : ANNOTATION_NONE;
}

const struct annotation_count *annotation_count(const struct annotation *annotation, uint32_t row,
						size_t event)
{
	return &annotation->counts.item[row * annotation->events.count + event];
}

static double divide(uint64_t part, uint64_t whole)
{
	return whole ? (double)part / (double)whole : 0;
}

double annotation_share(const struct annotation *annotation, size_t event,
			const struct annotation_count *count, enum annotation_percent percent)
{
	const struct annotation_event *e = &annotation->events.item[event];

	switch (percent) {
	case ANNOTATION_LOCAL_PERIOD:
		return divide(count->weight, e->samples.weight);
	case ANNOTATION_LOCAL_HITS:
		return divide(count->samples, e->samples.samples);
	case ANNOTATION_GLOBAL_PERIOD:
		return divide(count->weight, e->all.weight);
	case ANNOTATION_GLOBAL_HITS:
		return divide(count->samples, e->all.samples);
	}
	return 0;
}

const struct annotation_frame *annotation_place(const struct annotation *annotation,
						const struct annotation_row *row)
{
	return row->frames ? &annotation->frames.item[row->frame] : NULL;
}

const char *annotation_text(const struct annotation *annotation, uint32_t source, uint32_t line)
{
	const struct annotation_source *s;

	if (source == ANNOTATION_NONE)
		return NULL;
	s = &annotation->sources.item[source];
	return line >= s->text_first && line - s->text_first < s->text_count
		       ? s->text[line - s->text_first]
		       : NULL;
}

/* An instruction's place, to be sorted. */
struct spot {
	uint32_t source, line, row;
};

static int compare_spots(const void *a, const void *b)
{
	const struct spot *x = a, *y = b;

	if (x->source != y->source)
		return x->source < y->source ? -1 : 1;
	return x->line < y->line ? -1 : x->line > y->line;
}

void annotation_lines_find(const struct annotation *annotation, struct annotation_lines *ret)
{
	size_t events = annotation->events.count;
	struct annotation_count *sum = NULL;
	VEC(struct spot) spots = { 0 };

	*ret = (struct annotation_lines){ 0 };
	for (uint32_t i = 0; i < annotation->rows.count; i++) {
		const struct annotation_frame *place =
			annotation_place(annotation, &annotation->rows.item[i]);

		if (place && place->line && place->source != ANNOTATION_NONE)
			vec_push(&spots, ((struct spot){ place->source, place->line, i }));
	}
	if (spots.count)
		qsort(spots.item, spots.count, sizeof(*spots.item), compare_spots);
	for (size_t i = 0; i < spots.count; i++) {
		const struct spot *spot = &spots.item[i];

		if (!i || compare_spots(spot, spot - 1)) {
			sum = arena_array(&ret->arena, struct annotation_count, events + 1);
			vec_push(&ret->list,
				 ((struct annotation_line){ spot->source, spot->line, sum }));
		}
		for (size_t e = 0; e < events; e++) {
			const struct annotation_count *count =
				annotation_count(annotation, spot->row, e);

			sum[e].samples += count->samples;
			sum[e].weight += count->weight;
		}
	}
	vec_done(&spots);
}

void annotation_lines_done(struct annotation_lines *lines)
{
	vec_done(&lines->list);
	arena_done(&lines->arena);
}

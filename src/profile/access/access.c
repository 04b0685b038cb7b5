/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Objects and their samples (see access.h). */
#include "profile/access/access.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "event/heap_block.h"
#include "profile/access/live_blocks.h"

struct builder {
	struct profile *profile;
	struct access_table *table;
	struct live_blocks *blocks;
	struct map row_of, place_of, word_of, field_of;
};

const char *access_kind_name(enum access_kind kind)
{
	static const char *const names[] = {
#define X(id, name, text) name,
		ACCESS_KINDS(X)
#undef X
	};

	return names[kind];
}

const char *access_kind_text(enum access_kind kind)
{
	static const char *const texts[] = {
#define X(id, name, text) text,
		ACCESS_KINDS(X)
#undef X
	};

	return texts[kind];
}

static uint64_t mix(uint64_t a, uint64_t b)
{
	return hash_u64(a) * 31 + b;
}

/* A block with what allocated it replaces the anonymous memory that it is in. */
static void find_block(const struct builder *b, struct profile_access *access,
		       struct access_row *ret)
{
	struct live_block block;

	if ((access->kind != ACCESS_HEAP && access->kind != ACCESS_ANONYMOUS) ||
	    !live_blocks_find(b->blocks, access->addr, &block))
		return;
	access->kind = ACCESS_BLOCK;
	access->offset = access->addr - block.start;
	access->size = block.size;
	access->object = access->module = STRING_EMPTY;
	ret->stack = block.stack;
	ret->stop = block.stop;
}

static uint32_t row_of(struct builder *b, const struct profile_access *access,
		       const struct access_row *about)
{
	uint64_t key = mix(mix(access->object.v, access->module.v),
			   (uint64_t)about->stack.v << 8 | access->kind);
	struct access_row row = *about;
	bool added;
	uint64_t *index = map_add(&b->row_of, key, &added);

	if (added) {
		*index = b->table->row.count;
		row.kind = (enum access_kind)access->kind;
		row.object = access->object;
		row.module = access->module;
		vec_push(&b->table->row, row);
	}
	return (uint32_t)*index;
}

static void add_place(struct builder *b, uint32_t row, const struct profile_sample *sample)
{
	const struct profile *profile = b->profile;
	struct access_place place = { .row = row };
	uint64_t *index;
	bool added;

	if (sample->stack.v) {
		const struct stack_node *node = &profile->nodes.item[sample->stack.v];
		const struct frame *frame = &profile->frames.item[node->frame.v];

		place.function = frame->function;
		place.module = profile->modules.item[frame->module].name;
	}
	index = map_add(&b->place_of, mix((uint64_t)row << 32 | place.function.v, place.module.v),
			&added);
	if (added) {
		*index = b->table->place.count;
		vec_push(&b->table->place, place);
	}
	b->table->place.item[*index].samples += sample->count;
	b->table->place.item[*index].weight += sample->weight;
}

static void add_word(struct builder *b, uint32_t row, const struct profile_access *access,
		     const struct profile_sample *sample)
{
	struct access_word word = { .row = row, .offset = access->offset & ~(uint64_t)7 };
	bool added;
	uint64_t *index = map_add(&b->word_of, mix(row, word.offset), &added);

	if (added) {
		*index = b->table->word.count;
		vec_push(&b->table->word, word);
	}
	b->table->word.item[*index].samples += sample->count;
	b->table->word.item[*index].weight += sample->weight;
}

static void add_field(struct builder *b, uint32_t row, string_id text,
		      const struct profile_sample *sample)
{
	bool added;
	uint64_t *index = map_add(&b->field_of, (uint64_t)row << 32 | text.v, &added);

	if (added) {
		*index = b->table->field.count;
		vec_push(&b->table->field, ((struct access_field){ .text = text, .row = row }));
	}
	b->table->field.item[*index].samples += sample->count;
	b->table->field.item[*index].weight += sample->weight;
}

/* The object as a frame on top of the stack, for pictures. */
static void put_on_stack(struct builder *b, const struct profile_access *access,
			 const struct access_row *about, struct profile_sample *sample)
{
	struct profile *profile = b->profile;
	struct frame frame = { .module = profile_module(profile, "[data]", ""),
			       .function = access->object };

	if (about->stack.v) /* of a block: the function that allocated it, under the allocator's */
		frame.function = strtab_puts(profile->strings, "[heap block]");
	else if (!strtab_len(profile->strings, frame.function))
		frame.function = strtab_puts(profile->strings,
					     access_kind_text((enum access_kind)access->kind));
	if (access->kind > ACCESS_OVERWRITTEN && access->kind != ACCESS_KERNEL)
		sample->stack =
			profile_stack_push(profile, sample->stack, profile_frame(profile, &frame));
}

static void add_access(struct builder *b, struct profile_sample *sample,
		       struct profile_access access)
{
	struct access_table *table = b->table;
	struct access_row about = { 0 }, *row;
	uint32_t index;

	table->samples += sample->count;
	table->weight += sample->weight;
	find_block(b, &access, &about);
	if (access.kind > ACCESS_OVERWRITTEN && access.kind != ACCESS_KERNEL)
		table->accesses += sample->count;
	if (access.kind == ACCESS_KERNEL)
		table->kernel += sample->count;
	index = row_of(b, &access, &about);
	row = &table->row.item[index];
	row->samples += sample->count;
	row->weight += sample->weight;
	row->guessed += access.guessed ? sample->count : 0;
	row->writes += access.writes ? sample->count : 0;
	if (access.size > row->size)
		row->size = access.size;
	add_place(b, index, sample);
	if ((access.kind == ACCESS_GLOBAL || access.kind == ACCESS_BLOCK) && !access.guessed)
		add_word(b, index, &access, sample);
	if (strtab_len(b->profile->strings, access.field))
		add_field(b, index, access.field, sample);
	put_on_stack(b, &access, &about, sample);
}

static void add_sample(struct builder *b, struct profile_sample *sample)
{
	const struct profile_event *event = &b->profile->events.item[sample->event];
	const struct profile_access *access;

	if (sample->addr >= b->profile->accesses.count)
		return;
	access = &b->profile->accesses.item[sample->addr];
	if (event->kind == EVENT_KIND_HEAP_ALLOC && access->size != HEAP_KEPT) {
		b->table->blocks++;
		live_blocks_add(b->blocks, &(struct live_block){ .start = access->addr,
								 .size = access->size,
								 .stack = sample->stack,
								 .stop = sample->stop });
	} else if (event->kind == EVENT_KIND_HEAP_FREE) {
		live_blocks_remove(b->blocks, access->addr);
	} else if (!event_kind_is_heap(event->kind)) {
		add_access(b, sample, *access);
	}
}

static void add_all(struct builder *b)
{
	struct profile *profile = b->profile;
	VEC(uint32_t) order = { 0 };

	vec_reserve(&order, profile->samples.count + 1);
	for (uint32_t i = 0; i < profile->samples.count; i++)
		vec_push(&order, i);
	profile_order_by_time(profile, order.item, order.count);
	for (size_t i = 0; i < order.count; i++)
		add_sample(b, &profile->samples.item[order.item[i]]);
	vec_done(&order);
}

static int larger_row(const void *x, const void *y, void *context)
{
	const struct access_row *rows = context;
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;

	if (rows[a].weight != rows[b].weight)
		return rows[a].weight > rows[b].weight ? -1 : 1;
	return a < b ? -1 : a > b;
}

static int larger_place(const void *x, const void *y)
{
	const struct access_place *a = x, *b = y;

	if (a->row != b->row)
		return a->row < b->row ? -1 : 1;
	if (a->weight != b->weight)
		return a->weight > b->weight ? -1 : 1;
	return a->function.v < b->function.v ? -1 : a->function.v > b->function.v;
}

static int larger_word(const void *x, const void *y)
{
	const struct access_word *a = x, *b = y;

	if (a->row != b->row)
		return a->row < b->row ? -1 : 1;
	if (a->weight != b->weight)
		return a->weight > b->weight ? -1 : 1;
	return a->offset < b->offset ? -1 : a->offset > b->offset;
}

static int larger_field(const void *x, const void *y)
{
	const struct access_field *a = x, *b = y;

	if (a->row != b->row)
		return a->row < b->row ? -1 : 1;
	if (a->weight != b->weight)
		return a->weight > b->weight ? -1 : 1;
	return a->text.v < b->text.v ? -1 : a->text.v > b->text.v;
}

/* place: the new number of a row, by its old one. */
static void sort_fields(struct access_table *table, const uint32_t *place)
{
	for (size_t i = 0; i < table->field.count; i++)
		table->field.item[i].row = place[table->field.item[i].row];
	if (table->field.count)
		qsort(table->field.item, table->field.count, sizeof(*table->field.item),
		      larger_field);
	for (size_t i = table->field.count; i-- > 0;) {
		struct access_row *row = &table->row.item[table->field.item[i].row];

		row->field = i;
		row->field_count++;
	}
}

/* Puts rows in order, and what they consist of behind one another. */
static void sort(struct access_table *table)
{
	size_t count = table->row.count;
	uint32_t *order = mem_alloc((count + 1) * sizeof(*order));
	uint32_t *place = mem_alloc((count + 1) * sizeof(*place));
	struct access_row *rows = mem_alloc((count + 1) * sizeof(*rows));

	for (uint32_t i = 0; i < count; i++)
		order[i] = i;
	qsort_r(order, count, sizeof(*order), larger_row, table->row.item);
	for (uint32_t i = 0; i < count; i++) {
		rows[i] = table->row.item[order[i]];
		place[order[i]] = i;
	}
	if (count)
		memcpy(table->row.item, rows, count * sizeof(*rows));
	for (size_t i = 0; i < table->place.count; i++)
		table->place.item[i].row = place[table->place.item[i].row];
	for (size_t i = 0; i < table->word.count; i++)
		table->word.item[i].row = place[table->word.item[i].row];
	if (table->place.count)
		qsort(table->place.item, table->place.count, sizeof(*table->place.item),
		      larger_place);
	if (table->word.count)
		qsort(table->word.item, table->word.count, sizeof(*table->word.item), larger_word);
	for (size_t i = table->place.count; i-- > 0;) {
		struct access_row *row = &table->row.item[table->place.item[i].row];

		row->place = i;
		row->place_count++;
	}
	for (size_t i = table->word.count; i-- > 0;) {
		struct access_row *row = &table->row.item[table->word.item[i].row];

		row->word = i;
		row->word_count++;
	}
	sort_fields(table, place);
	free(order);
	free(place);
	free(rows);
}

void access_sum_up(struct profile *profile, struct access_table *ret)
{
	struct builder b = { .profile = profile, .table = ret, .blocks = live_blocks_new() };

	*ret = (struct access_table){ 0 };
	add_all(&b);
	sort(ret);
	live_blocks_free(b.blocks);
	map_done(&b.row_of);
	map_done(&b.place_of);
	map_done(&b.word_of);
	map_done(&b.field_of);
}

void access_table_done(struct access_table *table)
{
	vec_done(&table->row);
	vec_done(&table->place);
	vec_done(&table->word);
	vec_done(&table->field);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Interning into a part's tables (see dictionary.h). */
#include "store/dictionary.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"

/* Hash and comparison of two items of a table, by number. */
struct table_ops {
	uint64_t (*hash)(const struct dictionary *dict, uint32_t id);
	bool (*equal)(const struct dictionary *dict, uint32_t a, uint32_t b);
};

static uint64_t mix(uint64_t a, uint64_t b)
{
	return hash_u64(a ^ (b * 0x9e3779b97f4a7c15u + (a << 6) + (a >> 2)));
}

static uint64_t string_hash(const struct dictionary *dict, uint32_t id)
{
	return hash_bytes(dict->strings.item[id].text, dict->strings.item[id].len);
}

static bool string_equal(const struct dictionary *dict, uint32_t a, uint32_t b)
{
	const struct dictionary_string *x = &dict->strings.item[a], *y = &dict->strings.item[b];

	return x->len == y->len && memcmp(x->text, y->text, x->len) == 0;
}

static uint64_t module_hash(const struct dictionary *dict, uint32_t id)
{
	return mix(dict->modules.item[id].path, dict->modules.item[id].build_id);
}

static bool module_equal(const struct dictionary *dict, uint32_t a, uint32_t b)
{
	const struct dictionary_module *x = &dict->modules.item[a], *y = &dict->modules.item[b];

	return x->path == y->path && x->build_id == y->build_id;
}

static uint64_t frame_hash(const struct dictionary *dict, uint32_t id)
{
	const struct dictionary_frame *f = &dict->frames.item[id];
	uint64_t h = mix(f->module, f->offset);

	h = mix(h, (uint64_t)f->function << 32 | f->line);
	return mix(h, (uint64_t)f->file << 8 | (uint64_t)f->kind << 2 | (uint64_t)f->inlined << 1 |
			      f->caller);
}

static bool frame_equal(const struct dictionary *dict, uint32_t a, uint32_t b)
{
	const struct dictionary_frame *x = &dict->frames.item[a], *y = &dict->frames.item[b];

	return x->module == y->module && x->function == y->function && x->file == y->file &&
	       x->line == y->line && x->kind == y->kind && x->inlined == y->inlined &&
	       x->caller == y->caller && x->binding == y->binding && x->offset == y->offset &&
	       x->symbol_start == y->symbol_start && x->symbol_end == y->symbol_end;
}

static uint64_t node_hash(const struct dictionary *dict, uint32_t id)
{
	return hash_u64((uint64_t)dict->nodes.item[id].parent << 32 | dict->nodes.item[id].frame);
}

static bool node_equal(const struct dictionary *dict, uint32_t a, uint32_t b)
{
	const struct dictionary_node *x = &dict->nodes.item[a], *y = &dict->nodes.item[b];

	return x->parent == y->parent && x->frame == y->frame;
}

static uint64_t leaf_hash(const struct dictionary *dict, uint32_t id)
{
	return hash_u64((uint64_t)dict->leaves.item[id].node << 8 | dict->leaves.item[id].stop);
}

static bool leaf_equal(const struct dictionary *dict, uint32_t a, uint32_t b)
{
	const struct dictionary_leaf *x = &dict->leaves.item[a], *y = &dict->leaves.item[b];

	return x->node == y->node && x->stop == y->stop && (a == 0) == (b == 0);
}

static uint64_t event_hash(const struct dictionary *dict, uint32_t id)
{
	return mix(dict->events.item[id].name, dict->events.item[id].unit);
}

static bool event_equal(const struct dictionary *dict, uint32_t a, uint32_t b)
{
	const struct dictionary_event *x = &dict->events.item[a], *y = &dict->events.item[b];

	return x->name == y->name && x->unit == y->unit && x->kind == y->kind &&
	       x->unit_type == y->unit_type && x->measured == y->measured &&
	       x->precise == y->precise && x->exact == y->exact && x->scale == y->scale &&
	       memcmp(&x->sample_weight, &y->sample_weight, sizeof(double)) == 0;
}

static uint64_t series_hash(const struct dictionary *dict, uint32_t id)
{
	const struct dictionary_series *series = &dict->series.item[id];
	uint64_t h = hash_u64(series->event);

	for (size_t i = 0; i < series->labels.labels.count; i++) {
		const struct label *label = &series->labels.labels.item[i];

		h = mix(h, hash_bytes(label->name, strlen(label->name)));
		h = mix(h, hash_bytes(label->value, strlen(label->value)));
	}
	return h;
}

static bool series_equal(const struct dictionary *dict, uint32_t a, uint32_t b)
{
	const struct dictionary_series *x = &dict->series.item[a], *y = &dict->series.item[b];

	if (x->event != y->event || x->labels.labels.count != y->labels.labels.count)
		return false;
	for (size_t i = 0; i < x->labels.labels.count; i++)
		if (strcmp(x->labels.labels.item[i].name, y->labels.labels.item[i].name) != 0 ||
		    strcmp(x->labels.labels.item[i].value, y->labels.labels.item[i].value) != 0)
			return false;
	return true;
}

static const struct table_ops tables[DICTIONARY_TABLES] = {
	[DICTIONARY_STRINGS] = { string_hash, string_equal },
	[DICTIONARY_MODULES] = { module_hash, module_equal },
	[DICTIONARY_FRAMES] = { frame_hash, frame_equal },
	[DICTIONARY_NODES] = { node_hash, node_equal },
	[DICTIONARY_LEAVES] = { leaf_hash, leaf_equal },
	[DICTIONARY_EVENTS] = { event_hash, event_equal },
	[DICTIONARY_SERIES] = { series_hash, series_equal },
};

struct dictionary_mark dictionary_mark(const struct dictionary *dict)
{
	return (struct dictionary_mark){ {
		(uint32_t)dict->strings.count,
		(uint32_t)dict->modules.count,
		(uint32_t)dict->frames.count,
		(uint32_t)dict->nodes.count,
		(uint32_t)dict->leaves.count,
		(uint32_t)dict->events.count,
		(uint32_t)dict->series.count,
	} };
}

/* The slot of an equal item, or a free one. */
static uint32_t *probe(const struct dictionary *dict, enum dictionary_table table, uint32_t id)
{
	const struct dictionary_index *index = &dict->index[table];
	size_t at = tables[table].hash(dict, id) & (index->capacity - 1);

	while (index->slot[at] && !tables[table].equal(dict, index->slot[at] - 1, id))
		at = (at + 1) & (index->capacity - 1);
	return &index->slot[at];
}

/* Room for so many items, with those that there are. */
static void fill(struct dictionary *dict, enum dictionary_table table, size_t count)
{
	struct dictionary_index *index = &dict->index[table];
	size_t capacity = index->capacity ? index->capacity : 64;

	while (capacity < 2 * (count + 1))
		capacity *= 2;
	free(index->slot);
	index->slot = mem_zalloc(capacity * sizeof(*index->slot));
	index->capacity = capacity;
	for (uint32_t id = 0; id < count; id++) {
		uint32_t *slot = probe(dict, table, id);

		if (!*slot)
			*slot = id + 1;
	}
}

/* Only writers need it. */
static void index_all(struct dictionary *dict)
{
	struct dictionary_mark mark = dictionary_mark(dict);

	if (dict->indexed)
		return;
	for (int table = 0; table < DICTIONARY_TABLES; table++)
		fill(dict, (enum dictionary_table)table, mark.count[table]);
	dict->indexed = true;
}

/* The last item of the table was just added to look for its like: returns that one's number, or its
 * own if it is new. */
static uint32_t intern(struct dictionary *dict, enum dictionary_table table, uint32_t last)
{
	uint32_t *slot;

	if (2 * ((size_t)last + 1) > dict->index[table].capacity)
		fill(dict, table, last);
	slot = probe(dict, table, last);
	if (!*slot)
		*slot = last + 1;
	return *slot - 1;
}

uint32_t dictionary_string(struct dictionary *dict, const char *text, size_t len)
{
	uint32_t last = (uint32_t)dict->strings.count, id;

	index_all(dict);
	len = len > DICTIONARY_MAX_STRING ? DICTIONARY_MAX_STRING : len;
	vec_push(&dict->strings, ((struct dictionary_string){ text, (uint32_t)len }));
	id = intern(dict, DICTIONARY_STRINGS, last);
	if (id == last)
		dict->strings.item[id].text = arena_strndup(&dict->arena, text, len);
	else
		dict->strings.count--;
	return id;
}

#define INTERN(vec, table, value)                      \
	uint32_t last = (uint32_t)dict->vec.count, id; \
	index_all(dict);                               \
	vec_push(&dict->vec, value);                   \
	id = intern(dict, table, last);                \
	dict->vec.count -= id != last;                 \
	return id

uint32_t dictionary_module(struct dictionary *dict, const struct dictionary_module *module)
{
	INTERN(modules, DICTIONARY_MODULES, *module);
}

uint32_t dictionary_frame(struct dictionary *dict, const struct dictionary_frame *frame)
{
	INTERN(frames, DICTIONARY_FRAMES, *frame);
}

uint32_t dictionary_node(struct dictionary *dict, const struct dictionary_node *node)
{
	INTERN(nodes, DICTIONARY_NODES, *node);
}

uint32_t dictionary_leaf(struct dictionary *dict, const struct dictionary_leaf *leaf)
{
	INTERN(leaves, DICTIONARY_LEAVES, *leaf);
}

uint32_t dictionary_event(struct dictionary *dict, const struct dictionary_event *event)
{
	INTERN(events, DICTIONARY_EVENTS, *event);
}

uint32_t dictionary_series(struct dictionary *dict, uint32_t event, const struct label_set *labels)
{
	uint32_t last = (uint32_t)dict->series.count, id;
	struct dictionary_series series = { .event = event };

	index_all(dict);
	label_set_put_all(&series.labels, labels);
	(void)label_set_put(&series.labels, "event",
			    dict->strings.item[dict->events.item[event].name].text);
	vec_push(&dict->series, series);
	id = intern(dict, DICTIONARY_SERIES, last);
	if (id != last) {
		label_set_done(&series.labels);
		dict->series.count--;
	}
	return id;
}

void dictionary_init(struct dictionary *dict)
{
	vec_push(&dict->strings, ((struct dictionary_string){ "", 0 }));
	vec_push(&dict->modules, ((struct dictionary_module){ 0 }));
	vec_push(&dict->frames, ((struct dictionary_frame){ 0 }));
	vec_push(&dict->nodes, ((struct dictionary_node){ 0 }));
	vec_push(&dict->leaves, ((struct dictionary_leaf){ 0 }));
}

bool dictionary_is_full(const struct dictionary *dict)
{
	return dict->nodes.count >= DICTIONARY_MAX_NODES ||
	       dict->frames.count >= DICTIONARY_MAX_NODES ||
	       dict->strings.count >= DICTIONARY_MAX_NODES ||
	       dict->series.count >= DICTIONARY_MAX_SERIES ||
	       dict->events.count >= DICTIONARY_MAX_EVENTS;
}

bool dictionary_has_new(const struct dictionary *dict, const struct dictionary_mark *since)
{
	struct dictionary_mark now = dictionary_mark(dict);

	return memcmp(&now, since, sizeof(now)) != 0;
}

void dictionary_done(struct dictionary *dict)
{
	for (size_t i = 0; i < dict->series.count; i++)
		label_set_done(&dict->series.item[i].labels);
	for (int table = 0; table < DICTIONARY_TABLES; table++)
		free(dict->index[table].slot);
	vec_done(&dict->strings);
	vec_done(&dict->modules);
	vec_done(&dict->frames);
	vec_done(&dict->nodes);
	vec_done(&dict->leaves);
	vec_done(&dict->events);
	vec_done(&dict->series);
	arena_done(&dict->arena);
	memset(dict, 0, sizeof(*dict));
}

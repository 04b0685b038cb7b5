/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A part's tables as bytes, and back (see dictionary.h). */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/err.h"
#include "event/stop.h"
#include "store/dictionary.h"
#include "store/segment/bytes.h"

/* A few more than a writer stops at: it looks before a batch, not in it. */
#define MOST_ITEMS ((size_t)16 << 20)

enum { EVENT_MEASURED = 1, EVENT_PRECISE = 2, EVENT_EXACT = 4 };

static void put(struct buf *out, uint64_t value)
{
	(void)buf_put_varint(out, value); /* batches are far below the limit of a buf */
}

static void put_text(struct buf *out, const char *text, size_t len)
{
	put(out, len);
	(void)buf_append(out, text, len);
}

static void put_frame(const struct dictionary_frame *f, struct buf *out)
{
	put(out, f->module);
	put(out, f->function);
	put(out, f->file);
	put(out, f->line);
	put(out, (uint64_t)f->kind << 2 | (uint64_t)f->inlined << 1 | f->caller);
	put(out, (uint8_t)f->binding);
	put(out, f->offset);
	if (f->function) {
		put(out, f->symbol_start);
		put(out, f->symbol_end - f->symbol_start);
	}
}

static void put_event(const struct dictionary_event *e, struct buf *out)
{
	uint64_t bits;

	memcpy(&bits, &e->sample_weight, sizeof(bits));
	put(out, e->name);
	put(out, e->unit);
	put(out, e->kind);
	put(out, e->unit_type);
	put(out, (e->measured ? EVENT_MEASURED : 0) | (e->precise ? EVENT_PRECISE : 0) |
			 (e->exact ? EVENT_EXACT : 0));
	put(out, e->scale);
	put(out, bits);
}

static void put_series(const struct dictionary_series *s, struct buf *out)
{
	put(out, s->event);
	put(out, s->labels.labels.count);
	for (size_t i = 0; i < s->labels.labels.count; i++) {
		const struct label *label = &s->labels.labels.item[i];

		put_text(out, label->name, strlen(label->name));
		put_text(out, label->value, strlen(label->value));
	}
}

static void put_item(const struct dictionary *dict, enum dictionary_table table, uint32_t i,
		     struct buf *out)
{
	switch (table) {
	case DICTIONARY_STRINGS:
		put_text(out, dict->strings.item[i].text, dict->strings.item[i].len);
		break;
	case DICTIONARY_MODULES:
		put(out, dict->modules.item[i].path);
		put(out, dict->modules.item[i].build_id);
		break;
	case DICTIONARY_FRAMES:
		put_frame(&dict->frames.item[i], out);
		break;
	case DICTIONARY_NODES:
		put(out, i - dict->nodes.item[i].parent);
		put(out, dict->nodes.item[i].frame);
		break;
	case DICTIONARY_LEAVES:
		put(out, dict->leaves.item[i].node);
		put(out, dict->leaves.item[i].stop);
		break;
	case DICTIONARY_EVENTS:
		put_event(&dict->events.item[i], out);
		break;
	default:
		put_series(&dict->series.item[i], out);
	}
}

void dictionary_write(const struct dictionary *dict, const struct dictionary_mark *since,
		      struct buf *ret)
{
	struct dictionary_mark now = dictionary_mark(dict);

	for (int table = 0; table < DICTIONARY_TABLES; table++) {
		put(ret, since->count[table]);
		put(ret, now.count[table] - since->count[table]);
		for (uint32_t i = since->count[table]; i < now.count[table]; i++)
			put_item(dict, (enum dictionary_table)table, i, ret);
	}
}

/* A reference to an item that there is. */
static uint32_t take_id(struct bytes *in, size_t count)
{
	uint32_t id = bytes_take_u32(in);

	if (id < count)
		return id;
	in->failed = true;
	return 0;
}

static void read_string(struct dictionary *dict, struct bytes *in, bool keep)
{
	size_t len = (size_t)bytes_take(in);
	const uint8_t *text = len <= DICTIONARY_MAX_STRING ? bytes_take_run(in, len) : NULL;

	if (!text)
		in->failed = true;
	else if (keep)
		vec_push(&dict->strings,
			 ((struct dictionary_string){
				 arena_strndup(&dict->arena, (const char *)text, len),
				 (uint32_t)len }));
}

static void read_module(struct dictionary *dict, struct bytes *in, bool keep)
{
	struct dictionary_module module = { .path = take_id(in, dict->strings.count) };

	module.build_id = take_id(in, dict->strings.count);
	if (keep && !in->failed)
		vec_push(&dict->modules, module);
}

static void read_frame(struct dictionary *dict, struct bytes *in, bool keep)
{
	struct dictionary_frame f = { .module = take_id(in, dict->modules.count) };
	uint64_t kind;

	f.function = take_id(in, dict->strings.count);
	f.file = take_id(in, dict->strings.count);
	f.line = bytes_take_u32(in);
	kind = bytes_take(in);
	f.kind = (uint8_t)(kind >> 2);
	f.inlined = kind & 2;
	f.caller = kind & 1;
	in->failed |= kind >> 2 > UINT8_MAX;
	f.binding = (char)bytes_take(in);
	f.offset = bytes_take(in);
	if (f.function) {
		f.symbol_start = bytes_take(in);
		f.symbol_end = f.symbol_start + bytes_take(in);
	}
	if (keep && !in->failed)
		vec_push(&dict->frames, f);
}

static void read_node(struct dictionary *dict, struct bytes *in, bool keep, uint32_t own)
{
	struct dictionary_node node;
	uint32_t up = bytes_take_u32(in);

	node.frame = take_id(in, dict->frames.count);
	in->failed |= up == 0 || up > own;
	node.parent = own - up;
	if (keep && !in->failed)
		vec_push(&dict->nodes, node);
}

static void read_leaf(struct dictionary *dict, struct bytes *in, bool keep)
{
	struct dictionary_leaf leaf = { .node = take_id(in, dict->nodes.count) };

	leaf.stop = (uint8_t)take_id(in, STACK_STOP_COUNT);
	if (keep && !in->failed)
		vec_push(&dict->leaves, leaf);
}

static void read_event(struct dictionary *dict, struct bytes *in, bool keep)
{
	struct dictionary_event event = { .name = take_id(in, dict->strings.count) };
	uint64_t flags, bits;

	event.unit = take_id(in, dict->strings.count);
	event.kind = (uint8_t)take_id(in, EVENT_KIND_COUNT);
	event.unit_type = (uint8_t)take_id(in, EVENT_UNIT_OTHER + 1);
	flags = bytes_take(in);
	event.measured = flags & EVENT_MEASURED;
	event.precise = flags & EVENT_PRECISE;
	event.exact = flags & EVENT_EXACT;
	event.scale = bytes_take_u32(in);
	bits = bytes_take(in);
	memcpy(&event.sample_weight, &bits, sizeof(bits));
	if (!(event.sample_weight >= 0 && event.sample_weight < 1e300))
		event.sample_weight = 0;
	if (keep && !in->failed)
		vec_push(&dict->events, event);
}

static bool take_text(struct bytes *in, char *ret, size_t size)
{
	uint64_t len = bytes_take(in);
	const uint8_t *text = len < size ? bytes_take_run(in, len) : NULL;

	if (!text) {
		in->failed = true;
		return false;
	}
	memcpy(ret, text, (size_t)len);
	ret[len] = '\0';
	return true;
}

static void read_series(struct dictionary *dict, struct bytes *in, bool keep)
{
	char name[LABEL_NAME_MAX + 1], value[LABEL_VALUE_MAX + 1];
	struct dictionary_series series = { .event = take_id(in, dict->events.count) };
	size_t count = bytes_take_count(in, 2);

	in->failed |= count > LABELS_MAX;
	for (size_t i = 0; i < count && !in->failed; i++)
		if (take_text(in, name, sizeof(name)) && take_text(in, value, sizeof(value)))
			in->failed |= !label_set_put(&series.labels, name, value);
	if (keep && !in->failed)
		vec_push(&dict->series, series);
	else
		label_set_done(&series.labels);
}

static void read_item(struct dictionary *dict, enum dictionary_table table, struct bytes *in,
		      uint32_t own, bool keep)
{
	switch (table) {
	case DICTIONARY_STRINGS:
		read_string(dict, in, keep);
		break;
	case DICTIONARY_MODULES:
		read_module(dict, in, keep);
		break;
	case DICTIONARY_FRAMES:
		read_frame(dict, in, keep);
		break;
	case DICTIONARY_NODES:
		read_node(dict, in, keep, own);
		break;
	case DICTIONARY_LEAVES:
		read_leaf(dict, in, keep);
		break;
	case DICTIONARY_EVENTS:
		read_event(dict, in, keep);
		break;
	default:
		read_series(dict, in, keep);
	}
}

static void read_table(struct dictionary *dict, enum dictionary_table table, struct bytes *in)
{
	uint64_t first = bytes_take(in), known = dictionary_mark(dict).count[table];
	size_t count = bytes_take_count(in, 2 - (table == DICTIONARY_STRINGS));

	if (first > known || first + count > MOST_ITEMS)
		in->failed = true;
	for (size_t i = 0; i < count && !in->failed; i++)
		read_item(dict, table, in, (uint32_t)(first + i), first + i >= known);
}

int dictionary_read(struct dictionary *dict, const uint8_t *data, size_t len, struct err *err)
{
	struct bytes in = { data, data + len, false };

	for (int table = 0; table < DICTIONARY_TABLES && !in.failed; table++)
		read_table(dict, (enum dictionary_table)table, &in);
	return in.failed ? err_set(err, -EBADMSG, "the dictionary is damaged") : 0;
}

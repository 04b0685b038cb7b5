/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Batches as rows of the tables (see clickhouse.h). The key of an item is the hash of its row. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/fd.h"
#include "store/batch_rows.h"
#include "store/clickhouse/clickhouse.h"
#include "store/clickhouse/row_binary.h"
#include "store/dictionary.h"
#include "store/rows.h"

#define MOST_SENT ((size_t)2 << 20)
#define LAST_DAY  49709u /* with seconds since 1970 in 32 bits */
#define AWAY_NS	  ((uint64_t)5 * 1000000000)

/* A day's rows with the keys of what they refer to, by number in the dictionary. */
struct encoder {
	struct clickhouse *store;
	const struct dictionary *dict;
	struct clickhouse_batch *batch;
	uint64_t *frame, *node, *event, *series;
	struct buf item;
};

/* Whether the day's part of the table has it not yet, as far as is known. */
static bool is_new(struct encoder *e, enum clickhouse_table table, uint64_t key)
{
	uint64_t day_key = key ^ hash_u64((uint64_t)e->batch->day << 8 | table);
	bool added;

	(void)map_add(&e->store->sent, day_key, &added);
	return added;
}

static void put_text(struct encoder *e, uint32_t string)
{
	const struct dictionary_string *s = &e->dict->strings.item[string];

	row_put_string(&e->item, s->text, s->len);
}

/* The row of e->item, after day and key; returns the key. */
static uint64_t put_item(struct encoder *e, enum clickhouse_table table)
{
	uint64_t key = hash_bytes(e->item.data, e->item.len);
	struct buf *rows = &e->batch->rows[table];

	if (is_new(e, table, key)) {
		row_put(rows, e->batch->day, 2);
		row_put(rows, key, 8);
		(void)buf_append(rows, e->item.data, e->item.len);
	}
	return key;
}

static void put_frames(struct encoder *e)
{
	for (size_t i = 1; i < e->dict->frames.count; i++) {
		const struct dictionary_frame *f = &e->dict->frames.item[i];
		const struct dictionary_module *module = &e->dict->modules.item[f->module];

		buf_clear(&e->item);
		put_text(e, f->function);
		put_text(e, module->path);
		put_text(e, module->build_id);
		put_text(e, f->file);
		row_put(&e->item, f->line, 4);
		row_put(&e->item, f->kind, 1);
		row_put(&e->item, f->inlined, 1);
		row_put(&e->item, f->caller, 1);
		row_put(&e->item, (uint8_t)f->binding, 1);
		row_put(&e->item, f->offset, 8);
		row_put(&e->item, f->symbol_start, 8);
		row_put(&e->item, f->symbol_end, 8);
		e->frame[i] = put_item(e, CLICKHOUSE_FRAMES);
	}
}

static void put_stack(struct encoder *e, uint32_t node)
{
	struct buf *rows = &e->batch->rows[CLICKHOUSE_STACKS];
	VEC(uint64_t) path = { 0 };

	if (!node || !is_new(e, CLICKHOUSE_STACKS, e->node[node]))
		return;
	for (uint32_t at = node; at; at = e->dict->nodes.item[at].parent)
		vec_push(&path, e->frame[e->dict->nodes.item[at].frame]);
	row_put(rows, e->batch->day, 2);
	row_put(rows, e->node[node], 8);
	(void)buf_put_varint(rows, path.count);
	for (size_t i = path.count; i-- > 0;)
		row_put(rows, path.item[i], 8);
	vec_done(&path);
}

/* Parents come first. */
static void put_stacks(struct encoder *e)
{
	e->node[0] = CLICKHOUSE_EMPTY_STACK;
	for (size_t i = 1; i < e->dict->nodes.count; i++) {
		const struct dictionary_node *node = &e->dict->nodes.item[i];
		const uint64_t pair[2] = { e->node[node->parent], e->frame[node->frame] };

		e->node[i] = hash_bytes(pair, sizeof(pair));
	}
	for (size_t i = 1; i < e->dict->leaves.count; i++)
		put_stack(e, e->dict->leaves.item[i].node);
}

static void put_events(struct encoder *e)
{
	for (size_t i = 0; i < e->dict->events.count; i++) {
		const struct dictionary_event *event = &e->dict->events.item[i];

		buf_clear(&e->item);
		put_text(e, event->name);
		put_text(e, event->unit);
		row_put(&e->item, event->kind, 1);
		row_put(&e->item, event->unit_type, 1);
		row_put(&e->item, event->measured, 1);
		row_put(&e->item, event->precise, 1);
		row_put(&e->item, event->exact, 1);
		row_put(&e->item, event->scale, 4);
		row_put_double(&e->item, event->sample_weight);
		e->event[i] = put_item(e, CLICKHOUSE_EVENTS);
	}
}

/* The label `event` follows from the event. */
static void put_labels(struct buf *out, const struct label_set *set, bool names)
{
	size_t count = 0;

	for (size_t i = 0; i < set->labels.count; i++)
		count += strcmp(set->labels.item[i].name, "event") != 0;
	(void)buf_put_varint(out, count);
	for (size_t i = 0; i < set->labels.count; i++) {
		const struct label *label = &set->labels.item[i];
		const char *text = names ? label->name : label->value;

		if (strcmp(label->name, "event") != 0)
			row_put_string(out, text, strlen(text));
	}
}

static void put_series(struct encoder *e)
{
	for (size_t i = 0; i < e->dict->series.count; i++) {
		const struct dictionary_series *series = &e->dict->series.item[i];
		const char *service = label_set_get(&series->labels, "service");

		buf_clear(&e->item);
		row_put(&e->item, e->event[series->event], 8);
		row_put_string(&e->item, service, strlen(service));
		put_labels(&e->item, &series->labels, true);
		put_labels(&e->item, &series->labels, false);
		e->series[i] = put_item(e, CLICKHOUSE_SERIES);
	}
}

static void put_samples(struct encoder *e, const struct store_rows *from)
{
	struct buf *rows = &e->batch->rows[CLICKHOUSE_SAMPLES];

	for (size_t i = 0; i < from->rows.count; i++) {
		const struct store_row *row = &from->rows.item[i];
		const struct dictionary_series *series = &e->dict->series.item[row->series];
		const struct dictionary_leaf *leaf = &e->dict->leaves.item[row->leaf];
		const char *service = label_set_get(&series->labels, "service");
		bool lost = row->leaf == DICTIONARY_LEAF_LOST;

		row_put(rows, e->batch->day, 2);
		row_put(rows, row->time_ns / 1000000000, 4);
		row_put_string(rows, service, strlen(service));
		row_put(rows, e->event[series->event], 8);
		row_put(rows, e->series[row->series], 8);
		row_put(rows, lost ? 0 : e->node[leaf->node], 8);
		row_put(rows, lost ? 0 : leaf->stop, 1);
		row_put(rows, e->batch->id, 8);
		row_put(rows, row->count, 8);
		row_put(rows, row->weight, 8);
	}
}

static void encode(struct clickhouse *store, const struct dictionary *dict,
		   const struct store_rows *rows, struct clickhouse_batch *ret)
{
	struct encoder e = {
		.store = store,
		.dict = dict,
		.batch = ret,
		.frame = mem_zalloc((dict->frames.count + 1) * sizeof(*e.frame)),
		.node = mem_zalloc((dict->nodes.count + 1) * sizeof(*e.node)),
		.event = mem_zalloc((dict->events.count + 1) * sizeof(*e.event)),
		.series = mem_zalloc((dict->series.count + 1) * sizeof(*e.series)),
	};

	if (store->sent.count > MOST_SENT)
		map_done(&store->sent); /* they are sent again */
	put_frames(&e);
	put_stacks(&e);
	put_events(&e);
	put_series(&e);
	put_samples(&e, rows);
	free(e.frame);
	free(e.node);
	free(e.event);
	free(e.series);
	buf_done(&e.item);
}

/* To the server, or to the spool when it is away or does not take it. */
static int deliver(struct clickhouse *store, const struct clickhouse_batch *batch, bool lost,
		   struct err *err)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);
	struct buf bytes = { 0 };
	struct err away = { 0 };
	int code = -EHOSTUNREACH;

	if (now >= store->away_ns) {
		code = spool_send(&store->spool, &away);
		if (!code)
			code = clickhouse_send(store, batch, lost, &away);
	}
	if (!code)
		return 0;
	if (!store->spool.folder) {
		map_done(&store->sent); /* some of it may not have arrived */
		*err = away;
		return code;
	}
	if (now >= store->away_ns)
		store->away_ns = clock_ns(CLOCK_MONOTONIC) + AWAY_NS;
	clickhouse_batch_write(batch, &bytes);
	code = spool_put(&store->spool, batch->id, &bytes, err);
	buf_done(&bytes);
	if (code)
		map_done(&store->sent);
	return code;
}

static int append_day(struct clickhouse *store, const struct store_batch *from, uint32_t day,
		      bool with_lost, struct err *err)
{
	/* one that may come again is looked for, by a number that follows from its own */
	struct clickhouse_batch batch = { .id = from->id ? hash_u64(from->id + day)
							 : store->next_id++,
					  .day = day };
	struct dictionary dict = { 0 };
	struct store_rows rows = { 0 };
	int code = 0;

	dictionary_init(&dict);
	batch_rows_add(from, day, with_lost, &dict, &rows);
	store_rows_merge(&rows, STORE_BUCKET_NS);
	if (rows.rows.count) {
		encode(store, &dict, &rows, &batch);
		code = deliver(store, &batch, from->id != 0, err);
	}
	for (size_t i = 0; i < CLICKHOUSE_TABLES; i++)
		buf_done(&batch.rows[i]);
	vec_done(&rows.rows);
	dictionary_done(&dict);
	return code;
}

int clickhouse_append(struct store *base, const struct store_batch *batch, struct err *err)
{
	struct clickhouse *store = (struct clickhouse *)base;
	AUTO_FREE uint32_t *days = NULL;
	size_t count = 0;
	int code = batch_rows_days(batch, &days, &count, err);

	if (!code && count && days[count - 1] > LAST_DAY)
		code = err_set(err, -EINVAL, "%s: times after 2106", store->shown);
	for (size_t i = 0; i < count && !code; i++)
		code = append_day(store, batch, days[i], i + 1 == count, err);
	return code;
}

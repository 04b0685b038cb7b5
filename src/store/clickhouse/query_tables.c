/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Keys as numbers (see query_tables.h). */
#include "store/clickhouse/query_tables.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/err.h"
#include "event/stop.h"
#include "store/clickhouse/row_binary.h"
#include "store/row_answer.h"
#include "store/selector.h"

void query_tables_open(struct query_tables *tables)
{
	*tables = (struct query_tables){ 0 };
	dictionary_init(&tables->dict);
}

void query_tables_close(struct query_tables *tables)
{
	dictionary_done(&tables->dict);
	map_done(&tables->event);
	map_done(&tables->series);
	map_done(&tables->frame);
	map_done(&tables->node);
	map_done(&tables->leaf);
	vec_done(&tables->wanted);
	vec_done(&tables->leaves);
}

static int check(const struct row_reader *in, const char *table, struct err *err)
{
	return in->failed ? err_set(err, -EBADMSG, "the server's answer about %s is damaged", table)
			  : 0;
}

static uint32_t take_string(struct query_tables *tables, struct row_reader *in)
{
	size_t len;
	const char *text = row_take_string(in, &len);

	return dictionary_string(&tables->dict, text, len);
}

int query_tables_take_events(struct query_tables *tables, struct row_reader *in, struct err *err)
{
	while (row_reader_more(in)) {
		uint64_t key = row_take(in, 8);
		struct dictionary_event event = { .name = take_string(tables, in),
						  .unit = take_string(tables, in) };

		event.kind = (uint8_t)row_take(in, 1);
		event.unit_type = (uint8_t)row_take(in, 1);
		event.measured = row_take(in, 1);
		event.precise = row_take(in, 1);
		event.exact = row_take(in, 1);
		event.scale = (uint32_t)row_take(in, 4);
		event.sample_weight = row_take_double(in);
		if (event.kind >= EVENT_KIND_COUNT || event.unit_type > EVENT_UNIT_OTHER)
			in->failed = true;
		if (!in->failed && tables->dict.events.count < DICTIONARY_MAX_EVENTS)
			map_set(&tables->event, key, dictionary_event(&tables->dict, &event));
	}
	return check(in, "events", err);
}

struct span {
	const char *text;
	size_t len;
};

static void put_label(struct label_set *set, const struct span *name, const struct span *value)
{
	char own_name[LABEL_NAME_MAX + 1], own_value[LABEL_VALUE_MAX + 1];

	if (name->len >= sizeof(own_name) || value->len >= sizeof(own_value))
		return; /* ours are not */
	memcpy(own_name, name->text, name->len);
	own_name[name->len] = '\0';
	memcpy(own_value, value->text, value->len);
	own_value[value->len] = '\0';
	(void)label_set_put(set, own_name, own_value);
}

/* Two arrays of the same length. */
static void take_labels(struct row_reader *in, struct label_set *ret)
{
	struct span name[LABELS_MAX], value = { 0 };
	size_t count = row_take_length(in, 1);

	if (count > LABELS_MAX)
		in->failed = true;
	for (size_t i = 0; i < count && !in->failed; i++)
		name[i].text = row_take_string(in, &name[i].len);
	if (row_take_length(in, 1) != count)
		in->failed = true;
	for (size_t i = 0; i < count && !in->failed; i++) {
		value.text = row_take_string(in, &value.len);
		if (!in->failed)
			put_label(ret, &name[i], &value);
	}
}

/* A label set with the event, as conditions may name it. */
static void add_series(struct query_tables *tables, const struct store_query *query, uint64_t key,
		       uint32_t event, struct label_set *labels)
{
	const struct dictionary *dict = &tables->dict;

	(void)label_set_put(labels, "event",
			    dict->strings.item[dict->events.item[event].name].text);
	if (!row_is_meant(query, labels)) {
		tables->some = true;
		return;
	}
	label_set_put(labels, "event", "");
	map_set(&tables->series, key, dictionary_series(&tables->dict, event, labels));
	vec_push(&tables->wanted, key);
}

int query_tables_take_series(struct query_tables *tables, struct row_reader *in,
			     const struct store_query *query, struct err *err)
{
	while (row_reader_more(in)) {
		uint64_t key = row_take(in, 8), event = row_take(in, 8), number;
		struct label_set labels = { 0 };

		take_labels(in, &labels);
		if (!in->failed && map_get(&tables->event, event, &number))
			add_series(tables, query, key, (uint32_t)number, &labels);
		else
			tables->missing += !in->failed;
		label_set_done(&labels);
	}
	return check(in, "series", err);
}

bool query_tables_find(const struct query_tables *tables, uint64_t series, uint32_t *ret)
{
	uint64_t number;

	if (!map_get(&tables->series, series, &number))
		return false;
	*ret = (uint32_t)number;
	return true;
}

uint32_t query_tables_leaf(struct query_tables *tables, uint64_t stack, uint8_t stop)
{
	bool added;
	uint64_t *index = map_add(&tables->leaf, stack ^ hash_u64(stop), &added);

	if (added) {
		struct query_leaf leaf = { stack, stop, 0 };

		*index = tables->leaves.count;
		vec_push(&tables->leaves, leaf);
	}
	return (uint32_t)*index;
}

int query_tables_take_frames(struct query_tables *tables, struct row_reader *in, struct err *err)
{
	while (row_reader_more(in)) {
		uint64_t key = row_take(in, 8);
		struct dictionary_frame frame = { .function = take_string(tables, in) };
		struct dictionary_module module = { take_string(tables, in),
						    take_string(tables, in) };

		frame.module = dictionary_module(&tables->dict, &module);
		frame.file = take_string(tables, in);
		frame.line = (uint32_t)row_take(in, 4);
		frame.kind = (uint8_t)row_take(in, 1);
		frame.inlined = row_take(in, 1);
		frame.caller = row_take(in, 1);
		frame.binding = (char)row_take(in, 1);
		frame.offset = row_take(in, 8);
		frame.symbol_start = row_take(in, 8);
		frame.symbol_end = row_take(in, 8);
		if (!in->failed)
			map_set(&tables->frame, key, dictionary_frame(&tables->dict, &frame));
	}
	return check(in, "frames", err);
}

int query_tables_take_stacks(struct query_tables *tables, struct row_reader *in, struct err *err)
{
	while (row_reader_more(in)) {
		uint64_t key = row_take(in, 8), frame;
		size_t count = row_take_length(in, 8);
		struct dictionary_node node = { 0 };

		for (size_t i = 0; i < count && !in->failed; i++) {
			if (!map_get(&tables->frame, row_take(in, 8), &frame)) {
				tables->missing++;
				continue;
			}
			node.frame = (uint32_t)frame;
			node.parent = dictionary_node(&tables->dict, &node);
		}
		if (!in->failed)
			map_set(&tables->node, key, node.parent);
	}
	return check(in, "stacks", err);
}

void query_put_days(struct buf *sql, const struct store_query *query)
{
	(void)buf_printf(sql, "day BETWEEN toDate(%" PRIu64 ") AND toDate(%" PRIu64 ")",
			 query->from_ns / STORE_DAY_NS, (query->to_ns - 1) / STORE_DAY_NS);
}

static void put_text(struct buf *sql, const char *text)
{
	(void)buf_putc(sql, '\'');
	for (; *text; text++) {
		if (*text == '\'' || *text == '\\')
			(void)buf_putc(sql, '\\');
		(void)buf_putc(sql, *text);
	}
	(void)buf_putc(sql, '\'');
}

void query_put_service(struct buf *sql, const struct store_query *query)
{
	const struct selector *selector = query->selector;

	for (size_t i = 0; selector && i < selector->count; i++) {
		const struct selector_condition *c = &selector->condition[i];

		if (c->op != SELECTOR_EQUAL || strcmp(c->name, "service") != 0)
			continue;
		(void)buf_puts(sql, " AND service = ");
		put_text(sql, c->value);
	}
}

/* What to ask for: columns of a table, one row for each key, whichever; they are the same. */
struct request {
	const char *columns, *table, *key;
	bool by_service;	   /* it has the column `service` */
	struct clickhouse_ids ids; /* of keys; none = all */
};

static int fetch(struct clickhouse *store, const struct store_query *query,
		 const struct request *request, struct buf *ret, struct err *err)
{
	const struct clickhouse_ids *ids = request->ids.count ? &request->ids : NULL;
	struct buf sql = { 0 };
	int code;

	(void)buf_printf(&sql, "SELECT %s, %s FROM %s.%s WHERE ", request->key, request->columns,
			 store->database, request->table);
	query_put_days(&sql, query);
	if (request->by_service)
		query_put_service(&sql, query);
	if (ids)
		(void)buf_printf(&sql, " AND %s IN (SELECT id FROM ids)", request->key);
	(void)buf_printf(&sql, " GROUP BY %s FORMAT RowBinary", request->key);
	code = clickhouse_ask(store, sql.data, ids, ret, err);
	buf_done(&sql);
	return code;
}

int query_tables_series(struct query_tables *tables, struct clickhouse *store,
			const struct store_query *query, struct err *err)
{
	struct buf answer = { 0 };
	struct row_reader in;
	const struct request events = {
		.columns = "any(name), any(unit), any(kind), any(unit_type), any(measured), "
			   "any(precise), any(exact), any(scale), any(sample_weight)",
		.table = "events",
		.key = "event",
	};
	const struct request series = {
		.columns = "any(event), any(label_names), any(label_values)",
		.table = "series",
		.key = "series",
		.by_service = true,
	};
	int code = fetch(store, query, &events, &answer, err);

	in = row_reader_of(&answer);
	if (!code)
		code = query_tables_take_events(tables, &in, err);
	if (!code)
		code = fetch(store, query, &series, &answer, err);
	in = row_reader_of(&answer);
	if (!code)
		code = query_tables_take_series(tables, &in, query, err);
	buf_done(&answer);
	return code;
}

/* The keys of frames in an answer about stacks. */
static void collect_frames(struct row_reader in, struct map *seen, struct buf *ret)
{
	while (row_reader_more(&in)) {
		size_t count;

		(void)row_take(&in, 8);
		count = row_take_length(&in, 8);
		for (size_t i = 0; i < count && !in.failed; i++) {
			uint64_t key = row_take(&in, 8);
			bool added;

			(void)map_add(seen, key, &added);
			if (added)
				(void)buf_append(ret, &key, sizeof(key));
		}
	}
}

static int fetch_frames(struct query_tables *tables, struct clickhouse *store,
			const struct store_query *query, const struct buf *stacks, struct err *err)
{
	struct buf keys = { 0 }, answer = { 0 };
	struct map seen = { 0 };
	struct request frames = {
		.columns = "any(function), any(module), any(build_id), any(file), any(line), "
			   "any(kind), any(inlined), any(caller), any(binding), any(offset), "
			   "any(symbol_start), any(symbol_end)",
		.table = "frames",
		.key = "frame",
	};
	struct row_reader in;
	int code = 0;

	collect_frames(row_reader_of(stacks), &seen, &keys);
	frames.ids =
		(struct clickhouse_ids){ (const void *)keys.data, keys.len / sizeof(uint64_t) };
	if (frames.ids.count)
		code = fetch(store, query, &frames, &answer, err);
	in = row_reader_of(&answer);
	if (!code)
		code = query_tables_take_frames(tables, &in, err);
	map_done(&seen);
	buf_done(&keys);
	buf_done(&answer);
	return code;
}

void query_tables_number(struct query_tables *tables)
{
	map_set(&tables->node, CLICKHOUSE_EMPTY_STACK, 0);
	for (size_t i = 0; i < tables->leaves.count; i++) {
		struct query_leaf *leaf = &tables->leaves.item[i];
		struct dictionary_leaf own = { .stop = leaf->stop };
		uint64_t node = 0;

		if (!leaf->stack) {
			leaf->number = DICTIONARY_LEAF_LOST;
			continue;
		}
		tables->missing += !map_get(&tables->node, leaf->stack, &node);
		own.node = (uint32_t)node;
		if (own.stop >= STACK_STOP_COUNT)
			own.stop = STACK_STOP_NONE;
		leaf->number = dictionary_leaf(&tables->dict, &own);
	}
}

int query_tables_stacks(struct query_tables *tables, struct clickhouse *store,
			const struct store_query *query, struct err *err)
{
	struct request stacks = { .columns = "any(frames)", .table = "stacks", .key = "stack" };
	VEC(uint64_t) keys = { 0 };
	struct buf answer = { 0 };
	struct row_reader in;
	int code = 0;

	for (size_t i = 0; i < tables->leaves.count; i++)
		if (tables->leaves.item[i].stack > CLICKHOUSE_EMPTY_STACK)
			vec_push(&keys, tables->leaves.item[i].stack);
	stacks.ids = (struct clickhouse_ids){ keys.item, keys.count };
	if (keys.count)
		code = fetch(store, query, &stacks, &answer, err);
	if (!code)
		code = fetch_frames(tables, store, query, &answer, err);
	in = row_reader_of(&answer);
	if (!code)
		code = query_tables_take_stacks(tables, &in, err);
	if (!code)
		query_tables_number(tables);
	vec_done(&keys);
	buf_done(&answer);
	return code;
}

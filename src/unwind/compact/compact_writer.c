/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Making pages (see compact_writer.h). */
#include "unwind/compact/compact_writer.h"

#include <string.h>

#include "base/arena.h"

/* The pages of a binary lie in one shard of the pool: 2 GiB of code. */
#define MAX_PAGES (1u << 17)

void compact_writer_start(struct compact_writer *writer, uint64_t offset)
{
	*writer = (struct compact_writer){ .first = offset & ~(uint64_t)(UNWIND_PAGE_BYTES - 1) };
	(void)compact_writer_rule(writer, (struct unwind_rule){ .cfa = UNWIND_FP });
	(void)compact_writer_rule(writer, (struct unwind_rule){ .cfa = UNWIND_UNSUPPORTED });
	vec_push(&writer->row, ((struct unwind_row){ .rule = COMPACT_RULE_FP }));
}

static bool is_full(struct compact_writer *writer, size_t more)
{
	if (writer->rule.count + more <= UNWIND_RULE_LIMIT)
		return false;
	writer->dropped_rules++;
	return true;
}

uint16_t compact_writer_rule(struct compact_writer *writer, struct unwind_rule rule)
{
	uint64_t key, *place;
	bool added;

	memcpy(&key, &rule, sizeof(key));
	if (key == writer->last_key && writer->rule.count)
		return writer->last_index;
	place = map_add(&writer->singles, key, &added);
	if (added) {
		*place = is_full(writer, 1) ? COMPACT_RULE_UNSUPPORTED : writer->rule.count;
		if (*place == writer->rule.count)
			vec_push(&writer->rule, rule);
	}
	writer->last_key = key;
	writer->last_index = (uint16_t)*place;
	return writer->last_index;
}

uint16_t compact_writer_pair(struct compact_writer *writer, struct unwind_rule exact,
			     struct unwind_rule returns)
{
	uint16_t first = compact_writer_rule(writer, exact);
	uint16_t second = compact_writer_rule(writer, returns);
	uint64_t *place;
	bool added;

	if (first == second)
		return first;
	place = map_add(&writer->pairs, (uint64_t)first << 16 | second, &added);
	if (added) {
		*place = COMPACT_RULE_UNSUPPORTED;
		if (!is_full(writer, 2)) {
			*place = writer->rule.count | UNWIND_ROW_PAIR;
			vec_push(&writer->rule, exact);
			vec_push(&writer->rule, returns);
		}
	}
	return (uint16_t)*place;
}

/* A page of one row needs no row. */
static void shrink(struct compact_writer *writer, size_t start, struct unwind_page *page)
{
	size_t count = writer->row.count - start;

	*page = (struct unwind_page){ .first = (uint32_t)start, .count = (uint16_t)count };
	if (count == 1) {
		*page = (struct unwind_page){ .rule = writer->row.item[start].rule };
		writer->row.count = start;
	}
}

/* The open page's rows again, as sub-pages that begin with what holds there. */
static void split(struct compact_writer *writer, struct unwind_page *page)
{
	size_t start = writer->page_start, count = writer->row.count - start, next = 0;
	struct unwind_row *rows = mem_alloc(count * sizeof(*rows));
	uint16_t rule = rows == NULL ? 0 : writer->row.item[start].rule;

	memcpy(rows, writer->row.item + start, count * sizeof(*rows));
	*page = (struct unwind_page){ .first = (uint32_t)writer->sub.count,
				      .count = UNWIND_PAGE_SPLIT };
	writer->row.count = start;
	for (uint32_t i = 0; i < UNWIND_SUBPAGES; i++) {
		uint32_t from = i << UNWIND_SUBPAGE_SHIFT, to = (i + 1) << UNWIND_SUBPAGE_SHIFT;
		size_t first = writer->row.count;

		if (next == count || rows[next].offset != from)
			vec_push(&writer->row, ((struct unwind_row){ .rule = rule }));
		for (; next < count && rows[next].offset < to; next++) {
			rule = rows[next].rule;
			vec_push(&writer->row,
				 ((struct unwind_row){ (uint16_t)(rows[next].offset - from),
						       rule }));
		}
		shrink(writer, first, vec_add(&writer->sub));
	}
	free(rows);
}

static void close_page(struct compact_writer *writer)
{
	struct unwind_page page;

	if (writer->row.count - writer->page_start > UNWIND_PAGE_ROWS)
		split(writer, &page);
	else
		shrink(writer, writer->page_start, &page);
	vec_push(&writer->page, page);
	writer->page_start = writer->row.count;
}

void compact_writer_put(struct compact_writer *writer, uint64_t offset, uint16_t rule)
{
	uint64_t page = (offset - writer->first) >> UNWIND_PAGE_SHIFT;
	uint16_t at = (uint16_t)(offset & (UNWIND_PAGE_BYTES - 1));
	struct unwind_row *last;

	if (rule == writer->current || page >= MAX_PAGES || page < writer->page.count)
		return;
	while (writer->page.count < page) {
		close_page(writer);
		vec_push(&writer->row, ((struct unwind_row){ .rule = writer->current }));
	}
	last = vec_last(&writer->row);
	if (at < last->offset)
		return;
	writer->current = rule;
	if (at == last->offset)
		last->rule = rule;
	else
		vec_push(&writer->row, ((struct unwind_row){ at, rule }));
}

static void *append(uint8_t **at, const void *data, size_t bytes)
{
	void *place = *at;

	if (bytes)
		memcpy(place, data, bytes);
	*at += bytes;
	return place;
}

/* Pages come first, so every array is aligned for what it holds. */
static void fill(const struct compact_writer *writer, struct compact *ret)
{
	size_t page_bytes = writer->page.count * sizeof(struct unwind_page);
	size_t sub_bytes = writer->sub.count * sizeof(struct unwind_page);
	size_t rule_bytes = writer->rule.count * sizeof(struct unwind_rule);
	size_t row_bytes = writer->row.count * sizeof(struct unwind_row);
	uint8_t *at;

	ret->block_bytes = page_bytes + sub_bytes + rule_bytes + row_bytes;
	ret->block = at = mem_alloc(ret->block_bytes);
	ret->page = append(&at, writer->page.item, page_bytes);
	ret->sub = append(&at, writer->sub.item, sub_bytes);
	ret->rule = append(&at, writer->rule.item, rule_bytes);
	ret->row = append(&at, writer->row.item, row_bytes);
}

struct compact *compact_writer_finish(struct compact_writer *writer)
{
	struct compact *ret = mem_zalloc(sizeof(*ret));

	close_page(writer);
	*ret = (struct compact){ .first = writer->first,
				 .page_count = (uint32_t)writer->page.count,
				 .sub_count = (uint32_t)writer->sub.count,
				 .row_count = (uint32_t)writer->row.count,
				 .rule_count = (uint32_t)writer->rule.count,
				 .dropped_rules = writer->dropped_rules };
	fill(writer, ret);
	vec_done(&writer->page);
	vec_done(&writer->sub);
	vec_done(&writer->row);
	vec_done(&writer->rule);
	map_done(&writer->singles);
	map_done(&writer->pairs);
	return ret;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Compact tables as files (see compact.h): a header, then the four arrays as they are in memory.
 * The cache is ours, but others may have modified it: everything is checked. The hash detects
 * accidental damage; data that passes the checks can only cause wrong stacks. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/map.h"
#include "event/event.h"
#include "unwind/compact/compact.h"

/* Changes with the layout and with the rules of the builder. */
#define VERSION 6u

static const char magic[8] = "cupel\nut";

struct file_header {
	char magic[8];
	uint32_t version, flags;
	uint64_t first;
	uint32_t page_count, sub_count, rule_count, row_count;
	uint32_t raw_rows, dropped_rules;
	uint8_t id_len, id[BUILD_ID_MAX], unused[3];
	uint64_t hash; /* of the arrays and, with this 0, the header */
};

static uint64_t hash_of(struct file_header header, const void *block, size_t bytes)
{
	header.hash = hash_bytes(block, bytes);
	return hash_bytes(&header, sizeof(header));
}

void compact_file_write(const struct compact *compact, const struct build_id *id, struct buf *ret)
{
	struct file_header header = { .version = VERSION,
				      .flags = compact->flags,
				      .first = compact->first,
				      .page_count = compact->page_count,
				      .sub_count = compact->sub_count,
				      .rule_count = compact->rule_count,
				      .row_count = compact->row_count,
				      .raw_rows = compact->raw_rows,
				      .dropped_rules = compact->dropped_rules,
				      .id_len = id->len };

	memcpy(header.magic, magic, sizeof(magic));
	memcpy(header.id, id->bytes, sizeof(header.id));
	header.hash = hash_of(header, compact->block, compact->block_bytes);
	(void)buf_append(ret, &header, sizeof(header)); /* the caller checks the limit */
	(void)buf_append(ret, compact->block, compact->block_bytes);
}

static bool rule_fits(const struct compact *compact, uint16_t rule)
{
	return (rule & ~UNWIND_ROW_PAIR) + (rule & UNWIND_ROW_PAIR ? 1u : 0u) < compact->rule_count;
}

static bool rows_fit(const struct compact *compact, const struct unwind_page *page, uint32_t bytes)
{
	const struct unwind_row *row;

	if (!page->count)
		return rule_fits(compact, page->rule);
	if (page->count > UNWIND_PAGE_ROWS || page->first > compact->row_count ||
	    page->count > compact->row_count - page->first)
		return false;
	row = compact->row + page->first;
	if (row->offset)
		return false;
	for (uint32_t i = 0; i < page->count; i++)
		if (row[i].offset >= bytes || !rule_fits(compact, row[i].rule) ||
		    (i && row[i].offset <= row[i - 1].offset))
			return false;
	return true;
}

static bool pages_fit(const struct compact *compact)
{
	for (uint32_t i = 0; i < compact->page_count; i++) {
		const struct unwind_page *page = &compact->page[i];

		if (page->count == UNWIND_PAGE_SPLIT) {
			if (page->first > compact->sub_count ||
			    compact->sub_count - page->first < UNWIND_SUBPAGES)
				return false;
		} else if (!rows_fit(compact, page, UNWIND_PAGE_BYTES)) {
			return false;
		}
	}
	for (uint32_t i = 0; i < compact->sub_count; i++)
		if (!rows_fit(compact, &compact->sub[i], 1u << UNWIND_SUBPAGE_SHIFT))
			return false;
	for (uint32_t i = 0; i < compact->rule_count; i++)
		if (compact->rule[i].cfa > UNWIND_UNSUPPORTED)
			return false;
	return true;
}

static bool header_fits(const struct file_header *header, size_t len, const struct build_id *id)
{
	uint64_t bytes = (uint64_t)header->page_count * sizeof(struct unwind_page) +
			 (uint64_t)header->sub_count * sizeof(struct unwind_page) +
			 (uint64_t)header->rule_count * sizeof(struct unwind_rule) +
			 (uint64_t)header->row_count * sizeof(struct unwind_row);

	return !memcmp(header->magic, magic, sizeof(magic)) && header->version == VERSION &&
	       bytes == len - sizeof(*header) && header->rule_count <= UNWIND_RULE_LIMIT &&
	       !(header->first & (UNWIND_PAGE_BYTES - 1)) && header->id_len == id->len &&
	       !memcmp(header->id, id->bytes, sizeof(header->id));
}

static void place_arrays(struct compact *compact)
{
	const struct unwind_page *page = compact->block;

	compact->page = page;
	compact->sub = page + compact->page_count;
	compact->rule = (const struct unwind_rule *)(compact->sub + compact->sub_count);
	compact->row = (const struct unwind_row *)(compact->rule + compact->rule_count);
}

int compact_file_parse(const void *data, size_t len, const struct build_id *id,
		       struct compact **ret, struct err *err)
{
	struct file_header header;
	struct compact *compact;
	const uint8_t *block;

	if (len < sizeof(header))
		return err_set(err, -EINVAL, "truncated");
	memcpy(&header, data, sizeof(header));
	if (!header_fits(&header, len, id))
		return err_set(err, -EINVAL, "made for another version or binary");
	block = (const uint8_t *)data + sizeof(header);
	len -= sizeof(header);
	if (hash_of(header, block, len) != header.hash)
		return err_set(err, -EINVAL, "damaged");
	compact = mem_zalloc(sizeof(*compact));
	*compact = (struct compact){ .first = header.first,
				     .flags = header.flags &
					      (COMPACT_GO | COMPACT_NO_ROWS | COMPACT_DRAFT),
				     .page_count = header.page_count,
				     .sub_count = header.sub_count,
				     .rule_count = header.rule_count,
				     .row_count = header.row_count,
				     .raw_rows = header.raw_rows,
				     .dropped_rules = header.dropped_rules,
				     .block = mem_alloc(len ? len : 1),
				     .block_bytes = len };
	if (len)
		memcpy(compact->block, block, len);
	place_arrays(compact);
	if (!pages_fit(compact)) {
		compact_free(compact);
		return err_set(err, -EINVAL, "damaged");
	}
	*ret = compact;
	return 0;
}

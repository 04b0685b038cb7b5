/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Coarser files of a part, made of finer ones (see part.h). A roll-up says which checkpoints it
 * covers, so what is appended later makes another one, and readers take the finer file for it. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/fd.h"
#include "store/segment/block.h"
#include "store/segment/chunk.h"
#include "store/segment/part.h"
#include "store/segment/part_file.h"

struct sum {
	struct store_rows rows;
	uint64_t step_ns, first_seq;
	size_t merged; /* rows after the last time that they were added up */
};

#define ROWS_AT_ONCE ((size_t)1 << 18)

/* Rows are added up now and then, so that memory grows with what differs. */
static void add_row(void *context, const struct store_row *row)
{
	struct sum *sum = context;

	vec_push(&sum->rows.rows, *row);
	if (sum->rows.rows.count < sum->merged * 2 + ROWS_AT_ONCE)
		return;
	store_rows_merge(&sum->rows, sum->step_ns);
	sum->merged = sum->rows.rows.count;
}

/* Damaged blocks are left out for good: the finer file is as damaged. */
static int add_blocks(struct part *part, enum part_tier from, uint64_t after, struct sum *sum,
		      struct err *err)
{
	const struct block_filter all = { .to_ns = UINT64_MAX };
	struct err damage = { 0 };
	struct part_map map;

	if (part_map_open(part->folder, part_tier_name[from], &map, err))
		return err->code;
	for (size_t i = 0; i < map.list.chunks.count; i++) {
		const struct chunk *chunk = &map.list.chunks.item[i];

		if (chunk->head.first_seq <= after || chunk->head.kind != CHUNK_BLOCK)
			continue;
		if (!sum->first_seq || chunk->head.first_seq < sum->first_seq)
			sum->first_seq = chunk->head.first_seq;
		(void)block_read(chunk, &all, add_row, sum, &damage);
	}
	part_map_close(&map);
	return 0;
}

static int append(struct part *part, enum part_tier tier, const struct store_rows *rows,
		  const struct block_range *range, struct err *err)
{
	struct buf out = { 0 };
	int code;

	block_write(rows, range, &out);
	code = part_file_append(part->folder, part_tier_name[tier], &part->tier[tier], &out, err);
	buf_done(&out);
	if (!code && (fdatasync(part->tier[tier].fd) || fsync(part->folder)))
		code = err_errno(err, "%s", part_tier_name[tier]);
	if (!code)
		part->tier[tier].last_seq = range->last_seq;
	return code ? err_wrap(err, "%s", part->name) : 0;
}

int part_roll_up(struct part *part, enum part_tier tier, struct err *err)
{
	enum part_tier from = tier - 1;
	struct block_range range = { .step_ns = part_tier_ns[tier],
				     .last_seq = part->tier[from].last_seq };
	struct sum sum = { .step_ns = part_tier_ns[tier] };
	int code = 0;

	if (part->tier[from].fd < 0 || part->tier[from].last_seq <= part->tier[tier].last_seq)
		return 0;
	code = add_blocks(part, from, part->tier[tier].last_seq, &sum, err);
	range.first_seq = sum.first_seq;
	if (!code && sum.rows.rows.count) {
		store_rows_merge(&sum.rows, sum.step_ns);
		code = append(part, tier, &sum.rows, &range, err);
	}
	vec_done(&sum.rows.rows);
	return code;
}

static bool has_coarser(const struct part *part, enum part_tier tier)
{
	return tier + 1 < PART_TIERS && part->tier[tier + 1].last_seq >= part->tier[tier].last_seq;
}

int part_drop_tier(struct part *part, enum part_tier tier, struct err *err)
{
	if (part->tier[tier].fd < 0)
		return 0;
	if (!has_coarser(part, tier))
		return err_set(err, -EINVAL, "%s/%s: is not rolled up", part->name,
			       part_tier_name[tier]);
	if (unlinkat(part->folder, part_tier_name[tier], 0))
		return err_errno(err, "%s/%s", part->name, part_tier_name[tier]);
	fd_close(&part->tier[tier].fd);
	part->tier[tier] = (struct part_file){ .fd = -1 };
	return 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows of blocks (see report_blocks.h). Columns follow perf report --total-cycles, with the
 * function beside its lines. */
#include "view/report/report_blocks.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "profile/block_cycles.h"

#define RANGE_SIZE  600
#define LEAST_WIDTH 20

static void put_cycles(uint64_t cycles, char *ret, size_t size)
{
	if (cycles >= 1000000)
		(void)snprintf(ret, size, "%.1fM", (double)cycles / 1e6);
	else if (cycles >= 1000)
		(void)snprintf(ret, size, "%.1fK", (double)cycles / 1e3);
	else
		(void)snprintf(ret, size, "%" PRIu64, cycles);
}

static uint64_t average(const struct block_row *row)
{
	return row->count ? row->cycles / row->count : 0;
}

/* "work [file.c:12 -> file.c:15]", or offsets in the function. */
static void put_range(const struct block_row *row, char *ret, size_t size)
{
	if (row->line[1] && (row->line[0] || !row->has_start))
		(void)snprintf(ret, size, "%s [%s -> %s]", row->symbol,
			       row->line[0] ? row->line[0] : "?", row->line[1]);
	else if (row->has_start)
		(void)snprintf(ret, size, "%s [+0x%" PRIx64 " -> +0x%" PRIx64 "]", row->symbol,
			       row->start, row->end);
	else
		(void)snprintf(ret, size, "%s [? -> +0x%" PRIx64 "]", row->symbol, row->end);
}

static double share(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

static bool is_shown(const struct block_cycles *blocks, const struct block_row *row,
		     const struct report_blocks_options *options)
{
	return share(row->cycles, blocks->total) >= options->percent_limit;
}

static void put_head(const struct block_cycles *blocks, size_t width, struct buf *ret)
{
	char total[32];

	put_cycles(blocks->total, total, sizeof(total));
	(void)buf_printf(ret, "# Cycles between branches: %s in %zu blocks\n", total,
			 blocks->row.count);
	if (blocks->unnamed)
		(void)buf_printf(ret, "# In no known function: %.2f%% of them\n",
				 share(blocks->unnamed, blocks->total));
	(void)buf_printf(ret,
			 "#\n# Sampled Cycles%%  Sampled Cycles  Avg Cycles%%  Avg Cycles  %-*s  "
			 "Shared Object\n",
			 (int)width, "[Program Block Range]");
	(void)buf_puts(ret, "# ...............  ..............  ...........  ..........  ");
	for (size_t i = 0; i < width; i++)
		(void)buf_putc(ret, '.');
	(void)buf_puts(ret, "  .............\n#\n");
}

void report_blocks_text(const struct block_cycles *blocks,
			const struct report_blocks_options *options, struct buf *ret)
{
	char range[RANGE_SIZE], cycles[32], each[32];
	size_t width = LEAST_WIDTH;
	uint64_t averages = 0;

	for (size_t i = 0; i < blocks->row.count; i++) {
		averages += average(&blocks->row.item[i]);
		put_range(&blocks->row.item[i], range, sizeof(range));
		if (is_shown(blocks, &blocks->row.item[i], options) && strlen(range) > width)
			width = strlen(range);
	}
	if (!options->quiet)
		put_head(blocks, width, ret);
	for (size_t i = 0; i < blocks->row.count; i++) {
		const struct block_row *row = &blocks->row.item[i];

		if (!is_shown(blocks, row, options))
			continue;
		put_range(row, range, sizeof(range));
		put_cycles(row->cycles, cycles, sizeof(cycles));
		put_cycles(average(row), each, sizeof(each));
		(void)buf_printf(ret, "%16.2f%%  %14s  %10.2f%%  %10s  %-*s  %s\n",
				 share(row->cycles, blocks->total), cycles,
				 share(average(row), averages), each, (int)width, range,
				 row->module);
	}
}

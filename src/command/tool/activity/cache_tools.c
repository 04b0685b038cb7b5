/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cupel cachestat: hits and misses of the page cache. A page that a read needs and that was read
 * from a disk, be it by readahead, is a miss; another one is a hit. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "command/command.h"
#include "command/tool/activity/activity_tool.h"

#define BY(number) (1u << (number))

static uint64_t misses(const struct activity *from)
{
	return from->number[CACHE_ADDED];
}

/* Readahead may have read more than was needed. */
static uint64_t hits(const struct activity *from)
{
	uint64_t lookups = from->number[CACHE_LOOKUPS];

	return lookups > misses(from) ? lookups - misses(from) : 0;
}

static void put_hits(const struct activity_run *run, const struct activity_column *column,
		     const struct activity *from, struct buf *out)
{
	(void)run;
	(void)column;
	(void)buf_put_u64(out, hits(from));
}

static void put_ratio(const struct activity_run *run, const struct activity_column *column,
		      const struct activity *from, struct buf *out)
{
	uint64_t all = hits(from) + misses(from);

	(void)run;
	(void)column;
	(void)buf_printf(out, "%.2f%%", all ? 100.0 * (double)hits(from) / (double)all : 0.0);
}

/* A line of /proc/meminfo, in MiB. */
static void put_memory(const struct activity_run *run, const struct activity_column *column,
		       const struct activity *from, struct buf *out)
{
	const char *name = column->number ? "Cached:" : "Buffers:";
	FILE *file = fopen("/proc/meminfo", "re");
	uint64_t kilobytes = 0;
	char line[128];

	(void)run;
	(void)from;
	while (file && fgets(line, sizeof(line), file))
		if (strncmp(line, name, strlen(name)) == 0)
			(void)sscanf(line + strlen(name), "%" SCNu64, &kilobytes);
	if (file)
		(void)fclose(file);
	(void)buf_put_u64(out, (kilobytes + 512) / 1024);
}

static const struct activity_column columns[] = {
	{ "TIME", NULL, -8, .put = put_time, ACTIVITY_ONLY(time) },
	{ "HITS", "hits", 8, .put = put_hits, .raw = put_hits },
	{ "MISSES", "misses", 8, .put = put_number, .number = CACHE_ADDED, .raw = raw_number },
	{ "DIRTIES", "dirties", 8, .put = put_number, .number = CACHE_DIRTIED, .raw = raw_number },
	{ "HITRATIO", NULL, 8, .put = put_ratio },
	{ "BUFFERS_MB", "buffers_mb", 12, .put = put_memory, .raw = put_memory },
	{ "CACHED_MB", "cached_mb", 10, .put = put_memory, .number = 1, .raw = put_memory },
	{ 0 },
};

static const struct option_def rows[] = {
	{ "timestamp", 'T', OPT_FLAG, NULL, ACTIVITY(time), "print the time of day" },
	{ .type = OPT_INCLUDE, .include = activity_thread_rows },
	{ .type = OPT_INCLUDE, .include = activity_output_rows },
	{ 0 },
};

static const struct activity_tool cachestat = {
	.tool = ACTIVITY_SUMS(NULL),
	.name = "cachestat",
	.rules = { .kinds = 1u << ACTIVITY_CACHE,
		   .summed = BY(CACHE_LOOKUPS) | BY(CACHE_ADDED) | BY(CACHE_DIRTIED) },
	.words = ACTIVITY_EVERY_SECOND,
	.column = columns,
	.always = true,
};

ACTIVITY_COMMAND(cachestat, .args = "[options] [interval [count]] [-- program [arguments]]",
		 .summary = "show hits and misses of the page cache", .options = rows);

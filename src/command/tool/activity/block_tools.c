/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cupel biolatency, biosnoop, biostacks, biotop, bitesize and biopattern: requests to block
 * devices.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "command/command.h"
#include "command/option/accepted.h"
#include "command/tool/activity/activity_tool.h"

#define KIND		  (1u << ACTIVITY_BLOCK)
#define BY(number)	  (1u << (number))
#define DEVICE_MINOR_BITS 20

/* "sda" → its number. */
static int choose_disk(const char *name, struct activity_rules *rules, struct err *err)
{
	char path[128], text[32] = "";
	unsigned int major, minor;
	FILE *file;

	if (!name)
		return 0;
	if (strchr(name, '/'))
		name = strrchr(name, '/') + 1;
	(void)snprintf(path, sizeof(path), "/sys/class/block/%s/dev", name);
	file = fopen(path, "re");
	if (file && !fgets(text, sizeof(text), file))
		text[0] = '\0';
	if (file)
		(void)fclose(file);
	if (sscanf(text, "%u:%u", &major, &minor) != 2) {
		(void)err_set(err, -ENOENT, "no such disk '%s'", name);
		return -1;
	}
	rules->device_plus_one = (major << DEVICE_MINOR_BITS | minor) + 1;
	return 0;
}

#define DISK_ROW                                                                     \
	{                                                                            \
		"disk", 'd', OPT_STR, "DISK", ACTIVITY(disk), "only this disk (sda)" \
	}
#define QUEUED_ROW(name)                                                                   \
	{                                                                                  \
		name, 'Q', OPT_FLAG, NULL, ACTIVITY(queue),                                \
			"include the time in the kernel's queue, before the device has it" \
	}

static int choose_block(const struct activity_options *o, struct activity_choice *choice,
			struct err *err)
{
	choice->rules.with_queue = o->queue;
	return choose_disk(o->disk, &choice->rules, err);
}

/* biosnoop */

static void put_pattern(const struct activity_run *run, const struct activity_column *column,
			const struct activity *from, struct buf *out)
{
	(void)run;
	(void)column;
	(void)buf_putc(out, from->number[BLOCK_SEQUENTIAL] ? 'S'
			    : from->number[BLOCK_RANDOM]   ? 'R'
							   : '?');
}

static int choose_snoop(const struct activity_options *o, struct activity_choice *choice,
			struct err *err)
{
	if (o->min_ms > UINT64_MAX / 1000000)
		return command_usage(err, "-m: expected milliseconds");
	choice->rules.min_ns = o->min_ms * 1000000;
	return choose_block(o, choice, err);
}

static const struct activity_column snoop_columns[] = {
	{ "TIME", NULL, -11, .put = put_time, ACTIVITY_ONLY(time) },
	{ "TIME(s)", NULL, -11, .put = put_seconds, .decimals = 6, ACTIVITY_NEVER(time) },
	{ "COMM", "comm", -14, 14, put_comm },
	{ "PID", "pid", -7, .put = put_pid, .raw = put_pid },
	{ "DISK", "disk", -9, .put = put_text },
	{ "T", "operation", -1, .put = put_operation },
	{ "SECTOR", "sector", -10, .put = put_number, .number = BLOCK_SECTOR, .raw = raw_number },
	{ "BYTES", "bytes", -7, .put = put_number, .number = BLOCK_BYTES, .raw = raw_number },
	{ "P", "pattern", -1, .put = put_pattern, ACTIVITY_ONLY(pattern) },
	{ "QUE(ms)", "queue_ns", 7, .put = put_scaled, .number = BLOCK_QUEUE_NS, .decimals = 2,
	  .unit = 1000000, .raw = raw_number, ACTIVITY_ONLY(queue) },
	{ "LAT(ms)", "latency_ns", 7, .put = put_scaled, .number = BLOCK_DEVICE_NS, .decimals = 2,
	  .unit = 1000000, .raw = raw_number },
	{ 0 },
};

static const struct option_def snoop_rows[] = {
	QUEUED_ROW("queue"),
	DISK_ROW,
	{ "pattern", 'P', OPT_FLAG, NULL, ACTIVITY(pattern),
	  "show whether the request follows the one before on the disk (S) or not (R)" },
	{ "min", 'm', OPT_UINT, "MS", ACTIVITY(min_ms),
	  "only requests that take this long, in ms; with -Q with their time in the queue" },
	{ "timestamp", 't', OPT_FLAG, NULL, ACTIVITY(time),
	  "show the time of day, not the time since the first line" },
	{ .type = OPT_INCLUDE, .include = activity_thread_rows },
	{ .type = OPT_INCLUDE, .include = activity_output_rows },
	{ 0 },
};

static const struct activity_tool biosnoop = {
	.tool = ACTIVITY_TOOL(NULL),
	.name = "biosnoop",
	.rules = { .kinds = KIND },
	.column = snoop_columns,
	.choose = choose_snoop,
};

ACTIVITY_COMMAND(biosnoop, .args = "[options] [-- program [arguments]]",
		 .summary = "list each disk request with its latency", .options = snoop_rows);

/* biolatency */

static int choose_latency(const struct activity_options *o, struct activity_choice *choice,
			  struct err *err)
{
	if (o->disks && o->flags)
		return command_usage(err, "-D and -F cannot be combined");
	choice->rules.unit = o->milliseconds ? 1000000 : 1000;
	if (o->disks)
		choice->rules.by |= ACTIVITY_BY_TEXT;
	if (o->flags)
		choice->rules.by |= BY(BLOCK_FLAGS);
	return choose_block(o, choice, err);
}

/* include/linux/blk_types.h; the names are BCC's. */
static void put_flags(const struct activity *from, struct buf *out)
{
	static const struct {
		uint8_t bit;
		const char *name;
	} flags[] = { { 21, "NoWait" },
		      { 20, "Background" },
		      { 19, "ReadAhead" },
		      { 15, "Idle" },
		      { 14, "NoMerge" },
		      { 13, "Priority" },
		      { 17, "ForcedUnitAccess" },
		      { 12, "Metadata" },
		      { 11, "Sync" } };
	static const char *const operations[] = { "Read",      "Write",	    "Flush",
						  "Discard",   "Unknown",   "SecureErase",
						  "ZoneReset", "WriteSame", "Unknown",
						  "WriteZeros" };
	uint64_t operation = from->number[BLOCK_FLAGS] & 0xff;

	for (size_t i = 0; i < sizeof(flags) / sizeof(*flags); i++)
		if (from->number[BLOCK_FLAGS] >> flags[i].bit & 1)
			(void)buf_printf(out, "%s-", flags[i].name);
	(void)buf_puts(out, operation < sizeof(operations) / sizeof(*operations)
				    ? operations[operation]
				    : "Unknown");
}

static void put_disk_or_flags(const struct activity_run *run, const struct activity_column *column,
			      const struct activity *from, struct buf *out)
{
	(void)column;
	if (run->options->flags)
		put_flags(from, out);
	else
		(void)buf_puts(out, from->text);
}

static const char *latency_section(const struct activity_options *o)
{
	return o->flags ? "flags" : o->disks ? "disk" : NULL;
}

static const struct option_def latency_rows[] = {
	{ "timestamp", 'T', OPT_FLAG, NULL, ACTIVITY(tool.timestamp),
	  "print the time of day at each interval" },
	QUEUED_ROW("queued"),
	{ "milliseconds", 'm', OPT_FLAG, NULL, ACTIVITY(milliseconds), "in milliseconds" },
	{ "disks", 'D', OPT_FLAG, NULL, ACTIVITY(disks), "one histogram per disk" },
	{ "flags", 'F', OPT_FLAG, NULL, ACTIVITY(flags), "one histogram per set of flags" },
	{ "extension", 'e', OPT_FLAG, NULL, ACTIVITY(totals),
	  "print average, total and count as well" },
	{ NULL, 'j', OPT_FLAG, NULL, ACTIVITY(tool.json), "same as --json" },
	DISK_ROW,
	{ .type = OPT_INCLUDE, .include = activity_thread_rows },
	{ .type = OPT_INCLUDE, .include = activity_output_rows },
	{ 0 },
};

static const struct activity_tool biolatency = {
	.tool = ACTIVITY_SUMS("Tracing block device I/O"),
	.name = "biolatency",
	.rules = { .kinds = KIND, .distribution = ACTIVITY_OF_NS },
	.words = ACTIVITY_INTERVAL,
	.choose = choose_latency,
	.unit = "usecs",
	.choose_section = latency_section,
	.put_section = put_disk_or_flags,
};

ACTIVITY_COMMAND(biolatency, .args = "[options] [interval [count]] [-- program [arguments]]",
		 .summary = "show the distribution of disk latencies", .options = latency_rows);

/* biostacks */

static void put_stack(const struct activity_run *run, const struct activity_column *column,
		      const struct activity *from, struct buf *out)
{
	uint64_t frame;

	(void)column;
	(void)buf_putc(out, '\n');
	for (size_t i = activity_own_frames(run, from, 0); i < ACTIVITY_FRAMES; i++) {
		memcpy(&frame, from->text + i * sizeof(frame), sizeof(frame));
		if (!frame)
			break;
		(void)buf_puts(out, "    ");
		activity_put_symbol(run, frame, false, out);
		(void)buf_putc(out, '\n');
	}
	(void)buf_printf(out, "    - %s (%" PRIu32 ")\n", from->comm, from->pid);
}

static const struct option_def stack_rows[] = {
	QUEUED_ROW("queue"),
	DISK_ROW,
	{ "milliseconds", 'm', OPT_FLAG, NULL, ACTIVITY(milliseconds), "in milliseconds" },
	{ "timestamp", 'T', OPT_FLAG, NULL, ACTIVITY(tool.timestamp),
	  "print the time of day at each interval" },
	{ .type = OPT_INCLUDE, .include = activity_thread_rows },
	{ .type = OPT_INCLUDE, .include = activity_output_rows },
	{ 0 },
};

static int choose_stacks(const struct activity_options *o, struct activity_choice *choice,
			 struct err *err)
{
	int code = choose_block(o, choice, err);

	choice->rules.unit = o->milliseconds ? 1000000 : 1000;
	choice->rules.with_queue = true; /* from where the stack is taken */
	return code;
}

static const struct activity_tool biostacks = {
	.tool = ACTIVITY_SUMS("Tracing block I/O with init stacks"),
	.name = "biostacks",
	.rules = { .kinds = KIND,
		   .by = ACTIVITY_BY_PID | ACTIVITY_BY_COMM | ACTIVITY_BY_TEXT,
		   .distribution = ACTIVITY_OF_NS,
		   .with_stack = true },
	.words = ACTIVITY_INTERVAL,
	.choose = choose_stacks,
	.unit = "usecs",
	.section = "stack",
	.put_section = put_stack,
	.sections_are_stacks = true,
};

ACTIVITY_COMMAND(biostacks, .args = "[options] [interval [count]] [-- program [arguments]]",
		 .summary = "show disk latencies by kernel stack", .options = stack_rows);

/* biotop */

static const struct activity_column top_columns[] = {
	{ "PID", "pid", -7, .put = put_pid, .raw = put_pid },
	{ "COMM", "comm", -16, .put = put_comm },
	{ "D", "operation", 1, .put = put_operation },
	{ "MAJ", "major", -3, .put = put_major, .number = BLOCK_DEVICE, .raw = put_major },
	{ "MIN", "minor", -3, .put = put_minor, .number = BLOCK_DEVICE, .raw = put_minor },
	{ "DISK", "disk", -8, .put = put_text },
	{ "I/O", "requests", 5, .put = put_count, .raw = put_count },
	{ "Kbytes", "bytes", 7, .put = put_number, .number = BLOCK_BYTES, .unit = 1024,
	  .raw = raw_number },
	{ "AVGms", "total_ns", 6, .put = put_average, .decimals = 2, .unit = 1000000,
	  .raw = raw_ns },
	{ 0 },
};

static int by_bytes(const void *a, const void *b)
{
	uint64_t left = ((const struct activity *)a)->number[BLOCK_BYTES],
		 right = ((const struct activity *)b)->number[BLOCK_BYTES];

	return left == right ? 0 : left < right ? 1 : -1;
}

#define MAX_ROWS_ROW                                               \
	{                                                          \
		"maxrows", 'r', OPT_UINT, "N", ACTIVITY(max_rows), \
			"print at most N rows (default 20)"        \
	}

static const struct option_def top_rows[] = {
	{ .type = OPT_INCLUDE, .include = accepted_activity_rows },
	MAX_ROWS_ROW,
	QUEUED_ROW("queue"),
	DISK_ROW,
	{ .type = OPT_INCLUDE, .include = activity_thread_rows },
	{ .type = OPT_INCLUDE, .include = activity_output_rows },
	{ 0 },
};

static const struct activity_tool biotop = {
	.tool = ACTIVITY_SUMS("Tracing"),
	.name = "biotop",
	.rules = { .kinds = KIND,
		   .by = ACTIVITY_BY_PID | ACTIVITY_BY_COMM | ACTIVITY_BY_OPERATION |
			 ACTIVITY_BY_TEXT | BY(BLOCK_DEVICE),
		   .summed = BY(BLOCK_BYTES) },
	.words = ACTIVITY_EVERY_SECOND,
	.column = top_columns,
	.choose = choose_block,
	.order = by_bytes,
	.screens = true,
	.rows = 20,
};

ACTIVITY_COMMAND(biotop, .args = "[options] [interval [count]] [-- program [arguments]]",
		 .summary = "show the processes with the most disk I/O", .options = top_rows);

/* bitesize */

static const struct option_def size_rows[] = {
	{ "timestamp", 'T', OPT_FLAG, NULL, ACTIVITY(tool.timestamp),
	  "print the time of day at each interval" },
	DISK_ROW,
	{ .type = OPT_INCLUDE, .include = activity_thread_rows },
	{ .type = OPT_INCLUDE, .include = activity_output_rows },
	{ 0 },
};

static const struct activity_tool bitesize = {
	.tool = ACTIVITY_SUMS("Tracing block I/O"),
	.name = "bitesize",
	.rules = { .kinds = KIND,
		   .by = ACTIVITY_BY_COMM,
		   .summed = BY(BLOCK_BYTES),
		   .distribution = ACTIVITY_OF_NUMBER + BLOCK_BYTES,
		   .unit = 1024 },
	.words = ACTIVITY_INTERVAL,
	.choose = choose_block,
	.unit = "Kbytes",
	.section = "Process Name",
	.put_section = put_comm,
};

ACTIVITY_COMMAND(bitesize, .args = "[options] [interval [count]] [-- program [arguments]]",
		 .summary = "show the sizes of disk requests by program", .options = size_rows);

/* biopattern */

static uint64_t share(const struct activity *from, enum activity_block part)
{
	uint64_t all = from->number[BLOCK_SEQUENTIAL] + from->number[BLOCK_RANDOM];

	return all ? (from->number[part] * 100 + all / 2) / all : 0;
}

static void put_share(const struct activity_run *run, const struct activity_column *column,
		      const struct activity *from, struct buf *out)
{
	(void)run;
	(void)buf_put_u64(out, share(from, column->number));
}

static const struct activity_column pattern_columns[] = {
	{ "TIME", NULL, -9, .put = put_time },
	{ "DISK", "disk", -7, .put = put_text },
	{ "%RND", "random", 5, .put = put_share, .number = BLOCK_RANDOM, .raw = raw_number },
	{ "%SEQ", "sequential", 5, .put = put_share, .number = BLOCK_SEQUENTIAL,
	  .raw = raw_number },
	{ "COUNT", "requests", 8, .put = put_count, .raw = put_count },
	{ "KBYTES", "bytes", 10, .put = put_number, .number = BLOCK_BYTES, .unit = 1024,
	  .raw = raw_number },
	{ 0 },
};

static const struct option_def pattern_rows[] = {
	DISK_ROW,
	{ .type = OPT_INCLUDE, .include = activity_thread_rows },
	{ .type = OPT_INCLUDE, .include = activity_output_rows },
	{ 0 },
};

static const struct activity_tool biopattern = {
	.tool = ACTIVITY_SUMS(NULL),
	.name = "biopattern",
	.rules = { .kinds = KIND,
		   .by = ACTIVITY_BY_TEXT | BY(BLOCK_DEVICE),
		   .summed = BY(BLOCK_BYTES) | BY(BLOCK_SEQUENTIAL) | BY(BLOCK_RANDOM) },
	.words = ACTIVITY_INTERVAL,
	.column = pattern_columns,
	.choose = choose_block,
};

ACTIVITY_COMMAND(biopattern, .args = "[options] [interval [count]] [-- program [arguments]]",
		 .summary = "show the share of random and sequential disk I/O",
		 .options = pattern_rows);

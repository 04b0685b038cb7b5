/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cupel fileslower, filetop and fsslower: reads, writes and syncs of files by system calls. */
#include <inttypes.h>
#include <string.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/fd.h"
#include "command/command.h"
#include "command/option/accepted.h"
#include "command/tool/activity/activity_tool.h"

#define KIND	   (1u << ACTIVITY_FILE)
#define BY(number) (1u << (number))

#define ALL_FILES_ROW                                                  \
	{                                                              \
		"all-files", 'a', OPT_FLAG, NULL, ACTIVITY(all_files), \
			"sockets, pipes and devices as well"           \
	}

static int choose_files(const struct activity_options *o, struct activity_choice *choice,
			struct err *err)
{
	(void)err;
	choice->rules.only_regular = !o->all_files;
	return 0;
}

/* Either is 0. */
static void put_bytes(const struct activity_run *run, const struct activity_column *column,
		      const struct activity *from, struct buf *out)
{
	(void)run;
	(void)column;
	(void)buf_put_u64(out, from->number[FILE_READ_BYTES] + from->number[FILE_WRITE_BYTES]);
}

/* fileslower */

static const struct activity_column slower_columns[] = {
	{ "TIME(s)", NULL, -8, .put = put_seconds, .decimals = 3 },
	{ "COMM", "comm", -14, 14, put_comm },
	{ "TID", "tid", -6, .put = put_tid, .raw = put_tid },
	{ "D", "operation", -1, .put = put_operation },
	{ "BYTES", "bytes", -7, .put = put_bytes, .raw = put_bytes },
	{ "LAT(ms)", "latency_ns", 7, .put = put_ns, .decimals = 2, .unit = 1000000,
	  .raw = raw_ns },
	{ "FILENAME", "file", -8, .put = put_text },
	{ 0 },
};

static void put_slower(const struct activity_run *run, struct buf *out)
{
	(void)buf_printf(out, "Tracing sync read/writes slower than %g ms\n",
			 (double)run->choice.rules.min_ns / 1e6);
}

static const struct option_def slower_rows[] = {
	ALL_FILES_ROW,
	{ .type = OPT_INCLUDE, .include = activity_thread_rows },
	{ .type = OPT_INCLUDE, .include = activity_output_rows },
	{ 0 },
};

static const struct activity_tool fileslower = {
	.tool = ACTIVITY_TOOL(NULL),
	.name = "fileslower",
	.rules = { .kinds = KIND },
	.words = ACTIVITY_MIN_MS,
	.column = slower_columns,
	.choose = choose_files,
	.put_first = put_slower,
};

ACTIVITY_COMMAND(fileslower, .args = "[options] [min_ms] [-- program [arguments]]",
		 .summary = "list slow reads and writes of files", .options = slower_rows);

/* fsslower */

/* A line of /proc/filesystems is "nodev\tproc" or "\text4". Without the list, any name is taken. */
static bool has_file_system(const char *name)
{
	struct buf text = { .limit = 1 << 16 };
	struct err ignored = { 0 };
	bool found = fd_read_file("/proc/filesystems", &text, &ignored) < 0 || !text.len;
	size_t len = strlen(name);

	for (const char *at = found ? NULL : text.data; at && !found;) {
		const char *tab = strchr(at, '\t');

		at = tab ? tab + 1 : NULL;
		found = at && strncmp(at, name, len) == 0 && at[len] == '\n';
	}
	buf_done(&text);
	return found;
}

static int choose_file_system(const struct activity_options *o, struct activity_choice *choice,
			      struct err *err)
{
	struct activity_rules *rules = &choice->rules;

	rules->only_regular = true;
	rules->all_operations = true;
	if (o->min_ms_given)
		rules->min_ns = o->min_ms * 1000000;
	if (!o->type)
		return 0;
	if (!*o->type || strlen(o->type) >= sizeof(rules->file_system))
		return command_usage(err, "-t: expected a file system, such as ext4");
	if (!has_file_system(o->type)) {
		(void)command_usage(err, "-t: no file system '%s' in this kernel", o->type);
		(void)err_hint(err, "cat /proc/filesystems lists them");
		return EXIT_STATUS_USAGE;
	}
	memcpy(rules->file_system, o->type, strlen(o->type));
	return 0;
}

static int set_min_ms(void *field, const char *value, bool negated, struct err *err)
{
	struct activity_options *o = (struct activity_options *)((char *)field - ACTIVITY(min_ms));

	(void)negated;
	o->min_ms_given = true;
	return option_parse_number(OPT_UINT, value, &o->min_ms, err);
}

static void put_system(const struct activity_run *run, struct buf *out)
{
	const char *type = run->choice.rules.file_system;

	if (!run->options->csv)
		(void)buf_printf(out, "Tracing %s operations slower than %g ms\n",
				 *type ? type : "file system",
				 (double)run->choice.rules.min_ns / 1e6);
}

static const struct activity_column system_columns[] = {
	{ "TIME", NULL, -8, .put = put_time },
	{ "COMM", "comm", -14, 14, put_comm },
	{ "PID", "pid", -6, .put = put_pid, .raw = put_pid },
	{ "T", "operation", -1, .put = put_operation },
	{ "BYTES", "bytes", -7, .put = put_bytes, .raw = put_bytes },
	{ "OFF_KB", "offset", -8, .put = put_number, .number = FILE_OFFSET, .unit = 1024,
	  .raw = raw_number },
	{ "LAT(ms)", "latency_ns", 7, .put = put_ns, .decimals = 2, .unit = 1000000,
	  .raw = raw_ns },
	{ "FILENAME", "file", -8, .put = put_text },
	{ 0 },
};

static const struct option_def system_rows[] = {
	{ "csv", 'j', OPT_FLAG, NULL, ACTIVITY(csv), "values with commas between them" },
	{ NULL, 'c', OPT_FLAG, NULL, ACTIVITY(csv), NULL },
	{ "min", 'm', OPT_CALL, "MS", ACTIVITY(min_ms),
	  "only those that take this long, in ms (10)", set_min_ms },
	{ "type", 't', OPT_STR, "FS", ACTIVITY(type),
	  "only this type of file system (ext4, xfs, …); default all" },
	{ .type = OPT_INCLUDE, .include = activity_thread_rows },
	{ .type = OPT_INCLUDE, .include = activity_output_rows },
	{ 0 },
};

static const struct activity_tool fsslower = {
	.tool = ACTIVITY_TOOL(NULL),
	.name = "fsslower",
	.rules = { .kinds = KIND },
	.words = ACTIVITY_MIN_MS,
	.column = system_columns,
	.choose = choose_file_system,
	.put_first = put_system,
};

ACTIVITY_COMMAND(fsslower, .args = "[options] [min_ms] [-- program [arguments]]",
		 .summary = "list slow operations of a file system", .options = system_rows);

/* filetop */

static const struct activity_column top_columns[] = {
	{ "TID", "tid", -7, .put = put_tid, .raw = put_tid },
	{ "COMM", "comm", -16, .put = put_comm },
	{ "READS", "reads", -6, .put = put_number, .number = FILE_READS, .raw = raw_number },
	{ "WRITES", "writes", -6, .put = put_number, .number = FILE_WRITES, .raw = raw_number },
	{ "R_Kb", "read_bytes", -7, .put = put_number, .number = FILE_READ_BYTES, .unit = 1024,
	  .raw = raw_number },
	{ "W_Kb", "written_bytes", -7, .put = put_number, .number = FILE_WRITE_BYTES, .unit = 1024,
	  .raw = raw_number },
	{ "T", "type", 1, .put = put_letter, .number = FILE_TYPE },
	{ "FILE", "file", -4, .put = put_text },
	{ 0 },
};

static int compare(uint64_t left, uint64_t right)
{
	return left == right ? 0 : left < right ? 1 : -1;
}

#define ORDER(name, value)                                                   \
	static int name(const void *a, const void *b)                        \
	{                                                                    \
		const uint64_t *of_a = ((const struct activity *)a)->number; \
		const uint64_t *of_b = ((const struct activity *)b)->number; \
                                                                             \
		return compare(value(of_a), value(of_b));                    \
	}

#define ALL(of) \
	((of)[FILE_READ_BYTES] + (of)[FILE_WRITE_BYTES] + (of)[FILE_READS] + (of)[FILE_WRITES])
#define READS(of)  ((of)[FILE_READS])
#define WRITES(of) ((of)[FILE_WRITES])
#define RBYTES(of) ((of)[FILE_READ_BYTES])
#define WBYTES(of) ((of)[FILE_WRITE_BYTES])
ORDER(by_all, ALL)
ORDER(by_reads, READS)
ORDER(by_writes, WRITES)
ORDER(by_read_bytes, RBYTES)
ORDER(by_written_bytes, WBYTES)

static int (*order_of(const struct activity_options *o))(const void *, const void *)
{
	static int (*const orders[])(const void *, const void *) = { by_all, by_reads, by_writes,
								     by_read_bytes,
								     by_written_bytes };

	return orders[o->sort];
}

/* Reads and writes of a file are then sums of their own. */
static int choose_direction(const struct activity_options *o, struct activity_choice *choice,
			    struct err *err)
{
	if (o->read_only && o->write_only)
		return command_usage(err, "--read-only and --write-only cannot be combined");
	if (o->read_only || o->write_only)
		choice->rules.by |= ACTIVITY_BY_OPERATION;
	return choose_files(o, choice, err);
}

static bool wants_direction(const struct activity_options *o, const struct activity *activity)
{
	return (!o->read_only || activity->operation == 'R') &&
	       (!o->write_only || activity->operation == 'W');
}

static const struct option_def top_rows[] = {
	ALL_FILES_ROW,
	{ "read-only", 0, OPT_FLAG, NULL, ACTIVITY(read_only), "only reads" },
	{ "write-only", 0, OPT_FLAG, NULL, ACTIVITY(write_only), "only writes" },
	{ .type = OPT_INCLUDE, .include = accepted_activity_rows },
	{ "maxrows", 'r', OPT_UINT, "N", ACTIVITY(max_rows), "print at most N rows (default 20)" },
	{ "sort", 's', OPT_CHOICE, "COLUMN", ACTIVITY(sort), "sort by this column (default all)",
	  .choices = "all reads writes rbytes wbytes" },
	{ .type = OPT_INCLUDE, .include = activity_thread_rows },
	{ .type = OPT_INCLUDE, .include = activity_output_rows },
	{ 0 },
};

static const struct activity_tool filetop = {
	.tool = ACTIVITY_SUMS("Tracing"),
	.name = "filetop",
	.rules = { .kinds = KIND,
		   .by = ACTIVITY_BY_TID | ACTIVITY_BY_COMM | ACTIVITY_BY_TEXT | BY(FILE_TYPE) |
			 BY(FILE_DEVICE) | BY(FILE_INODE),
		   .summed = BY(FILE_READ_BYTES) | BY(FILE_WRITE_BYTES) | BY(FILE_READS) |
			     BY(FILE_WRITES) },
	.words = ACTIVITY_EVERY_SECOND,
	.column = top_columns,
	.choose = choose_direction,
	.wants = wants_direction,
	.choose_order = order_of,
	.screens = true,
	.rows = 20,
};

ACTIVITY_COMMAND(filetop, .args = "[options] [interval [count]] [-- program [arguments]]",
		 .summary = "show the files with the most reads and writes", .options = top_rows);

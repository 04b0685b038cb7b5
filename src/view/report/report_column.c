/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of report columns (see report_column.h). Names, headings and widths follow perf report.
 */
#include "view/report/report_column.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "profile/branch.h"
#include "view/report/report.h"
#include "view/report/report_parent.h"

static const struct frame *frame_of(const struct report_context *context,
				    const struct report_subject *subject)
{
	const struct profile *p = context->profile;

	return subject->node.v == STACK_EMPTY.v
		       ? NULL
		       : &p->frames.item[p->nodes.item[subject->node.v].frame.v];
}

static void print_string(const struct report_context *context, uint64_t value, struct buf *ret)
{
	(void)buf_puts(ret, profile_string(context->profile, (string_id){ (uint32_t)value }));
}

static uint64_t value_comm(const struct report_context *context,
			   const struct report_subject *subject)
{
	return context->profile->threads.item[subject->sample->thread.v].comm.v;
}

/* perf's "pid" key distinguishes threads, each under its last name. */
static uint64_t value_tid(const struct report_context *context,
			  const struct report_subject *subject)
{
	return context->profile->threads.item[subject->sample->thread.v].tid;
}

static void print_tid(const struct report_context *context, uint64_t value, struct buf *ret)
{
	const struct profile *p = context->profile;
	const char *comm = "";

	for (size_t i = p->threads.count; i-- > 0 && !*comm;)
		if (p->threads.item[i].tid == (uint32_t)value)
			comm = profile_string(p, p->threads.item[i].comm);
	(void)buf_printf(ret, "%7d:%-7s", (int)(int32_t)value, comm);
}

static uint64_t value_dso(const struct report_context *context,
			  const struct report_subject *subject)
{
	const struct frame *frame = frame_of(context, subject);

	return frame ? frame->module : 0;
}

static void print_dso(const struct report_context *context, uint64_t value, struct buf *ret)
{
	(void)buf_puts(
		ret, profile_string(context->profile, context->profile->modules.item[value].name));
}

static uint64_t symbol_at(const struct report_context *context, stack_id node)
{
	const struct profile *p = context->profile;

	return node.v == STACK_EMPTY.v ? UINT64_MAX
				       : context->symbols.of_frame[p->nodes.item[node.v].frame.v];
}

static uint64_t value_symbol(const struct report_context *context,
			     const struct report_subject *subject)
{
	return symbol_at(context, subject->node);
}

/* Where a branch left, or where it went. */
static stack_id branch_end(const struct report_context *context,
			   const struct report_subject *subject, bool to)
{
	stack_id leaf = subject->sample->stack;
	bool swapped = subject->sample->addr & PROFILE_BRANCH_SWAPPED;

	return to == swapped ? leaf : context->profile->nodes.item[leaf.v].parent;
}

static uint64_t value_symbol_from(const struct report_context *context,
				  const struct report_subject *subject)
{
	return symbol_at(context, branch_end(context, subject, false));
}

static uint64_t value_symbol_to(const struct report_context *context,
				const struct report_subject *subject)
{
	return symbol_at(context, branch_end(context, subject, true));
}

static uint64_t value_dso_from(const struct report_context *context,
			       const struct report_subject *subject)
{
	struct report_subject end = { subject->sample, branch_end(context, subject, false) };

	return value_dso(context, &end);
}

static uint64_t value_dso_to(const struct report_context *context,
			     const struct report_subject *subject)
{
	struct report_subject end = { subject->sample, branch_end(context, subject, true) };

	return value_dso(context, &end);
}

static uint64_t value_kept(const struct report_context *context,
			   const struct report_subject *subject)
{
	(void)context;
	return subject->sample->addr;
}

static void print_cgroup(const struct report_context *context, uint64_t value, struct buf *ret)
{
	if (value)
		print_string(context, value, ret);
	else
		(void)buf_puts(ret, "N/A");
}

static uint64_t value_prediction(const struct report_context *context,
				 const struct report_subject *subject)
{
	(void)context;
	return subject->sample->addr & (PROFILE_BRANCH_PREDICTED | PROFILE_BRANCH_MISPREDICTED);
}

static void print_prediction(const struct report_context *context, uint64_t value, struct buf *ret)
{
	(void)context;
	(void)buf_puts(ret, value & PROFILE_BRANCH_PREDICTED	  ? "N"
			    : value & PROFILE_BRANCH_MISPREDICTED ? "Y"
								  : "N/A");
}

static uint64_t value_in_tx(const struct report_context *context,
			    const struct report_subject *subject)
{
	(void)context;
	return subject->sample->addr & PROFILE_BRANCH_IN_TRANSACTION ? 'T' : '.';
}

static uint64_t value_abort(const struct report_context *context,
			    const struct report_subject *subject)
{
	(void)context;
	return subject->sample->addr & PROFILE_BRANCH_ABORT ? 'A' : '.';
}

static void print_letter(const struct report_context *context, uint64_t value, struct buf *ret)
{
	(void)context;
	(void)buf_putc(ret, (char)value);
}

static uint64_t value_cycles(const struct report_context *context,
			     const struct report_subject *subject)
{
	(void)context;
	return subject->sample->addr >> PROFILE_BRANCH_CYCLES_SHIFT;
}

static void print_cycles(const struct report_context *context, uint64_t value, struct buf *ret)
{
	(void)context;
	if (value)
		(void)buf_put_u64(ret, value);
	else
		(void)buf_putc(ret, '-');
}

static void print_symbol(const struct report_context *context, uint64_t value, struct buf *ret)
{
	if (value == UINT64_MAX) {
		(void)buf_puts(ret, "[.] [empty stack]");
		return;
	}
	(void)buf_puts(ret, report_symbol_level(&context->symbols.symbols.item[value]));
	(void)buf_putc(ret, ' ');
	report_symbol_name(&context->symbols, (uint32_t)value, ret);
}

static uint64_t value_symbol_size(const struct report_context *context,
				  const struct report_subject *subject)
{
	uint64_t symbol = value_symbol(context, subject);

	return symbol == UINT64_MAX ? 0 : context->symbols.symbols.item[symbol].size;
}

static void print_number(const struct report_context *context, uint64_t value, struct buf *ret)
{
	(void)context;
	(void)buf_put_u64(ret, value);
}

static uint64_t value_cpu(const struct report_context *context,
			  const struct report_subject *subject)
{
	(void)context;
	return subject->sample->cpu;
}

static void print_cpu(const struct report_context *context, uint64_t value, struct buf *ret)
{
	(void)context;
	if (value == PROFILE_NO_CPU)
		(void)buf_puts(ret, "-001");
	else
		(void)buf_printf(ret, "%03" PRIu64, value);
}

/* The frame with the sample's own file and line: of code that is inlined into the row's function it
 * is the innermost one. Callers have the line of the call in their own text. */
static const struct frame *line_frame(const struct report_context *context,
				      const struct report_subject *subject)
{
	const struct profile *p = context->profile;
	stack_id node = subject->sample->stack;

	while (node.v != subject->node.v && node.v != STACK_EMPTY.v &&
	       p->frames.item[p->nodes.item[node.v].frame.v].inlined)
		node = p->nodes.item[node.v].parent;
	if (node.v != subject->node.v || node.v == STACK_EMPTY.v)
		return frame_of(context, subject);
	return &p->frames.item[p->nodes.item[subject->sample->stack.v].frame.v];
}

static uint64_t value_srcline(const struct report_context *context,
			      const struct report_subject *subject)
{
	const struct frame *frame = line_frame(context, subject);

	return frame ? (uint64_t)frame->file.v << 32 | frame->line : 0;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static void print_srcline(const struct report_context *context, uint64_t value, struct buf *ret)
{
	const char *file = profile_string(context->profile, (string_id){ (uint32_t)(value >> 32) });

	if (*file)
		(void)buf_printf(ret, "%s:%u", base_name(file), (uint32_t)value);
	else
		(void)buf_puts(ret, "??:0");
}

static uint64_t value_srcfile(const struct report_context *context,
			      const struct report_subject *subject)
{
	const struct frame *frame = line_frame(context, subject);

	return frame ? frame->file.v : 0;
}

static void print_srcfile(const struct report_context *context, uint64_t value, struct buf *ret)
{
	const char *file = profile_string(context->profile, (string_id){ (uint32_t)value });

	(void)buf_puts(ret, *file ? base_name(file) : "??");
}

static uint64_t value_parent(const struct report_context *context,
			     const struct report_subject *subject)
{
	return context->parent ? report_parent_of(context->parent, subject->sample->stack).v
			       : STRING_EMPTY.v;
}

static void print_parent(const struct report_context *context, uint64_t value, struct buf *ret)
{
	if (value)
		print_string(context, value, ret);
	else
		(void)buf_puts(ret, "[other]");
}

/* Whole hundred milliseconds, as perf's --time-quantum. */
static uint64_t value_time(const struct report_context *context,
			   const struct report_subject *subject)
{
	(void)context;
	return subject->sample->time_ns / 100000000 * 100000000;
}

static void print_time(const struct report_context *context, uint64_t value, struct buf *ret)
{
	(void)context;
	(void)buf_printf(ret, "%" PRIu64 ".%03" PRIu64, value / 1000000000, value / 1000000 % 1000);
}

static const struct report_column columns[] = {
	{ .name = "overhead", .heading = "Overhead", .measure = REPORT_SELF, .width = 8 },
	{ .name = "overhead_children",
	  .heading = "Children",
	  .measure = REPORT_CHILDREN,
	  .width = 8 },
	{ .name = "overhead_interval",
	  .heading = "95% interval",
	  .measure = REPORT_SELF_INTERVAL,
	  .width = 12,
	  .right = true },
	{ .name = "children_interval",
	  .heading = "95% interval",
	  .measure = REPORT_CHILDREN_INTERVAL,
	  .width = 12,
	  .right = true },
	{ .name = "sample",
	  .heading = "Samples",
	  .measure = REPORT_SAMPLES,
	  .width = 12,
	  .right = true },
	{ .name = "period",
	  .heading = "Period",
	  .measure = REPORT_PERIOD,
	  .width = 12,
	  .right = true },
	{ .name = "comm", .heading = "Command", .value = value_comm, .print = print_string },
	{ .name = "pid",
	  .alias = "tid",
	  .heading = "Pid:Command",
	  .right = true,
	  .value = value_tid,
	  .print = print_tid },
	{ .name = "dso", .heading = "Shared Object", .value = value_dso, .print = print_dso },
	{ .name = "symbol",
	  .alias = "sym",
	  .heading = "Symbol",
	  .value = value_symbol,
	  .print = print_symbol },
	{ .name = "symbol_size",
	  .heading = "Symbol size",
	  .value = value_symbol_size,
	  .print = print_number },
	{ .name = "cpu",
	  .heading = "CPU",
	  .needs = PROFILE_KEEP_CPU,
	  .value = value_cpu,
	  .print = print_cpu },
	{ .name = "srcline",
	  .heading = "Source:Line",
	  .of_sample = true,
	  .value = value_srcline,
	  .print = print_srcline },
	{ .name = "srcfile",
	  .heading = "Source File",
	  .of_sample = true,
	  .value = value_srcfile,
	  .print = print_srcfile },
	{ .name = "parent",
	  .heading = "Parent symbol",
	  .of_sample = true,
	  .value = value_parent,
	  .print = print_parent },
	{ .name = "time",
	  .heading = "Time",
	  .needs = PROFILE_KEEP_TIME,
	  .of_sample = true,
	  .value = value_time,
	  .print = print_time },
	{ .name = "cgroup",
	  .heading = "Cgroup",
	  .needs = PROFILE_KEEP_ADDR | PROFILE_ADDR_IS_CGROUP,
	  .value = value_kept,
	  .print = print_cgroup },
	{ .name = "local_weight",
	  .heading = "Local Weight",
	  .needs = PROFILE_KEEP_ADDR | PROFILE_ADDR_IS_WEIGHT,
	  .value = value_kept,
	  .print = print_number },
	{ .name = "dso_from",
	  .heading = "Source Shared Object",
	  .needs = PROFILE_KEEP_ADDR,
	  .branch = true,
	  .value = value_dso_from,
	  .print = print_dso },
	{ .name = "symbol_from",
	  .heading = "Source Symbol",
	  .needs = PROFILE_KEEP_ADDR,
	  .branch = true,
	  .value = value_symbol_from,
	  .print = print_symbol },
	{ .name = "dso_to",
	  .heading = "Target Shared Object",
	  .needs = PROFILE_KEEP_ADDR,
	  .branch = true,
	  .value = value_dso_to,
	  .print = print_dso },
	{ .name = "symbol_to",
	  .heading = "Target Symbol",
	  .needs = PROFILE_KEEP_ADDR,
	  .branch = true,
	  .value = value_symbol_to,
	  .print = print_symbol },
	{ .name = "mispredict",
	  .heading = "Branch Mispredicted",
	  .needs = PROFILE_KEEP_ADDR,
	  .branch = true,
	  .value = value_prediction,
	  .print = print_prediction },
	{ .name = "abort",
	  .heading = "Transaction abort",
	  .needs = PROFILE_KEEP_ADDR,
	  .branch = true,
	  .value = value_abort,
	  .print = print_letter },
	{ .name = "in_tx",
	  .heading = "Branch in transaction",
	  .needs = PROFILE_KEEP_ADDR,
	  .branch = true,
	  .value = value_in_tx,
	  .print = print_letter },
	{ .name = "cycles",
	  .heading = "Basic Block Cycles",
	  .needs = PROFILE_KEEP_ADDR,
	  .branch = true,
	  .value = value_cycles,
	  .print = print_cycles },
};

#define COLUMN_COUNT (sizeof(columns) / sizeof(*columns))

static const struct report_column column_self = {
	.name = "overhead", .heading = "Self", .measure = REPORT_SELF, .width = 8, .right = true
};

static const struct report_column *find_column(const char *name, size_t len)
{
	for (size_t i = 0; i < COLUMN_COUNT; i++) {
		const struct report_column *c = &columns[i];

		if ((strlen(c->name) == len && strncmp(c->name, name, len) == 0) ||
		    (c->alias && strlen(c->alias) == len && strncmp(c->alias, name, len) == 0))
			return c;
	}
	return NULL;
}

static int unknown_column(const char *list, const char *word, size_t len, struct err *err)
{
	struct buf known = { .limit = 300 };

	for (size_t i = 0; i < COLUMN_COUNT; i++)
		(void)buf_printf(&known, " %s", columns[i].name);
	err_set(err, -EINVAL, "%s: unknown sort key '%.*s'", list, (int)len, word);
	(void)err_hint(err, "known:%s", known.data); /* the code is returned below */
	buf_done(&known);
	return -EINVAL;
}

static void add_column(report_columns *list, const char *name)
{
	vec_push(list, find_column(name, strlen(name)));
}

/* The default columns of numbers. */
static void add_measures(const struct report_options *options, report_columns *list)
{
	bool intervals = options->interval == REPORT_INTERVAL_COLUMNS;

	if (options->children) {
		add_column(list, "overhead_children");
		if (intervals)
			add_column(list, "children_interval");
		vec_push(list, &column_self);
	} else {
		add_column(list, "overhead");
	}
	if (intervals)
		add_column(list, "overhead_interval");
	if (options->show_nr_samples)
		add_column(list, "sample");
	if (options->show_total_period)
		add_column(list, "period");
}

static int needs_branches(const char *list, const struct report_column *column, struct err *err)
{
	err_set(err, -EINVAL, "%s: %s needs branches, which the recording does not have", list,
		column->name);
	return err_hint(err, "record them with: cupel record -b");
}

/* The options' words `list`, of the option `what`. */
static int add_list(const char *what, const char *list, const struct report_options *options,
		    report_columns *ret, struct err *err)
{
	while (*list) {
		size_t len = strcspn(list, ", ");
		const struct report_column *column = find_column(list, len);
		bool there = false;

		if (!column && len)
			return unknown_column(what, list, len, err);
		if (column && column->branch && !options->branches)
			return needs_branches(what, column, err);
		for (size_t i = 0; i < ret->count; i++)
			there |= ret->item[i] == column;
		if (column && !there)
			vec_push(ret, column);
		list += len + (list[len] != '\0');
	}
	return 0;
}

/* A sample keeps one of these. */
static int check_kept(const report_columns *list, struct err *err)
{
	const struct report_column *first = NULL;

	for (size_t i = 0; i < list->count; i++) {
		const struct report_column *c = list->item[i];

		if (!(c->needs & PROFILE_KEEP_ADDR))
			continue;
		if (first && (first->branch != c->branch || first->needs != c->needs))
			return err_set(err, -EINVAL, "sort keys %s and %s cannot be combined",
				       first->name, c->name);
		first = c;
	}
	return 0;
}

int report_columns_parse(const struct report_options *options, report_columns *ret, struct err *err)
{
	const char *usual = options->branches ? "comm,dso_from,symbol_from,symbol_to,cycles"
					      : "comm,dso,symbol";
	const char *sort = options->sort ? options->sort : usual;
	report_columns list = { 0 };
	int code;

	if (options->fields)
		code = add_list("--fields", options->fields, options, &list, err);
	else {
		add_measures(options, &list);
		code = add_list("--sort", sort, options, &list, err);
		if (!code && options->parent)
			code = add_list("--parent", "parent", options, &list, err);
	}
	if (!code && options->fields && options->sort)
		code = add_list("--sort", options->sort, options, &list, err);
	if (!code)
		code = check_kept(&list, err);
	if (code) {
		vec_done(&list);
		return code;
	}
	*ret = list;
	return 0;
}

unsigned report_needs(const struct report_options *options)
{
	report_columns list = { 0 };
	struct err ignored;
	unsigned keep = 0;

	if (report_columns_parse(options, &list, &ignored))
		return 0; /* reported when the report itself is made */
	for (size_t i = 0; i < list.count; i++)
		keep |= list.item[i]->needs;
	vec_done(&list);
	return keep;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The columns that --sort and --fields know: measures, and sort keys with how to get a value and
 * how to print it. Names, headings and widths follow perf report. */
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "profile/branch.h"
#include "view/report/report_column.h"
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

static void print_socket(const struct report_context *context, uint64_t value, struct buf *ret)
{
	(void)context;
	if (value == UINT32_MAX)
		(void)buf_puts(ret, "N/A");
	else
		(void)buf_printf(ret, "%03" PRIu64, value);
}

/* Bits of PERF_SAMPLE_TRANSACTION, in perf's words and order. */
static void print_transaction(const struct report_context *context, uint64_t value, struct buf *ret)
{
	static const struct {
		uint64_t bit;
		const char *name;
	} bits[] = {
		{ PERF_TXN_ELISION, "EL " },
		{ PERF_TXN_TRANSACTION, "TX " },
		{ PERF_TXN_SYNC, "SYNC " },
		{ PERF_TXN_ASYNC, "ASYNC " },
		{ PERF_TXN_RETRY, "RETRY " },
		{ PERF_TXN_CONFLICT, "CON " },
		{ PERF_TXN_CAPACITY_WRITE, "CAP-WRITE " },
		{ PERF_TXN_CAPACITY_READ, "CAP-READ " },
	};

	(void)context;
	for (size_t i = 0; i < sizeof(bits) / sizeof(*bits); i++)
		if (value & bits[i].bit)
			(void)buf_puts(ret, bits[i].name);
	if (value && !(value & (PERF_TXN_SYNC | PERF_TXN_ASYNC)))
		(void)buf_puts(ret, "NEITHER ");
	if (value & PERF_TXN_ABORT_MASK)
		(void)buf_printf(ret, ":%" PRIx64, value >> PERF_TXN_ABORT_SHIFT);
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
	(void)buf_printf(ret, "%" PRIu64 ".%06" PRIu64, value / 1000000000, value / 1000 % 1000000);
}

const struct report_column report_columns_known[] = {
	{ .name = "overhead", .heading = "Overhead", .measure = REPORT_SELF, .width = 8 },
	{ .name = "overhead_children",
	  .heading = "Children",
	  .measure = REPORT_CHILDREN,
	  .width = 8 },
	{ .name = "overhead_sys",
	  .heading = "sys",
	  .measure = REPORT_SYSTEM,
	  .width = 8,
	  .right = true },
	{ .name = "overhead_us",
	  .heading = "usr",
	  .measure = REPORT_USER,
	  .width = 8,
	  .right = true },
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
	{ .name = "weight",
	  .heading = "Weight",
	  .needs = PROFILE_KEEP_ADDR | PROFILE_ADDR_IS_WEIGHT,
	  .times_samples = true,
	  .value = value_kept,
	  .print = print_number },
	{ .name = "transaction",
	  .heading = "Transaction",
	  .needs = PROFILE_KEEP_ADDR | PROFILE_ADDR_IS_TRANSACTION,
	  .value = value_kept,
	  .print = print_transaction },
	{ .name = "socket",
	  .heading = "Socket",
	  .needs = PROFILE_KEEP_ADDR | PROFILE_ADDR_IS_SOCKET,
	  .value = value_kept,
	  .print = print_socket },
	{ .name = "trace",
	  .heading = "Trace output",
	  .needs = PROFILE_KEEP_ADDR | PROFILE_ADDR_IS_TRACE,
	  .value = value_kept,
	  .print = print_string },
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

const size_t report_columns_known_count =
	sizeof(report_columns_known) / sizeof(*report_columns_known);

uint64_t report_column_value(const struct report_column *column,
			     const struct report_context *context,
			     const struct report_subject *subject)
{
	char digits[PROFILE_FIELD_DIGITS + 1] = { 0 };
	string_id kept = { (uint32_t)subject->sample->addr };
	const char *ids;

	if (!column->field)
		return column->value(context, subject);
	ids = profile_string(context->profile, kept);
	if (strlen(ids) < (size_t)column->field * PROFILE_FIELD_DIGITS)
		return STRING_EMPTY.v; /* no sample of a recording */
	memcpy(digits, ids + (column->field - 1) * PROFILE_FIELD_DIGITS, PROFILE_FIELD_DIGITS);
	return strtoul(digits, NULL, 16);
}

struct report_column report_column_of_field(const char *name, const char *heading, uint32_t n)
{
	return (struct report_column){ .name = name,
				       .heading = heading,
				       .needs = PROFILE_KEEP_ADDR | PROFILE_ADDR_IS_FIELDS,
				       .print = print_string,
				       .field = n };
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cupel hardirqs and softirqs: the time of the handlers of interrupts. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/err.h"
#include "command/command.h"
#include "command/tool/activity/activity_tool.h"

#define BY(number) (1u << (number))
#define MAX_CPU	   65535

/* Where /sys is not mounted, any number is taken. */
static bool has_cpu(uint64_t cpu)
{
	char path[64];

	(void)snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%" PRIu64, cpu);
	return access(path, F_OK) == 0 || access("/sys/devices/system/cpu", F_OK) != 0;
}

static int choose(const struct activity_options *o, struct activity_choice *choice, struct err *err)
{
	struct activity_rules *rules = &choice->rules;
	uint64_t cpu;

	if (o->counts && (o->histograms || o->nanoseconds))
		return command_usage(err, "-C counts: it cannot be combined with -d and -N");
	if (o->cpu) {
		if (option_parse_number(OPT_UINT, o->cpu, &cpu, err))
			return EXIT_STATUS_USAGE;
		if (cpu > MAX_CPU || !has_cpu(cpu))
			return command_usage(err, "-c: there is no CPU %" PRIu64, cpu);
		rules->cpu_plus_one = (uint32_t)cpu + 1;
	}
	rules->unit = o->nanoseconds ? 1 : 1000;
	rules->distribution = o->histograms ? ACTIVITY_OF_NS : ACTIVITY_NO_DISTRIBUTION;
	return 0;
}

static void put_irq(const struct activity_run *run, const struct activity_column *column,
		    const struct activity *from, struct buf *out)
{
	(void)run;
	(void)column;
	(void)buf_put_tidy(out, from->text);
}

/* The kernel's names. */
static void put_softirq(const struct activity_run *run, const struct activity_column *column,
			const struct activity *from, struct buf *out)
{
	static const char *const names[] = { "hi",	 "timer",   "net_tx", "net_rx",	 "block",
					     "irq_poll", "tasklet", "sched",  "hrtimer", "rcu" };
	uint64_t vector = from->number[INTERRUPT_NUMBER];

	(void)run;
	(void)column;
	if (vector < sizeof(names) / sizeof(names[0]))
		(void)buf_puts(out, names[vector]);
	else
		(void)buf_printf(out, "vector %" PRIu64, vector);
}

/* BCC has the least first. */
static int by_time(const void *a, const void *b)
{
	uint64_t left = ((const struct activity *)a)->ns, right = ((const struct activity *)b)->ns;

	return left == right ? 0 : left > right ? 1 : -1;
}

static int by_counts(const void *a, const void *b)
{
	uint64_t left = ((const struct activity *)a)->count,
		 right = ((const struct activity *)b)->count;

	return left == right ? 0 : left > right ? 1 : -1;
}

static int (*order_of(const struct activity_options *o))(const void *, const void *)
{
	return o->counts ? by_counts : by_time;
}

static void put_hour(const struct activity_run *run, struct buf *out)
{
	(void)buf_putc(out, '\n');
	if (run->options->tool.timestamp)
		(void)buf_printf(out, "%s\n", run->time);
}

static void put_irq_first(const struct activity_run *run, struct buf *out)
{
	(void)buf_printf(out, "Tracing hard irq event%s... Hit Ctrl-C to end.\n",
			 run->options->counts ? "s" : " time");
}

static void put_softirq_first(const struct activity_run *run, struct buf *out)
{
	(void)buf_printf(out, "Tracing soft irq event%s... Hit Ctrl-C to end.\n",
			 run->options->counts ? "s" : " time");
}

/* One of the three is shown. */
static void put_usecs(const struct activity_run *run, const struct activity_column *column,
		      const struct activity *from, struct buf *out)
{
	(void)run;
	(void)buf_put_u64(out, from->ns / column->unit);
}

/* clang-format off */
#define TOTALS \
	{ "TOTAL_usecs", "total_ns", 11, .put = put_usecs, .unit = 1000, .raw = raw_ns, \
	  ACTIVITY_NEVER(microseconds) }, \
	{ "TOTAL_nsecs", NULL, 11, .put = put_usecs, .unit = 1, ACTIVITY_ONLY(nanoseconds) }, \
	{ "TOTAL_count", "count", 11, .put = put_count, .raw = put_count, \
	  ACTIVITY_ONLY(counts) }, \
	{ 0 }
/* clang-format on */

static const struct activity_column irq_columns[] = {
	{ "HARDIRQ", "hardirq", -26, .put = put_irq },
	TOTALS,
};

static const struct activity_column softirq_columns[] = {
	{ "SOFTIRQ", "softirq", -16, .put = put_softirq },
	TOTALS,
};

/* -N and -C show another column. */
static int set_nanoseconds(void *field, const char *value, bool negated, struct err *err)
{
	struct activity_options *o =
		(struct activity_options *)((char *)field - ACTIVITY(nanoseconds));

	(void)value;
	(void)err;
	o->nanoseconds = o->microseconds = !negated;
	return 0;
}

static int set_counts(void *field, const char *value, bool negated, struct err *err)
{
	struct activity_options *o = (struct activity_options *)((char *)field - ACTIVITY(counts));

	(void)value;
	(void)err;
	o->counts = o->microseconds = !negated;
	return 0;
}

/* clang-format off */
#define ROWS(counts_name) \
	{ "timestamp", 'T', OPT_FLAG, NULL, ACTIVITY(tool.timestamp), \
	  "print the time of day at each interval" }, \
	{ "nanoseconds", 'N', OPT_CALL, NULL, ACTIVITY(nanoseconds), \
	  "print times in nanoseconds", set_nanoseconds }, \
	{ counts_name, 'C', OPT_CALL, NULL, ACTIVITY(counts), \
	  "print how many there were, not their time", set_counts }, \
	{ "dist", 'd', OPT_FLAG, NULL, ACTIVITY(histograms), \
	  "print the distribution of times of each" }, \
	{ "cpu", 'c', OPT_STR, "CPU", ACTIVITY(cpu), "only on this CPU" }, \
	{ .type = OPT_INCLUDE, .include = activity_output_rows }, \
	{ 0 }
/* clang-format on */

static const struct option_def irq_rows[] = { ROWS("count") };
static const struct option_def softirq_rows[] = { ROWS("events") };

static const struct activity_tool hardirqs = {
	.tool = ACTIVITY_SUMS(NULL),
	.name = "hardirqs",
	.rules = { .kinds = 1u << ACTIVITY_IRQ, .by = ACTIVITY_BY_TEXT },
	.words = ACTIVITY_INTERVAL,
	.column = irq_columns,
	.choose = choose,
	.choose_order = order_of,
	.put_first = put_irq_first,
	.put_above = put_hour,
	.unit = "usecs",
	.section = "hardirq",
	.put_section = put_irq,
};

static const struct activity_tool softirqs = {
	.tool = ACTIVITY_SUMS(NULL),
	.name = "softirqs",
	.rules = { .kinds = 1u << ACTIVITY_SOFTIRQ, .by = BY(INTERRUPT_NUMBER) },
	.words = ACTIVITY_INTERVAL,
	.column = softirq_columns,
	.choose = choose,
	.choose_order = order_of,
	.put_first = put_softirq_first,
	.put_above = put_hour,
	.unit = "usecs",
	.section = "softirq",
	.put_section = put_softirq,
};

ACTIVITY_COMMAND(hardirqs, .args = "[options] [interval [count]] [-- program [arguments]]",
		 .summary = "sum the time of interrupt handlers", .options = irq_rows);
ACTIVITY_COMMAND(softirqs, .args = "[options] [interval [count]] [-- program [arguments]]",
		 .summary = "sum the time of soft interrupts", .options = softirq_rows);

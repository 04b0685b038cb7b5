/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tables of schedstats (see schedstat_table.h). One printer for one run and for two: `second` is
 * NULL for one. */
#include "view/sched/schedstat_table.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "profile/sched/schedstat.h"

#define WIDTH	   100
#define NAME_WIDTH 65

struct table {
	struct buf *out;
	const struct schedstat *first, *second;
};

/* Values of the same fields, in one run or two. */
struct pair {
	const uint64_t *first, *second;
};

static void put_rule(struct table *table, const char *title)
{
	size_t len = strlen(title), left = (WIDTH - len) / 2;

	(void)buf_pad(table->out, '-', left);
	(void)buf_puts(table->out, title);
	(void)buf_pad(table->out, '-', WIDTH - len - left);
	(void)buf_putc(table->out, '\n');
}

static double share(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

static double change(double first, double second)
{
	return first > 0 ? 100.0 * (second - first) / first : 0;
}

static void put_value(struct table *table, const char *name, const struct pair *values, size_t f)
{
	(void)buf_printf(table->out, "%-*s: %11" PRIu64, NAME_WIDTH, name, values->first[f]);
	if (table->second)
		(void)buf_printf(table->out, ",%11" PRIu64 "  |%9.2f%% |", values->second[f],
				 change((double)values->first[f], (double)values->second[f]));
}

static void put_field(struct table *table, const struct schedstat_field *field,
		      const struct pair *values, size_t f)
{
	bool alone = !table->second;
	uint64_t value = values->first[f];

	put_value(table, field->name, values, f);
	if (alone && field->share_of != SCHEDSTAT_NONE)
		(void)buf_printf(table->out, "  (%9.2f%% )",
				 share(value, values->first[field->share_of]));
	if (alone && field->paced)
		(void)buf_printf(table->out, "  $ %11.2f $",
				 value ? (double)table->first->jiffies / (double)value : 0);
	(void)buf_putc(table->out, '\n');
}

/* Where the fields of load_balance() begin at `f`: how often it moved something, and how much each
 * time. */
static void balance_successes(const uint64_t *value, size_t f, size_t gained, uint64_t *ret_count,
			      double *ret_pulled)
{
	uint64_t failures = value[f + 1] + value[f + 2];

	*ret_count = value[f] > failures ? value[f] - failures : 0;
	*ret_pulled = *ret_count ? (double)value[gained] / (double)*ret_count : 0;
}

static void put_successes(struct table *table, const char *prefix, const struct pair *values,
			  size_t f, size_t gained)
{
	uint64_t count[2] = { 0 };
	double pulled[2] = { 0 };
	char name[48];

	balance_successes(values->first, f, gained, &count[0], &pulled[0]);
	if (table->second)
		balance_successes(values->second, f, gained, &count[1], &pulled[1]);
	(void)snprintf(name, sizeof(name), "*%ssuccess_count", prefix);
	put_value(table, name, &(struct pair){ &count[0], &count[1] }, 0);
	(void)snprintf(name, sizeof(name), "*%savg_pulled", prefix);
	(void)buf_printf(table->out, "\n%-*s: %11.2f", NAME_WIDTH, name, pulled[0]);
	if (table->second)
		(void)buf_printf(table->out, ",%11.2f  |%9.2f%% |", pulled[1],
				 change(pulled[0], pulled[1]));
	(void)buf_putc(table->out, '\n');
}

static void put_heading(struct table *table, const char *beside)
{
	if (table->second)
		(void)buf_printf(table->out, "%-*s %12s %11s %12s\n", NAME_WIDTH, "DESC", "COUNT1",
				 "COUNT2", "PCT_CHANGE");
	else
		(void)buf_printf(table->out, "%-*s %12s %s\n", NAME_WIDTH, "DESC", "COUNT", beside);
}

static void put_cpu_fields(struct table *table, const struct pair *values)
{
	struct schedstat_field field[SCHEDSTAT_CPU_FIELDS];
	size_t count = schedstat_cpu_layout(field);

	put_rule(table, "");
	put_heading(table, "  PCT_CHANGE");
	put_rule(table, "");
	for (size_t f = 0; f < count; f++)
		put_field(table, &field[f], values, f);
}

static void put_domain_fields(struct table *table, const struct pair *values)
{
	static const char *const title[] = {
		[SCHEDSTAT_CPU] = "",
		[SCHEDSTAT_BUSY] = " <Category busy> ",
		[SCHEDSTAT_IDLE] = " <Category idle> ",
		[SCHEDSTAT_NEWIDLE] = " <Category newidle> ",
		[SCHEDSTAT_ACTIVE] = " <Category active_load_balance()> ",
		[SCHEDSTAT_EXEC] = " <Category sched_balance_exec()> ",
		[SCHEDSTAT_FORK] = " <Category sched_balance_fork()> ",
		[SCHEDSTAT_WAKEUP] = " <Wakeup Info> ",
	};
	static const char *const balance[] = { [SCHEDSTAT_BUSY] = "busy_lb_",
					       [SCHEDSTAT_IDLE] = "idle_lb_",
					       [SCHEDSTAT_NEWIDLE] = "newidle_lb_" };
	struct schedstat_field field[SCHEDSTAT_DOMAIN_FIELDS];
	size_t count = schedstat_domain_layout(table->first->version, field);

	put_rule(table, "");
	put_heading(table, "   AVG_JIFFIES");
	for (size_t f = 0, from = 0; f < count; f++) {
		enum schedstat_group group = field[f].group;
		bool last = f + 1 == count || field[f + 1].group != group;

		if (!f || field[f - 1].group != group) {
			put_rule(table, title[group]);
			from = f;
		}
		put_field(table, &field[f], values, f);
		/* gained, hot_gained, nobusyq, nobusyg end each of these groups */
		if (last && group >= SCHEDSTAT_BUSY && group <= SCHEDSTAT_NEWIDLE)
			put_successes(table, balance[group], values, from, f - 3);
	}
}

/* "00000001,80000000" → "31-32" */
static void put_mask(struct buf *out, const char *mask)
{
	size_t len = strlen(mask), digits = 0, start = SIZE_MAX;
	const char *comma = "";

	for (size_t i = 0; i < len; i++)
		digits += mask[i] != ',';
	for (size_t bit = 0, at = len; bit <= 4 * digits; bit++) {
		static const char hex[] = "0123456789abcdef";
		const char *digit = NULL;
		bool set;

		if (bit % 4 == 0 && bit < 4 * digits)
			at -= at > 1 && mask[at - 1] == ',' ? 2 : 1;
		if (bit < 4 * digits)
			digit = strchr(hex, mask[at]);
		set = digit && ((digit - hex) >> bit % 4 & 1);
		if (set && start == SIZE_MAX)
			start = bit;
		if (set || start == SIZE_MAX)
			continue;
		(void)buf_printf(out, bit - start > 1 ? "%s%zu-%zu" : "%s%zu", comma, start,
				 bit - 1);
		comma = ",";
		start = SIZE_MAX;
	}
}

static void put_cpu(struct table *table, const struct schedstat_cpu *first,
		    const struct schedstat_cpu *second, bool mean)
{
	char name[48] = "CPU <ALL CPUS SUMMARY>";

	if (!mean)
		(void)snprintf(name, sizeof(name), "CPU %" PRIu32, first->cpu);
	put_rule(table, "");
	(void)buf_printf(table->out, "%s\n", name);
	put_cpu_fields(table, &(struct pair){ first->value, second ? second->value : NULL });
	for (size_t i = 0; i < first->domain_count && (!second || i < second->domain_count); i++) {
		const struct schedstat_domain *domain =
			&table->first->domain.item[first->first_domain + i];
		struct pair values = { .first = domain->value };

		if (second)
			values.second = table->second->domain.item[second->first_domain + i].value;
		put_rule(table, "");
		(void)buf_printf(table->out, "%s, DOMAIN %s", name, domain->name);
		(void)buf_puts(table->out, mean ? "" : " CPUS ");
		put_mask(table->out, domain->cpus);
		(void)buf_putc(table->out, '\n');
		put_domain_fields(table, &values);
	}
}

static const struct schedstat_cpu *find_cpu(const struct schedstat *stat, uint32_t cpu)
{
	for (size_t i = 0; i < stat->cpu.count; i++)
		if (stat->cpu.item[i].cpu == cpu)
			return &stat->cpu.item[i];
	return NULL;
}

static void put_legend(struct table *table)
{
	static const char *const words[][2] = {
		{ "DESC", "what is counted, by the kernel's name" },
		{ "COUNT", "how often, or how many ns" },
		{ "PCT_CHANGE", "share of its total; for two runs: the change" },
		{ "AVG_JIFFIES", "average time between two of them" },
	};

	(void)buf_puts(table->out, "Description\n");
	put_rule(table, "");
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		(void)buf_printf(table->out, "%-24s-> %s\n", words[i][0], words[i][1]);
	put_rule(table, "");
	(void)buf_putc(table->out, '\n');
}

static void put_tables(struct table *table)
{
	struct table mean = { .out = table->out };
	struct schedstat all[2] = { 0 };

	put_legend(table);
	put_rule(table, "");
	(void)buf_printf(table->out, "%-*s: %11" PRIu64, NAME_WIDTH, "Time elapsed (in jiffies)",
			 table->first->jiffies);
	if (table->second)
		(void)buf_printf(table->out, ",%11" PRIu64, table->second->jiffies);
	(void)buf_putc(table->out, '\n');
	schedstat_mean(table->first, &all[0]);
	mean.first = &all[0];
	if (table->second) {
		schedstat_mean(table->second, &all[1]);
		mean.second = &all[1];
	}
	if (all[0].cpu.count && (!table->second || all[1].cpu.count))
		put_cpu(&mean, all[0].cpu.item, table->second ? all[1].cpu.item : NULL, true);
	for (size_t i = 0; i < table->first->cpu.count; i++) {
		const struct schedstat_cpu *cpu = &table->first->cpu.item[i], *other = NULL;

		if (table->second)
			other = find_cpu(table->second, cpu->cpu);
		if (!table->second || other)
			put_cpu(table, cpu, other, false);
	}
	put_rule(table, "");
	schedstat_done(&all[0]);
	schedstat_done(&all[1]);
}

void schedstat_report(const struct schedstat *between, struct buf *ret)
{
	struct table table = { .out = ret, .first = between };

	put_tables(&table);
	if (between->unmatched)
		(void)buf_printf(ret, "%zu CPUs appear in only one of the two snapshots\n",
				 between->unmatched);
}

void schedstat_compare(const struct schedstat *first, const struct schedstat *second,
		       struct buf *ret)
{
	struct table table = { .out = ret, .first = first, .second = second };

	put_tables(&table);
}

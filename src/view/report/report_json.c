/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `cupel report --json`, version 1: the machine interface that other tools rely on. Fields are only
 * ever added. Weights are in the event's unit; total counts a function once per sample. */
#include <inttypes.h>
#include <string.h>

#include "base/buf.h"
#include "base/err.h"
#include "profile/share_interval.h"
#include "view/report/report.h"
#include "view/report/report_build.h"
#include "view/report/report_table.h"

static void put_member(struct buf *out, const char *name, const char *value)
{
	(void)buf_put_json(out, name);
	(void)buf_putc(out, ':');
	(void)buf_put_json(out, value);
}

static void put_number(struct buf *out, const char *name, uint64_t value)
{
	(void)buf_printf(out, "\"%s\":%" PRIu64, name, value);
}

static void put_host(const struct profile *p, struct buf *out)
{
	const struct profile_meta *meta = &p->meta;

	(void)buf_puts(out, "\"host\":{");
	put_member(out, "hostname", profile_string(p, meta->hostname));
	(void)buf_putc(out, ',');
	put_member(out, "os_release", profile_string(p, meta->os_release));
	(void)buf_putc(out, ',');
	put_member(out, "arch", profile_string(p, meta->arch));
	(void)buf_putc(out, ',');
	put_member(out, "cpu", profile_string(p, meta->cpu_desc));
	(void)buf_putc(out, ',');
	put_number(out, "cpus", meta->cpus);
	(void)buf_putc(out, ',');
	put_number(out, "memory_kb", meta->total_mem_kb);
	(void)buf_putc(out, '}');
}

static void put_stacks(const struct profile_event *event, struct buf *out)
{
	uint64_t total = 0;
	bool first = true;

	for (int i = STACK_STOP_ROOT; i < STACK_STOP_COUNT; i++)
		total += event->stop[i];
	(void)buf_puts(out, "\"stacks\":{");
	put_number(out, "total", total);
	(void)buf_putc(out, ',');
	put_number(out, "complete", event->stop[STACK_STOP_ROOT]);
	(void)buf_puts(out, ",\"stopped\":{");
	for (int i = STACK_STOP_ROOT + 1; i < STACK_STOP_COUNT; i++) {
		if (!event->stop[i])
			continue;
		(void)buf_puts(out, first ? "" : ",");
		put_number(out, stack_stop_name((enum stack_stop)i), event->stop[i]);
		first = false;
	}
	(void)buf_puts(out, "}}");
}

static size_t events_with_samples(const struct profile *p)
{
	size_t count = 0;

	for (size_t i = 0; i < p->events.count; i++)
		count += p->events.item[i].samples > 0;
	return count;
}

/* Losses of all events belong to a single event; with several, the event is unknown. */
static void put_event_lost(const struct profile *p, const struct profile_event *event,
			   struct buf *out)
{
	uint64_t all = p->meta.lost_samples;

	if (event->lost || !all)
		put_number(out, "lost", event->lost);
	else if (event->samples && events_with_samples(p) == 1)
		put_number(out, "lost", all);
	else
		(void)buf_puts(out, "\"lost\":null");
}

/* What the recording does not have, over all events. */
static void put_missing(const struct profile *p, struct buf *out)
{
	const struct profile_meta *meta = &p->meta;

	(void)buf_puts(out, "\"lost\":{");
	put_number(out, "samples", meta->lost_samples);
	(void)buf_putc(out, ',');
	put_number(out, "records", meta->lost_events);
	(void)buf_putc(out, ',');
	put_number(out, "throttled", meta->throttled);
	(void)buf_puts(out, "},\"damage\":{");
	put_member(out, "first", profile_string(p, meta->damage));
	(void)buf_putc(out, ',');
	put_number(out, "missing_bytes", meta->truncated_bytes);
	(void)buf_putc(out, ',');
	put_number(out, "unknown_records", meta->unknown_records);
	(void)buf_putc(out, '}');
}

static void put_effective(const struct report_options *options, const struct profile_event *event,
			  struct buf *out)
{
	double effective = share_effective_samples(event);

	if (options->interval == REPORT_INTERVAL_NONE)
		return;
	if (effective > 0)
		(void)buf_printf(out, "\"effective_samples\":%.9g,", effective);
	else
		(void)buf_puts(out, "\"effective_samples\":null,");
}

/* 95 % of a share, as numbers from 0 to 1. */
static void put_interval(const struct report_table *table, const char *name, uint64_t part,
			 struct buf *out)
{
	double limits[2];

	if (table->effective <= 0 || table->options->interval == REPORT_INTERVAL_NONE)
		return;
	share_interval((double)part / (double)table->weight, table->effective, limits);
	(void)buf_printf(out, ",\"%s\":[%.6g,%.6g]", name, limits[0], limits[1]);
}

/* Keys besides the contract's three: of accesses to data. */
static void put_keys(const struct report_table *table, const struct report_row *row,
		     struct buf *text, struct buf *out)
{
	for (size_t i = 3; i < table->keys.count; i++) {
		const struct report_column *key = table->keys.item[i];
		uint64_t value = table->values.item[row->first + i];

		buf_clear(text);
		key->print(table->context, key->times_samples ? value * row->samples : value, text);
		(void)buf_putc(out, ',');
		put_member(out, key->name, text->data ? text->data : "");
	}
}

static void put_row(const struct report_table *table, const struct report_row *row,
		    struct buf *name, struct buf *out)
{
	const struct profile *p = table->context->profile;
	const uint64_t *value = &table->values.item[row->first]; /* ORDER comm, dso, symbol */

	buf_clear(name);
	if (value[2] != UINT64_MAX)
		report_symbol_name(&table->context->symbols, (uint32_t)value[2], name);
	(void)buf_putc(out, '{');
	put_member(out, "symbol", name->data ? name->data : "");
	(void)buf_putc(out, ',');
	put_member(out, "module", profile_string(p, p->modules.item[value[1]].path));
	(void)buf_putc(out, ',');
	put_member(out, "command", profile_string(p, (string_id){ (uint32_t)value[0] }));
	(void)buf_putc(out, ',');
	put_number(out, "self", row->self);
	(void)buf_putc(out, ',');
	put_number(out, "total", row->total);
	(void)buf_putc(out, ',');
	put_number(out, "samples", row->samples);
	put_interval(table, "self_interval", row->self, out);
	put_interval(table, "total_interval", row->total, out);
	put_keys(table, row, name, out);
	(void)buf_putc(out, '}');
}

static void put_event(const struct report_context *context, const struct report_options *options,
		      const report_columns *columns, uint16_t index, struct buf *out)
{
	const struct profile *p = context->profile;
	const struct profile_event *event = &p->events.item[index];
	struct report_table table;
	struct buf name = { 0 };

	(void)buf_putc(out, '{');
	put_member(out, "name", profile_string(p, event->name));
	(void)buf_putc(out, ',');
	put_member(out, "unit", profile_string(p, event->unit));
	(void)buf_putc(out, ',');
	put_number(out, "samples", event->samples);
	(void)buf_putc(out, ',');
	put_number(out, "weight", event->weight);
	(void)buf_putc(out, ',');
	put_effective(options, event, out);
	put_event_lost(p, event, out);
	(void)buf_putc(out, ',');
	put_stacks(event, out);
	(void)buf_puts(out, ",\"symbols\":{");
	put_number(out, "frames", event->frames);
	(void)buf_putc(out, ',');
	put_number(out, "unknown", event->unknown_frames);
	(void)buf_puts(out, "},\"rows\":[");
	report_build(&table, context, options, columns, index);
	report_table_sort(&table);
	for (size_t i = 0; i < table.rows.count; i++) {
		(void)buf_puts(out, i ? ",\n" : "\n");
		put_row(&table, &table.rows.item[i], &name, out);
	}
	(void)buf_puts(out, "]}");
	report_table_done(&table);
	buf_done(&name);
}

/* What walking user stacks in the kernel cost. */
static void put_walks(const struct walk_cost *cost, struct buf *ret)
{
	if (!walk_cost_any(cost) && !cost->rate_changes)
		return;
	(void)buf_puts(ret, ",\"walks\":{");
	for (const struct walk_count *count = walk_counts; count->name; count++) {
		put_number(ret, count->name, walk_count_get(cost, count));
		(void)buf_putc(ret, ',');
	}
	put_number(ret, "p50_ns", walk_cost_quantile_ns(cost, 500));
	(void)buf_putc(ret, ',');
	put_number(ret, "p99_ns", walk_cost_quantile_ns(cost, 990));
	(void)buf_putc(ret, '}');
}

int report_json(const struct profile *profile, const struct report_options *options,
		struct buf *ret, struct err *err)
{
	struct report_context context = { .profile = profile };
	struct report_options fixed = *options;
	report_columns columns = { 0 };

	/* the contract's three names first, see put_row() */
	fixed.sort = options->mem_mode ? "comm,dso,symbol," REPORT_ACCESS_SORT : "comm,dso,symbol";
	fixed.fields = NULL;
	fixed.children = !options->mem_mode; /* "total" needs them */
	fixed.group = REPORT_GROUP_NONE;
	fixed.parent = NULL;
	fixed.branches = false;
	if (report_columns_parse(&fixed, &columns, err))
		return err->code;
	report_symbols_init(&context.symbols, profile);
	(void)buf_puts(ret, "{\"cupel\":1,\"command\":[");
	for (size_t i = 0; i < profile->meta.words.count; i++) {
		(void)buf_puts(ret, i ? "," : "");
		(void)buf_put_json(ret, profile_string(profile, profile->meta.words.item[i]));
	}
	(void)buf_puts(ret, "],");
	put_host(profile, ret);
	(void)buf_putc(ret, ',');
	put_number(ret, "duration_ns", profile->meta.duration_ns);
	(void)buf_putc(ret, ',');
	put_missing(profile, ret);
	(void)buf_puts(ret, ",\"events\":[");
	for (size_t e = 0; e < profile->events.count; e++) {
		(void)buf_puts(ret, e ? "," : "");
		put_event(&context, &fixed, &columns, (uint16_t)e, ret);
	}
	(void)buf_puts(ret, "],\"self\":{");
	put_number(ret, "cpu_ns", profile->meta.self_cpu_ns);
	(void)buf_putc(ret, ',');
	put_number(ret, "peak_rss_bytes", profile->meta.self_peak_rss_bytes);
	put_walks(&profile->meta.walks, ret);
	(void)buf_puts(ret, "}}\n");
	report_symbols_done(&context.symbols);
	vec_done(&columns);
	return 0;
}

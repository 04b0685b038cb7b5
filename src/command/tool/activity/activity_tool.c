/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the tools over activities share (see activity_tool.h). */
#include "command/tool/activity/activity_tool.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "command/tool/activity/dns_column.h"
#include "command/tool/probe_tool.h"
#include "event/event.h"
#include "symbol/kernel/kallsyms_cache.h"
#include "view/latency/bucket_rows.h"

#define DEFAULT_MIN_MS 10
#define SECOND	       1000000000u
#define BUCKETS	       64

const struct option_def activity_thread_rows[] = {
	{ "pid", 'p', OPT_STR, "LIST", ACTIVITY(tool.threads.pids), "only these processes" },
	{ "tid", 0, OPT_STR, "LIST", ACTIVITY(tool.threads.tids), "only these threads" },
	{ "comm", 0, OPT_STR, "NAME", ACTIVITY(tool.threads.comm), "only threads with this name" },
	{ "cgroup", 0, OPT_STR, "PATH", ACTIVITY(tool.threads.cgroup),
	  "only threads in this cgroup (version 2) or below it" },
	{ .type = OPT_END },
};

const struct option_def activity_output_rows[] = {
	{ "duration", 0, OPT_DURATION, "TIME", ACTIVITY(tool.duration_ns),
	  "stop after this time (10s, 500ms)" },
	{ "json", 0, OPT_FLAG, NULL, ACTIVITY(tool.json),
	  "print JSON, one line per interval or event" },
	{ "heatmap", 0, OPT_OUTPUT, "FILE", ACTIVITY(tool.heat_map),
	  "write a heat map of times over time to FILE (.svg, or a page: .html)" },
	{ .type = OPT_END },
};

static const struct activity_run *self_of(const struct tool_run *run)
{
	return (const struct activity_run *)run;
}

static int parse_min_ms(struct option_words words, struct activity_rules *rules, struct err *err)
{
	double ms = DEFAULT_MIN_MS;

	if (words.argc > 1)
		return command_usage(err, "unexpected argument '%s'", words.argv[1]);
	if (words.argc && option_parse_number(OPT_DOUBLE, words.argv[0], &ms, err))
		return EXIT_STATUS_USAGE;
	if (!(ms >= 0 && ms < 1e9))
		return command_usage(err, "invalid value '%s': expected milliseconds",
				     words.argv[0]);
	rules->min_ns = (uint64_t)(ms * 1e6);
	return 0;
}

/* Takes the program behind "--" from the words. */
static int take_program(struct activity_run *self, struct option_words *words, struct err *err)
{
	const struct tool_threads *threads = &self->options->tool.threads;

	for (int i = 0; i < words->argc; i++) {
		if (strcmp(words->argv[i], "--") != 0)
			continue;
		if (i + 1 == words->argc)
			return command_usage(err, "missing program after --");
		if (threads->pids || threads->tids)
			return command_usage(err, "a program cannot be combined with -p and --tid");
		self->run.watch.argv = words->argv + i + 1;
		self->run.watch.options.system_wide = false;
		words->argc = i;
	}
	return 0;
}

static int parse_words(struct activity_run *self, struct option_words words, struct err *err)
{
	struct tool_interval *interval = &self->run.interval;
	uint64_t map_ns = self->options->tool.heat_map ? self->tool->tool.map_column_ns : 0;
	int code;

	if (self->tool->words == ACTIVITY_MIN_MS)
		return parse_min_ms(words, &self->choice.rules, err);
	if (self->tool->words == ACTIVITY_NO_WORDS)
		return words.argc ? command_usage(err, "unexpected argument '%s'", words.argv[0])
				  : 0;
	code = tool_interval_parse(words, map_ns, interval, err);
	if (code)
		return code;
	if (self->options->interval_ns) {
		interval->ns = self->options->interval_ns;
		interval->prints = true;
	}
	if (self->tool->words == ACTIVITY_EVERY_SECOND && !interval->prints) {
		interval->ns = SECOND;
		interval->prints = true;
	}
	return 0;
}

int activity_set_up(struct tool_run *run, struct option_words words, struct err *err)
{
	struct activity_run *self = (struct activity_run *)run;
	struct activity_choice *choice = &self->choice;
	int code;

	self->tool = (const struct activity_tool *)run->tool;
	self->options = run->options;
	choice->rules = self->tool->rules;
	choice->rules.own_pid = (uint32_t)getpid();
	choice->rules.sums = self->tool->tool.print != NULL;
	run->watch.options.activity = choice;
	code = take_program(self, &words, err);
	if (!code)
		code = parse_words(self, words, err);
	if (!code && self->tool->choose)
		code = self->tool->choose(self->options, choice, err);
	if (!code && self->options->dns && dns_column_open(&self->dns, err))
		code = -1;
	if (!code)
		code = probe_tool_user(self->options->user, &run->watch.options.uid_plus_one, err);
	if (!code && (choice->rules.with_stack || choice->rules.kinds >> ACTIVITY_DROP & 1)) {
		struct err ignored = { 0 }; /* addresses are shown then */

		self->has_kernel = !kallsyms_read_running(&self->kernel, &ignored);
	}
	return code;
}

void activity_put_head(const struct tool_run *run, struct buf *out)
{
	const struct activity_run *self = self_of(run);
	const struct activity_tool *tool = self->tool;

	if (tool->tool.tracing)
		(void)buf_printf(out, "%s... Hit Ctrl-C to end.\n", tool->tool.tracing);
	if (tool->put_first)
		tool->put_first(self, out);
	if (!tool->tool.print)
		activity_put_heads(self, out);
}

void activity_take(struct tool_run *run, const struct event *event)
{
	struct activity_run *self = (struct activity_run *)run;
	const struct activity *from = event->own.data;

	if (self->tool->wants && !self->tool->wants(self->options, from))
		return;
	if (self->tool->tool.print) {
		vec_push(&self->rows, *from);
		if (self->tool->reduce)
			self->tool->reduce(&self->rows.item[self->rows.count - 1]);
		return;
	}
	if (self->dns)
		dns_column_read(self->dns);
	if (!self->start_ns)
		self->start_ns = from->time_ns;
	tool_map_add(run, from->time_ns, from->ns);
	(void)tool_time(self->time);
	if (!self->options->tool.json) {
		activity_put_line(self, from, &run->out);
		return;
	}
	(void)buf_printf(&run->out, "{\"cupel\":1,\"tool\":\"%s\",\"time_ns\":%" PRIu64 ",",
			 self->tool->name, from->time_ns);
	activity_put_json(self, from, &run->out);
	(void)buf_puts(&run->out, "}\n");
}

void activity_draw(struct tool_run *run, uint64_t time_ns)
{
	struct activity_run *self = (struct activity_run *)run;

	for (size_t i = 0; i < self->rows.count; i++) {
		const struct activity *row = &self->rows.item[i];
		uint64_t ns = row->count ? row->ns / row->count : 0;

		latency_map_add(&run->map, time_ns, latency_map_row(ns / 1000), row->count);
	}
}

/* Fields of the key, but for the bucket. */
static int compare_sections(const void *a, const void *b, void *context)
{
	const struct activity *left = a, *right = b;
	const struct activity_rules *rules = context;
	int order = 0;

	if (rules->by & ACTIVITY_BY_TEXT)
		order = memcmp(left->text, right->text, ACTIVITY_KEY_TEXT);
	if (!order)
		order = strcmp(left->comm, right->comm);
	if (!order)
		order = left->pid != right->pid ? (left->pid > right->pid ? 1 : -1) : 0;
	if (!order)
		order = left->tid != right->tid ? (left->tid > right->tid ? 1 : -1) : 0;
	if (!order)
		order = (int)left->operation - (int)right->operation;
	for (size_t i = 0; !order && i < ACTIVITY_NUMBERS; i++)
		if (rules->by >> i & 1 && left->number[i] != right->number[i])
			order = left->number[i] > right->number[i] ? 1 : -1;
	return order;
}

static int compare_keys(const void *a, const void *b, void *context)
{
	const struct activity *left = a, *right = b;
	int order = compare_sections(a, b, context);

	return order ? order : (int)left->bucket - (int)right->bucket;
}

/* Sums of one key that came in several looks become one. */
static void merge(struct activity_run *self)
{
	struct activity *row = self->rows.item;
	struct activity_rules *rules = &self->choice.rules;
	size_t count = 0;

	if (!self->rows.count)
		return;
	qsort_r(row, self->rows.count, sizeof(*row), compare_keys, rules);
	for (size_t i = 1; i < self->rows.count; i++) {
		if (compare_keys(&row[count], &row[i], rules)) {
			row[++count] = row[i];
			continue;
		}
		row[count].count += row[i].count;
		row[count].ns += row[i].ns;
		for (size_t n = 0; n < ACTIVITY_NUMBERS; n++)
			if (rules->summed >> n & 1)
				row[count].number[n] += row[i].number[n];
	}
	self->rows.count = count + 1;
}

static int by_count(const void *a, const void *b)
{
	uint64_t left = ((const struct activity *)a)->count,
		 right = ((const struct activity *)b)->count;

	return left == right ? 0 : left < right ? 1 : -1;
}

static void put_screen(const struct activity_run *self, struct buf *out)
{
	char load[128] = "";
	FILE *file;

	(void)buf_putc(out, '\n');
	if (self->options->no_summary)
		return;
	file = fopen("/proc/loadavg", "re");
	if (file && !fgets(load, sizeof(load), file))
		load[0] = '\0';
	if (file)
		(void)fclose(file);
	(void)buf_printf(out, "%-8s loadavg: %s", self->time, load[0] ? load : "?\n");
}

static void print_table(struct activity_run *self, struct buf *out)
{
	const struct activity_tool *tool = self->tool;
	uint64_t most = self->options->max_rows ? self->options->max_rows : tool->rows;
	const char *comma = "";

	if (tool->always && !self->rows.count)
		vec_push(&self->rows, (struct activity){ 0 });
	if (self->rows.count)
		qsort(self->rows.item, self->rows.count, sizeof(*self->rows.item),
		      tool->choose_order ? tool->choose_order(self->options)
		      : tool->order	 ? tool->order
					 : by_count);
	if (!self->options->tool.json) {
		if (tool->screens)
			put_screen(self, out);
		if (tool->put_above)
			tool->put_above(self, out);
		if (tool->screens || tool->put_above || !self->headed)
			activity_put_heads(self, out);
		self->headed = true;
		for (size_t i = 0; i < self->rows.count && (!most || i < most); i++)
			activity_put_line(self, &self->rows.item[i], out);
		return;
	}
	(void)buf_printf(out, "{\"cupel\":1,\"tool\":\"%s\",\"rows\":[", tool->name);
	for (size_t i = 0; i < self->rows.count; i++) {
		(void)buf_printf(out, "%s{", comma);
		activity_put_json(self, &self->rows.item[i], out);
		(void)buf_putc(out, '}');
		comma = ",";
	}
	(void)buf_puts(out, "]}\n");
}

static const char *section_of(const struct activity_run *self)
{
	return self->tool->choose_section ? self->tool->choose_section(self->options)
					  : self->tool->section;
}

static const char *unit_of(const struct activity_run *self)
{
	return self->options->milliseconds  ? "msecs"
	       : self->options->nanoseconds ? "nsecs"
					    : self->tool->unit;
}

struct section {
	const struct activity *first;
	struct bucket_row row[BUCKETS];
	uint64_t count, total;
};

static void put_section(const struct activity_run *self, const struct section *section,
			struct buf *out)
{
	const struct activity_tool *tool = self->tool;
	const char *name = section_of(self);

	if (name && tool->sections_are_stacks) {
		tool->put_section(self, NULL, section->first, out);
	} else if (name) {
		(void)buf_printf(out, "\n%s = ", name);
		tool->put_section(self, NULL, section->first, out);
		(void)buf_putc(out, '\n');
	}
	bucket_rows_text(unit_of(self), section->row, BUCKETS, out);
	if (self->options->totals && section->count)
		(void)buf_printf(
			out, "\navg = %" PRIu64 " %s, total: %" PRIu64 " %s, count: %" PRIu64 "\n",
			section->total / section->count, unit_of(self), section->total,
			unit_of(self), section->count);
}

static void put_section_json(const struct activity_run *self, const struct section *section,
			     struct buf *out)
{
	const struct activity_tool *tool = self->tool;
	const char *name = section_of(self);
	struct buf title = { 0 };

	(void)buf_putc(out, '{');
	if (name) {
		(void)buf_puts(&title, "");
		tool->put_section(self, NULL, section->first, &title);
		(void)buf_printf(out, "\"%s\":", name);
		(void)buf_put_json(out, title.data);
		(void)buf_putc(out, ',');
	}
	(void)buf_printf(out,
			 "\"count\":%" PRIu64 ",\"total\":%" PRIu64 ",\"buckets\":", section->count,
			 section->total);
	bucket_rows_json(section->row, BUCKETS, out);
	(void)buf_putc(out, '}');
	buf_done(&title);
}

static void clear_section(struct section *section, const struct activity *first)
{
	memset(section, 0, sizeof(*section));
	section->first = first;
	for (size_t i = 0; i < BUCKETS; i++) {
		section->row[i].from = i ? UINT64_C(1) << i : 0;
		section->row[i].to = (UINT64_C(2) << i) - 1;
	}
}

static void print_distributions(struct activity_run *self, struct buf *out)
{
	const struct activity_rules *rules = &self->choice.rules;
	const char *comma = "";
	bool json = self->options->tool.json;
	uint64_t unit = rules->unit ? rules->unit : 1;

	if (json)
		(void)buf_printf(out,
				 "{\"cupel\":1,\"tool\":\"%s\",\"unit\":\"%s\",\"histograms\":[",
				 self->tool->name, unit_of(self));
	for (size_t i = 0; i < self->rows.count;) {
		const struct activity *first = &self->rows.item[i];
		struct section section;

		clear_section(&section, first);
		for (; i < self->rows.count &&
		       !compare_sections(first, &self->rows.item[i], (void *)rules);
		     i++) {
			const struct activity *row = &self->rows.item[i];

			section.row[row->bucket % BUCKETS].count += row->count;
			section.count += row->count;
			section.total +=
				(rules->distribution == ACTIVITY_OF_NS
					 ? row->ns
					 : row->number[rules->distribution - ACTIVITY_OF_NUMBER]) /
				unit;
		}
		if (json) {
			(void)buf_puts(out, comma);
			comma = ",";
			put_section_json(self, &section, out);
		} else {
			put_section(self, &section, out);
		}
	}
	if (json)
		(void)buf_puts(out, "]}\n");
}

void activity_print(const struct tool_run *run, struct buf *out)
{
	struct activity_run *self = (struct activity_run *)(uintptr_t)run;

	(void)tool_time(self->time);
	merge(self);
	if (self->choice.rules.distribution) {
		if (!self->options->tool.json)
			tool_put_head(self->options->tool.timestamp, out);
		print_distributions(self, out);
	} else {
		print_table(self, out);
	}
	self->rows.count = 0;
}

void activity_done(struct tool_run *run)
{
	struct activity_run *self = (struct activity_run *)run;

	dns_column_close(self->dns);
	vec_done(&self->rows);
	if (self->has_kernel)
		kallsyms_done(&self->kernel);
}

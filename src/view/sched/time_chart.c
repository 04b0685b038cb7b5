/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Time charts (see time_chart.h). A row is a matrix of nanoseconds, columns by doings, that is
 * filled from the spans and then drawn, one path for each doing; rows take turns with one matrix.
 */
#include "view/sched/time_chart.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/fd.h"
#include "base/map.h"
#include "profile/sched/sched_spans.h"
#include "view/sched/time_chart_lanes.h"
#include "view/state_kind.h"

#define DEFAULT_WIDTH 1200u
#define MAX_WIDTH     20000u
#define LEFT	      210
#define LABEL_LETTERS 24 /* of a thread's name, beside its number */
#define RIGHT	      30
#define TOP	      98
#define ROW	      18 /* distance of rows, */
#define FILLED_CPUS   1024
#define BAR	      14 /* and what of it is drawn on */

/* Of state_kind.h, with textures as SVG patterns. */
static size_t kind_of(int doing)
{
	return state_kind_find(sched_doing_text((enum sched_doing)doing));
}

struct row {
	const struct sched_task *task; /* NULL = a CPU's or a lane's */
	uint32_t cpu;
	uint32_t lane; /* + 1; 0 = none */
	uint64_t total[SCHED_DOING_COUNT];
	uint32_t span; /* the first of its spans, + 1; 0 = none */
};

struct chart {
	const struct sched_spans *spans;
	const struct time_chart_options *options;
	struct buf *out;
	uint64_t start_ns, end_ns;
	uint32_t width;
	double column_ns;
	struct row *cpu, *task;
	struct chart_lanes lanes;
	uint64_t *ns;			/* of the row that is drawn: SCHED_DOING_COUNT a column */
	uint32_t *next_cpu, *next_task; /* by span: the next one of that row, + 1 */
	size_t cpus, tasks, shown, left_out;
	uint32_t *row_of_task; /* by sched_task.index: row + 1 */
	bool used[SCHED_DOING_COUNT];
};

/* The busiest first; those with equal times in order of their ids. */
static int compare_busy(const void *a, const void *b)
{
	const struct row *x = a, *y = b;
	uint64_t p = x->total[SCHED_DOING_RUNNING], q = y->total[SCHED_DOING_RUNNING];

	if (p != q)
		return p > q ? -1 : 1;
	return x->task->index < y->task->index ? -1 : x->task->index > y->task->index;
}

static bool clip(const struct chart *chart, const struct sched_span *span, uint64_t *start_ns,
		 uint64_t *end_ns)
{
	*start_ns = span->start_ns > chart->start_ns ? span->start_ns : chart->start_ns;
	*end_ns = span->end_ns < chart->end_ns ? span->end_ns : chart->end_ns;
	return *start_ns < *end_ns;
}

static void list_tasks(struct chart *chart)
{
	const struct sched_spans *spans = chart->spans;
	const struct time_chart_options *o = chart->options;
	uint64_t start_ns, end_ns;

	chart->task = mem_zalloc((spans->present.count + 1) * sizeof(*chart->task));
	chart->row_of_task = mem_zalloc((spans->present.count + 1) * sizeof(*chart->row_of_task));
	for (size_t i = 0; i < spans->present.count; i++) {
		const struct sched_task *task = spans->present.item[i].task;

		if (!task || o->no_tasks || (o->wanted && !o->wanted(o->context, task)))
			continue;
		chart->row_of_task[i] = (uint32_t)chart->tasks + 1;
		chart->task[chart->tasks++].task = task;
	}
	for (size_t i = 0; i < spans->span.count; i++) {
		const struct sched_span *span = &spans->span.item[i];
		uint32_t row = chart->row_of_task[span->task];

		if (row && clip(chart, span, &start_ns, &end_ns))
			chart->task[row - 1].total[span->doing] += end_ns - start_ns;
	}
	if (chart->tasks)
		qsort(chart->task, chart->tasks, sizeof(*chart->task), compare_busy);
	chart->shown = o->max_tasks && o->max_tasks < chart->tasks ? o->max_tasks : chart->tasks;
	while (chart->shown && !chart->task[chart->shown - 1].total[SCHED_DOING_RUNNING])
		chart->shown--; /* omit threads that never ran */
	for (size_t i = chart->shown; i < chart->tasks; i++)
		chart->left_out += chart->task[i].total[SCHED_DOING_RUNNING] != 0;
	memset(chart->row_of_task, 0, (spans->present.count + 1) * sizeof(*chart->row_of_task));
	for (size_t i = 0; i < chart->shown; i++)
		chart->row_of_task[chart->task[i].task->index] = (uint32_t)i + 1;
}

static void fill(struct chart *chart, uint8_t doing, uint64_t start_ns, uint64_t end_ns)
{
	double from = (double)(start_ns - chart->start_ns) / chart->column_ns;
	double to = (double)(end_ns - chart->start_ns) / chart->column_ns;
	size_t first = (size_t)from, last = (size_t)to;

	for (size_t i = first; i <= last && i < chart->width; i++) {
		double low = from > (double)i ? from : (double)i;
		double high = to < (double)(i + 1) ? to : (double)(i + 1);

		if (high > low)
			chart->ns[i * SCHED_DOING_COUNT + doing] +=
				(uint64_t)((high - low) * chart->column_ns);
	}
}

/* CPUs that machines may have, and of higher numbers those that ran something: a number costs
 * nothing to claim. */
static void list_cpus(struct chart *chart, const uint64_t *ran_ns)
{
	for (uint32_t cpu = 0; cpu < chart->spans->cpus; cpu++)
		if (cpu < FILLED_CPUS || ran_ns[cpu])
			chart->cpus++;
	chart->cpu = mem_zalloc((chart->cpus + 1) * sizeof(*chart->cpu));
	chart->cpus = 0;
	for (uint32_t cpu = 0; cpu < chart->spans->cpus; cpu++)
		if (cpu < FILLED_CPUS || ran_ns[cpu])
			chart->cpu[chart->cpus++] =
				(struct row){ .cpu = cpu,
					      .total[SCHED_DOING_RUNNING] = ran_ns[cpu] };
}

/* Rows of CPUs, and each row's spans as a list. */
static void link_spans(struct chart *chart)
{
	size_t count = chart->spans->span.count, cpus = chart->spans->cpus + 1;
	AUTO_FREE uint64_t *ran_ns = mem_zalloc(cpus * sizeof(*ran_ns));
	AUTO_FREE uint32_t *row_of_cpu = mem_zalloc(cpus * sizeof(*row_of_cpu));
	uint64_t start_ns, end_ns;

	chart->next_cpu = mem_zalloc((count + 1) * sizeof(*chart->next_cpu));
	chart->next_task = mem_zalloc((count + 1) * sizeof(*chart->next_task));
	for (size_t i = 0; i < count; i++) {
		const struct sched_span *span = &chart->spans->span.item[i];

		if (span->doing == SCHED_DOING_RUNNING && span->cpu < chart->spans->cpus &&
		    clip(chart, span, &start_ns, &end_ns))
			ran_ns[span->cpu] += end_ns - start_ns;
	}
	if (!chart->options->no_cpus)
		list_cpus(chart, ran_ns);
	for (size_t i = 0; i < chart->cpus; i++)
		row_of_cpu[chart->cpu[i].cpu] = (uint32_t)i + 1;
	for (size_t i = count; i-- > 0;) {
		const struct sched_span *span = &chart->spans->span.item[i];
		uint32_t task = chart->row_of_task[span->task];
		uint32_t cpu = span->cpu < chart->spans->cpus ? row_of_cpu[span->cpu] : 0;

		if (task) {
			chart->next_task[i] = chart->task[task - 1].span;
			chart->task[task - 1].span = (uint32_t)i + 1;
		}
		if (cpu && span->doing == SCHED_DOING_RUNNING) {
			chart->next_cpu[i] = chart->cpu[cpu - 1].span;
			chart->cpu[cpu - 1].span = (uint32_t)i + 1;
		}
	}
}

static void fill_lane(struct chart *chart, struct row *row)
{
	const struct sched_lanes *lanes = &chart->spans->lanes;
	const struct chart_lanes *shown = &chart->lanes;

	for (uint32_t at = shown->first[row->lane - 1]; at; at = shown->next[at - 1]) {
		const struct sched_lane_span *span = &lanes->span.item[at - 1];
		struct chart_lane_part part;

		if (!chart_lanes_part(shown, at - 1, &part))
			continue;
		fill(chart, span->doing, part.start_ns, part.end_ns);
		row->total[span->doing] += part.ns;
	}
}

static void fill_row(struct chart *chart, struct row *row)
{
	const uint32_t *next = row->task ? chart->next_task : chart->next_cpu;
	uint64_t start_ns, end_ns;

	memset(chart->ns, 0, (size_t)chart->width * SCHED_DOING_COUNT * sizeof(*chart->ns));
	if (row->lane) {
		fill_lane(chart, row);
		return;
	}
	for (uint32_t at = row->span; at; at = next[at - 1]) {
		const struct sched_span *span = &chart->spans->span.item[at - 1];

		if (clip(chart, span, &start_ns, &end_ns))
			fill(chart, span->doing, start_ns, end_ns);
	}
}

/* Heights of the doings before and after this one in a column, in tenths of a pixel from below. */
static int height_of(const struct chart *chart, size_t column, int doing, int *ret_below)
{
	const uint64_t *ns = &chart->ns[column * SCHED_DOING_COUNT];
	uint64_t below = 0;

	for (int i = 0; i < doing; i++)
		below += ns[i];
	*ret_below = (int)lround((double)below * BAR * 10 / chart->column_ns);
	return (int)lround((double)(below + ns[doing]) * BAR * 10 / chart->column_ns) - *ret_below;
}

static void put_path(struct chart *chart, int doing, int y)
{
	size_t run = 0;
	int below = 0, height = 0;

	(void)buf_printf(chart->out, "<path fill=\"url(#state%zu)\" d=\"", kind_of(doing));
	for (size_t column = 0; column <= chart->width; column++) {
		int next_below = 0, next = 0;

		if (column < chart->width)
			next = height_of(chart, column, doing, &next_below);
		if (column < chart->width && next == height && next_below == below)
			continue;
		if (height)
			(void)buf_printf(chart->out, "M%zu %.1fh%zuv%.1fh-%zuz", LEFT + run,
					 y + BAR - (below + height) / 10.0, column - run,
					 height / 10.0, column - run);
		run = column;
		below = next_below;
		height = next;
	}
	(void)buf_puts(chart->out, "\"><title>");
}

/* The name of the row, of a thread's name at most so many letters. */
static void put_name(struct chart *chart, const struct row *row, size_t most)
{
	struct buf name = { 0 };

	if (row->lane) {
		chart_lane_name(&chart->spans->lanes, row->lane - 1, most, &name);
	} else if (!row->task) {
		(void)buf_printf(&name, "CPU %" PRIu32, row->cpu);
	} else {
		(void)buf_put_cut(&name, row->task->comm ? row->task->comm : "?", most);
		(void)buf_printf(&name, " %" PRIu32, row->task->tid);
	}
	(void)buf_put_xml(chart->out, name.data, name.len);
	buf_done(&name);
}

/* Of a thread's waits of one kind: what it waited for longest. */
static void put_lock(struct chart *chart, const struct row *row, int doing)
{
	const char *longest = NULL;
	struct map sums = { 0 };
	uint64_t start_ns, end_ns, most_ns = 0;
	bool added;

	for (uint32_t at = row->span; at; at = chart->next_task[at - 1]) {
		const struct sched_span *span = &chart->spans->span.item[at - 1];
		uint64_t *sum;

		if (span->doing != doing || !span->lock || !clip(chart, span, &start_ns, &end_ns))
			continue;
		sum = map_add(&sums, (uintptr_t)span->lock, &added); /* interned */
		*sum += end_ns - start_ns;
		if (*sum > most_ns) {
			most_ns = *sum;
			longest = span->lock;
		}
	}
	map_done(&sums);
	if (!longest)
		return;
	(void)buf_printf(chart->out, ", %.3f ms of it for ", (double)most_ns / 1e6);
	(void)buf_put_xml(chart->out, longest, strlen(longest));
}

/* What it did, how long, and how much. */
static void put_total(struct chart *chart, const struct row *row, int doing)
{
	double whole_ns = (double)(chart->end_ns - chart->start_ns);
	const char *what = row->task || row->lane ? sched_doing_text((enum sched_doing)doing)
						  : "busy";

	(void)buf_printf(chart->out, ": %s", what);
	if (!row->lane || chart_lane_has_times(&chart->spans->lanes, row->lane - 1))
		(void)buf_printf(chart->out, " %.3f ms (%.1f %%)", (double)row->total[doing] / 1e6,
				 100 * (double)row->total[doing] / whole_ns);
	if (row->lane)
		chart_lane_put_amount(&chart->lanes, row->lane - 1, (uint8_t)doing, chart->out);
	if (row->task)
		put_lock(chart, row, doing);
	(void)buf_puts(chart->out, "</title></path>\n");
}

static void put_row(struct chart *chart, struct row *row, int y)
{

	fill_row(chart, row);
	(void)buf_printf(chart->out, "<g><text x=\"%d\" y=\"%d\" text-anchor=\"end\">", LEFT - 8,
			 y + BAR - 3);
	put_name(chart, row, LABEL_LETTERS);
	(void)buf_printf(chart->out,
			 "</text><rect x=\"%d\" y=\"%d\" width=\"%" PRIu32
			 "\" height=\"%d\" fill=\"#f6f7f8\" class=\"bar\"/>\n",
			 LEFT, y, chart->width, BAR);
	for (int doing = 0; doing < SCHED_DOING_COUNT; doing++) {
		if (!row->total[doing])
			continue;
		chart->used[doing] = true;
		put_path(chart, doing, y);
		put_name(chart, row, SIZE_MAX);
		put_total(chart, row, doing);
	}
	(void)buf_puts(chart->out, "</g>\n");
}

/* A step of 1, 2 or 5 times a power of ten that gives about ten marks. */
static double step_of(double seconds)
{
	double power = pow(10, floor(log10(seconds / 10)));
	double ratio = seconds / 10 / power;

	return power * (ratio > 5 ? 10 : ratio > 2 ? 5 : ratio > 1 ? 2 : 1);
}

static void put_axis(struct chart *chart, int bottom)
{
	double seconds = (double)(chart->end_ns - chart->start_ns) / 1e9, step = step_of(seconds);
	bool small = seconds < 0.1;

	for (double at = 0; at <= seconds; at += step) {
		double x = LEFT + at / seconds * chart->width;

		(void)buf_printf(chart->out,
				 "<path d=\"M%.1f %dV%d\" stroke=\"#000\" opacity=\".12\" "
				 "class=\"mark\"/>"
				 "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%.6g %s"
				 "</text>\n",
				 x, TOP - 4, bottom, x, TOP - 8, small ? at * 1e3 : at,
				 small ? "ms" : "s");
	}
}

/* In two lines if one is too short. */
static void put_legend(struct chart *chart)
{
	int right = LEFT + (int)chart->width, x = LEFT, y = 56;

	for (int doing = 0; doing < SCHED_DOING_COUNT; doing++)
		x += chart->used[doing]
			     ? 30 + (int)strlen(sched_doing_text((enum sched_doing)doing)) * 6
			     : 0;
	y -= x > right ? 8 : 0;
	x = LEFT;
	for (int doing = 0; doing < SCHED_DOING_COUNT; doing++) {
		const char *text = sched_doing_text((enum sched_doing)doing);

		if (!chart->used[doing])
			continue;
		if (x > LEFT && y < 56 && x + 16 + (int)strlen(text) * 6 > right) {
			x = LEFT;
			y += 16;
		}
		(void)buf_printf(chart->out,
				 "<rect x=\"%d\" y=\"%d\" width=\"12\" height=\"12\" "
				 "fill=\"url(#state%zu)\"/>"
				 "<text x=\"%d\" y=\"%d\">%s</text>\n",
				 x, y, kind_of(doing), x + 16, y + 10, text);
		x += 30 + (int)strlen(text) * 6;
	}
}

/* Rows of lanes, from one to another. */
static int put_lanes(struct chart *chart, size_t from, size_t to, int y)
{
	y += from < to && y > TOP ? ROW / 2 : 0;
	for (size_t i = from; i < to; i++, y += ROW) {
		struct row row = { .lane = chart->lanes.shown.item[i] + 1 };

		put_row(chart, &row, y);
	}
	return y;
}

static void put_rows(struct chart *chart)
{
	int y = TOP;

	for (size_t i = 0; i < chart->cpus; i++, y += ROW)
		put_row(chart, &chart->cpu[i], y);
	y = put_lanes(chart, 0, chart->lanes.machine, y);
	y += y > TOP && chart->shown ? ROW / 2 : 0;
	for (size_t i = 0; i < chart->shown; i++, y += ROW)
		put_row(chart, &chart->task[i], y);
	y = put_lanes(chart, chart->lanes.machine, chart->lanes.shown.count, y);
	put_axis(chart, y);
	if (chart->left_out)
		(void)buf_printf(chart->out,
				 "<text x=\"%d\" y=\"%d\" fill=\"#595959\" class=\"note\">%zu less "
				 "busy thread%s not shown</text>\n",
				 LEFT, y + 14, chart->left_out,
				 chart->left_out == 1 ? " is" : "s are");
	put_legend(chart);
}

/* Attributes have the light colours: viewers without style sheets show those. */
static const char dark_style[] =
	"<style>svg{color-scheme:light dark}@media(prefers-color-scheme:dark){svg{fill:#eee}"
	".back{fill:#1b1d20}.bar{fill:#2a2d31}.note{fill:#a8a8a8}.mark{stroke:#fff;opacity:.2}}"
	"</style>\n";

static void put_head(struct chart *chart)
{
	const struct time_chart_options *o = chart->options;
	int width = LEFT + (int)chart->width + RIGHT;
	size_t rows = chart->cpus + chart->shown + chart->lanes.shown.count;
	int height = TOP + (int)(rows + 3) * ROW;

	(void)buf_puts(chart->out, "<?xml version=\"1.0\" standalone=\"no\"?>\n");
	(void)buf_printf(
		chart->out,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
		"viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" font-size=\"11\">\n<title>",
		width, height, width, height);
	(void)buf_put_xml(chart->out, o->title, strlen(o->title));
	(void)buf_printf(chart->out,
			 "%s</title>\n%s<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\" "
			 "class=\"back\"/>\n"
			 "<text x=\"%d\" y=\"24\" font-size=\"16\">",
			 strcasecmp(o->title, "time chart") == 0 ? "" : " \xc2\xb7 time chart",
			 dark_style, LEFT);
	(void)buf_put_xml(chart->out, o->title, strlen(o->title));
	(void)buf_puts(chart->out, "</text>\n");
	if (o->about) {
		(void)buf_printf(chart->out,
				 "<text x=\"%d\" y=\"42\" fill=\"#595959\" class=\"note\">", LEFT);
		(void)buf_put_xml(chart->out, o->about, strlen(o->about));
		(void)buf_puts(chart->out, "</text>\n");
	}
	state_kinds_put_svg(chart->out);
	(void)buf_printf(chart->out,
			 "<text x=\"%d\" y=\"24\" text-anchor=\"end\" "
			 "fill=\"#595959\" class=\"note\">%.3f s",
			 LEFT + (int)chart->width, (double)(chart->end_ns - chart->start_ns) / 1e9);
	if (chart->spans->lost)
		(void)buf_printf(chart->out, ", %" PRIu64 " events lost", chart->spans->lost);
	(void)buf_puts(chart->out, "</text>\n");
}

static void chart_done(struct chart *chart)
{
	free(chart->ns);
	free(chart->next_cpu);
	free(chart->next_task);
	free(chart->cpu);
	free(chart->task);
	free(chart->row_of_task);
	chart_lanes_done(&chart->lanes);
}

void time_chart(const struct sched_spans *spans, const struct time_chart_options *options,
		struct buf *ret)
{
	struct chart chart = { .spans = spans, .options = options, .out = ret };

	time_chart_range(spans, options, &chart.start_ns, &chart.end_ns);
	chart.width = options->width ? options->width : DEFAULT_WIDTH;
	chart.width = chart.width < MAX_WIDTH ? chart.width : MAX_WIDTH;
	chart.column_ns = (double)(chart.end_ns - chart.start_ns) / chart.width;
	chart.ns = mem_alloc((size_t)chart.width * SCHED_DOING_COUNT * sizeof(*chart.ns));
	list_tasks(&chart);
	link_spans(&chart);
	chart_lanes_make(spans, options, &chart.lanes);
	chart.left_out += chart.lanes.left_out;
	put_head(&chart);
	put_rows(&chart);
	(void)buf_puts(ret, "</svg>\n");
	chart_done(&chart);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A comparison in words and tables (see diff_text.h). */
#include "view/diff/diff_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "profile/diff/diff.h"

#define DEFAULT_LIMIT 25

/* A row of a table: a function, or a path. */
struct row {
	const struct diff_amount *amount;
	uint32_t id; /* label or node */
};

typedef VEC(struct row) row_list;

struct text {
	const struct diff *diff;
	const struct diff_text_options *options;
	struct buf *out;
};

/* With as many decimals as there is something to see. */
static void put_percent(struct buf *out, double share, int width)
{
	double percent = fabs(share) * 100;
	int decimals = percent == 0 || percent >= 0.1 ? 2 : percent >= 0.01 ? 3 : 4;

	(void)buf_printf(out, "%*.*f", width, decimals, share * 100);
}

static void put_signed(struct buf *out, double share, int width)
{
	double percent = fabs(share) * 100;
	int decimals = percent == 0 || percent >= 0.1 ? 2 : percent >= 0.01 ? 3 : 4;

	(void)buf_printf(out, "%+*.*f", width, decimals, share * 100);
}

static void put_q(struct buf *out, double q)
{
	if (q < 1e-9)
		(void)buf_printf(out, "%8s", "<1e-9");
	else
		(void)buf_printf(out, q < 0.001 ? "%8.0e" : "%8.3f", q);
}

static void put_path(const struct text *text, uint32_t id)
{
	const struct diff *diff = text->diff;
	VEC(uint32_t) path = { 0 };

	for (; id; id = diff->nodes.item[id].parent)
		vec_push(&path, diff->nodes.item[id].label);
	while (path.count) {
		uint32_t label = path.item[--path.count];

		(void)buf_put_tidy(text->out,
				   strtab_get(diff->names, diff->labels.item[label].name));
		(void)buf_puts(text->out, path.count ? ";" : "");
	}
	vec_done(&path);
}

static const char *remark(const struct diff_amount *amount)
{
	if (!amount->weight[0])
		return "new";
	return amount->weight[1] ? "" : "gone";
}

static void put_row(const struct text *text, const struct diff_family *family,
		    const struct row *row)
{
	const struct share_change *change = &row->amount->change;
	struct buf *out = text->out;
	double interval[2];

	diff_interval(family, row->amount, interval);
	put_percent(out, change->share[0], 8);
	put_percent(out, change->share[1], 8);
	put_signed(out, diff_delta(row->amount), 9);
	if (family->undecided) {
		(void)buf_printf(out, " %17s", "");
	} else {
		(void)buf_puts(out, " [");
		put_signed(out, interval[0], 7);
		(void)buf_puts(out, ",");
		put_signed(out, interval[1], 7);
		(void)buf_puts(out, "]");
	}
	if (change->share[0] > 0 && change->share[1] > 0)
		(void)buf_printf(out, "  x%-5.2f", change->share[1] / change->share[0]);
	else
		(void)buf_printf(out, "  %-6s", remark(row->amount));
	if (family->undecided)
		(void)buf_printf(out, "%8s", "");
	else
		put_q(out, change->q);
	(void)buf_puts(out,
		       diff_is_significant(family, row->amount) || family->undecided ? "  " : " ~");
	if (text->options->paths)
		put_path(text, row->id);
	else
		(void)buf_put_tidy(
			out, strtab_get(text->diff->names, text->diff->labels.item[row->id].name));
	(void)buf_putc(out, '\n');
}

/* Largest change first. */
static int compare_rows(const void *pa, const void *pb)
{
	const struct row *a = pa, *b = pb;
	double da = fabs(diff_delta(a->amount)), db = fabs(diff_delta(b->amount));

	if (da != db)
		return da > db ? -1 : 1;
	return (a->id > b->id) - (a->id < b->id);
}

static void put_table(const struct text *text, const struct diff_family *family,
		      const char *heading, row_list *rows)
{
	size_t limit = text->options->limit ? text->options->limit : DEFAULT_LIMIT;

	if (!rows->count)
		return;
	qsort(rows->item, rows->count, sizeof(*rows->item), compare_rows);
	(void)buf_printf(text->out,
			 "\n%s\n before%%  after%%   change          interval  "
			 "factor       q  %s\n",
			 heading, text->options->paths ? "path" : "function");
	for (size_t i = 0; i < rows->count && i < limit; i++)
		put_row(text, family, &rows->item[i]);
	if (rows->count > limit)
		(void)buf_printf(text->out, "(%zu more)\n", rows->count - limit);
}

static void offer(const struct text *text, const struct diff_family *family, row_list *rows,
		  struct row row)
{
	if (!row.amount->weight[0] && !row.amount->weight[1])
		return;
	if (text->options->all || family->undecided || diff_is_significant(family, row.amount))
		vec_push(rows, row);
}

static void put_functions(const struct text *text, bool self)
{
	const struct diff *diff = text->diff;
	row_list rows = { 0 };

	for (uint32_t id = 0; id < diff->labels.count; id++)
		offer(text, &diff->functions, &rows,
		      (struct row){ self ? &diff->labels.item[id].self
					 : &diff->labels.item[id].inclusive,
				    id });
	put_table(text, &diff->functions,
		  self ? "Functions, by self share" : "Functions, including callees", &rows);
	vec_done(&rows);
}

/* Of frames that always occur together only the innermost is shown. */
static void put_paths(const struct text *text, bool self)
{
	const struct diff *diff = text->diff;
	row_list rows = { 0 };

	for (uint32_t id = 1; id < diff->nodes.count; id++) {
		const struct diff_node *node = &diff->nodes.item[id];
		bool link = node->first_child && !diff->nodes.item[node->first_child].next_sibling;

		if (!self && link && !node->self.weight[0] && !node->self.weight[1])
			continue;
		offer(text, &diff->paths, &rows,
		      (struct row){ self ? &node->self : &node->inclusive, id });
	}
	put_table(text, &diff->paths, self ? "Paths, by self share" : "Paths, including callees",
		  &rows);
	vec_done(&rows);
}

/* Texts call any weight samples; a number of samples that is not that of samples is none. */
static void put_weight(const struct text *text, const struct diff_total *total)
{
	const char *unit = strtab_get(text->diff->names, text->diff->unit);
	double weight = (double)total->weight / text->diff->scale;

	if (text->diff->scale == 1 && event_unit_of_name(unit) <= EVENT_UNIT_SAMPLES)
		(void)buf_printf(text->out, ", weight %.6g", weight);
	else
		(void)buf_printf(text->out, ", %.6g %s", weight, unit);
}

static void put_side(const struct text *text, const char *name, const char *what, int side)
{
	const struct diff_total *total = &text->diff->total[side];

	(void)buf_printf(text->out, "%s ", name);
	(void)buf_put_tidy(text->out, what);
	if (total->sums.runs > 1)
		(void)buf_printf(text->out, ", %u runs", total->sums.runs);
	if (!text->diff->uncounted)
		(void)buf_printf(text->out, ", %llu samples", (unsigned long long)total->samples);
	if (text->diff->uncounted || total->weight != total->samples)
		put_weight(text, total);
	if (total->sums.blocks)
		(void)buf_printf(text->out, ", %u blocks of time", total->sums.blocks);
	(void)buf_putc(text->out, '\n');
}

/* How the spread was found, and what could have been seen. */
static void put_power(const struct text *text, const struct diff_family *family)
{
	const struct diff *diff = text->diff;
	struct side_sums side[2] = { diff->total[0].sums, diff->total[1].sums };

	if (diff->spread > 1.005)
		(void)buf_printf(text->out,
				 "samples scatter %.1f times as much as independent samples\n",
				 diff->spread);
	(void)buf_puts(text->out, "detectable (power 80%): a new or gone frame from ");
	put_percent(text->out, share_detectable(side, family->p_level, diff->spread), 0);
	(void)buf_puts(text->out, "%, a change of 1% from ");
	put_percent(text->out, share_detectable_change(side, 0.01, family->p_level, diff->spread),
		    0);
	(void)buf_puts(text->out, " points, of 10% from ");
	put_percent(text->out, share_detectable_change(side, 0.1, family->p_level, diff->spread),
		    0);
	(void)buf_puts(text->out, " points\n");
}

void diff_text(const struct diff *diff, const struct diff_text_options *options, struct buf *ret)
{
	struct text text = { .diff = diff, .options = options, .out = ret };
	const struct diff_family *family = options->paths ? &diff->paths : &diff->functions;

	(void)buf_puts(ret, "event  ");
	(void)buf_put_tidy(ret, strtab_get(diff->names, diff->event));
	(void)buf_putc(ret, '\n');
	put_side(&text, "before", options->before, DIFF_BEFORE);
	put_side(&text, "after ", options->after, DIFF_AFTER);
	if (diff->undecided.v) {
		(void)buf_printf(ret, "no verdicts: %s\n",
				 strtab_get(diff->names, diff->undecided));
	} else {
		(void)buf_printf(
			ret, "%zu of %zu tests of %s changed, at a false discovery rate of %g%%\n",
			family->found, family->tests, options->paths ? "paths" : "functions",
			diff->rate * 100);
		put_power(&text, family);
	}
	for (int self = 0; self < 2; self++) {
		if (options->paths)
			put_paths(&text, self);
		else
			put_functions(&text, self);
	}
}

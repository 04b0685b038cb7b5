/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Contents of pages and pictures of a comparison besides the tree (see diff_facts.h). Numbers are
 * rounded to what a screen can show, so that they compress. */
#include "view/diff/diff_facts.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "profile/diff/diff.h"
#include "view/diff/diff_page.h"
#include "view/diff/diff_tree.h"

#define OF_ONE 4 /* columns of the frame with what it called; as many of itself */

/* 11 bits of precision; keeps whether an interval contains 0. */
static float rounded(double value)
{
	float single = (float)value;
	uint32_t bits;

	memcpy(&bits, &single, sizeof(bits));
	bits &= 0xfffff000u;
	memcpy(&single, &bits, sizeof(single));
	return single;
}

static void fill(const struct diff *diff, const struct diff_amount *amount, size_t at,
		 float *const *values)
{
	double interval[2];

	diff_interval(&diff->paths, amount, interval);
	values[0][at] = rounded(diff_delta(amount));
	values[1][at] = rounded(interval[0]);
	values[2][at] = rounded(interval[1]);
	values[3][at] = rounded(amount->change.q);
}

void diff_columns_make(const struct diff *diff, const struct diff_tree *tree,
		       struct diff_columns *ret)
{
	static const char *const names[DIFF_COLUMNS] = {
		"delta", "low", "high", "q", "selfDelta", "selfLow", "selfHigh", "selfQ"
	};

	for (int i = 0; i < DIFF_COLUMNS; i++) {
		ret->values[i] = mem_alloc(tree->flame.nodes.count * sizeof(float));
		ret->column[i] = (struct flame_column){ names[i], ret->values[i] };
	}
	for (size_t at = 0; at < tree->flame.nodes.count; at++) {
		fill(diff, &tree->node[at]->inclusive, at, ret->values);
		fill(diff, &tree->node[at]->self, at, ret->values + OF_ONE);
	}
}

void diff_columns_done(struct diff_columns *columns)
{
	for (int i = 0; i < DIFF_COLUMNS; i++)
		free(columns->values[i]);
}

static void put_member(struct buf *out, const char *name, const char *text)
{
	(void)buf_printf(out, ",\"%s\":", name);
	(void)buf_put_json(out, text);
}

static void put_side(const struct diff *diff, const char *name, int side, struct buf *out)
{
	const struct diff_total *total = &diff->total[side];

	(void)buf_printf(out, "%s: %s, %llu samples", side ? "after" : "before", name,
			 (unsigned long long)total->samples);
	if (total->sums.runs > 1)
		(void)buf_printf(out, " in %u runs", total->sums.runs);
	(void)buf_puts(out, side ? "" : " \xc2\xb7 ");
}

const char *diff_count_name(const struct diff *diff)
{
	const char *unit = strtab_get(diff->names, diff->unit);

	return diff->by_samples || !*unit ? "samples" : unit;
}

const char *diff_title(const struct diff_page_options *options)
{
	return options->title ? options->title : "Differential Flame Graph";
}

void diff_facts_sides(const struct diff *diff, const struct diff_page_options *options,
		      struct buf *out)
{
	put_side(diff, options->before, DIFF_BEFORE, out);
	put_side(diff, options->after, DIFF_AFTER, out);
}

void diff_facts_found(const struct diff *diff, struct buf *out)
{
	(void)buf_printf(out,
			 "%s \xc2\xb7 %zu of %zu tests of paths changed, at a false discovery rate "
			 "of %g%% \xc2\xb7 new or gone frames are detectable from %.2g%%",
			 strtab_get(diff->names, diff->event), diff->paths.found, diff->paths.tests,
			 diff->rate * 100, diff->detectable_share * 100);
}

void diff_facts_warnings(const struct diff_page_options *options, struct buf *out)
{
	const char *warnings = options->warnings ? options->warnings : "";

	for (const char *s = warnings; *s; s++)
		if (*s != '\n')
			(void)buf_putc(out, *s);
		else if (s[1])
			(void)buf_puts(out, " \xc2\xb7 ");
}

static void put_about(const struct diff *diff, const struct diff_page_options *options,
		      struct buf *out)
{
	struct buf text = { 0 };

	diff_facts_sides(diff, options, &text);
	put_member(out, "subtitle", text.data);
	buf_clear(&text);
	diff_facts_found(diff, &text);
	put_member(out, "about", text.data);
	buf_clear(&text);
	diff_facts_warnings(options, &text);
	if (text.len)
		put_member(out, "missing", text.data);
	buf_done(&text);
}

/* Names of the functions that changed. */
static void put_changed(const struct diff *diff, const char *key, bool self, struct buf *out)
{
	const char *comma = "";

	(void)buf_printf(out, "\"%s\":[", key);
	for (size_t i = 0; i < diff->labels.count; i++) {
		const struct diff_label *label = &diff->labels.item[i];

		if (!diff_is_significant(&diff->functions, self ? &label->self : &label->inclusive))
			continue;
		(void)buf_puts(out, comma);
		(void)buf_put_json(out, strtab_get(diff->names, label->name));
		comma = ",";
	}
	(void)buf_putc(out, ']');
}

static double effective(const struct diff_total *total)
{
	return total->sums.squares > 0
		       ? total->sums.weight * total->sums.weight / total->sums.squares
		       : 1;
}

void diff_facts_info(const struct diff *diff, const struct diff_page_options *options,
		     struct buf *out)
{
	put_member(out, "title", diff_title(options));
	put_about(diff, options, out);
	put_member(out, "countname", diff_count_name(diff));
	(void)buf_puts(out, ",\"sides\":[\"before\",\"after\"],\"own\":{\"show\":\"union\","
			    "\"by\":\"total\"},\"changed\":{");
	put_changed(diff, "total", false, out);
	(void)buf_putc(out, ',');
	put_changed(diff, "self", true, out);
	(void)buf_putc(out, '}');
	(void)buf_printf(out, ",\"rate\":%.9g,\"spread\":%.9g,\"effective\":[%.9g,%.9g]",
			 diff->rate, diff->spread, effective(&diff->total[0]),
			 effective(&diff->total[1]));
}

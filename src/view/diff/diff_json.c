/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A comparison as JSON (see diff_json.h). Shares are parts of 1; weights are in the event's unit.
 */
#include "view/diff/diff_json.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "profile/diff/diff.h"

static const char *const verdicts[] = {
	[DIFF_NONE] = "none", [DIFF_GREW] = "grew", [DIFF_SHRANK] = "shrank",
	[DIFF_NEW] = "new",   [DIFF_GONE] = "gone",
};

struct writer {
	const struct diff *diff;
	struct buf *out;
	uint32_t *path; /* labels from the root */
};

static void put_share(struct buf *out, double value)
{
	if (value == 0)
		(void)buf_putc(out, '0');
	else
		(void)buf_printf(out, "%.9g", value);
}

static void put_amount(struct writer *w, const char *name, const struct diff_amount *amount)
{
	double interval[2];

	diff_interval(&w->diff->paths, amount, interval);
	(void)buf_printf(w->out, "\"%s\":{\"before\":", name);
	put_share(w->out, amount->change.share[0]);
	(void)buf_puts(w->out, ",\"after\":");
	put_share(w->out, amount->change.share[1]);
	(void)buf_puts(w->out, ",\"delta\":");
	put_share(w->out, diff_delta(amount));
	(void)buf_puts(w->out, ",\"interval\":[");
	put_share(w->out, interval[0]);
	(void)buf_putc(w->out, ',');
	put_share(w->out, interval[1]);
	(void)buf_puts(w->out, "],\"q\":");
	put_share(w->out, amount->change.q);
	(void)buf_printf(w->out, ",\"significant\":%s}",
			 diff_is_significant(&w->diff->paths, amount) ? "true" : "false");
}

static void put_row(struct writer *w, const struct diff_node *node)
{
	enum diff_verdict verdict = diff_verdict(&w->diff->paths, &node->inclusive);

	if (verdict == DIFF_NONE)
		verdict = diff_verdict(&w->diff->paths, &node->self);
	(void)buf_puts(w->out, "{\"path\":[");
	for (uint32_t i = 1; i <= node->depth; i++) {
		const struct diff_label *label = &w->diff->labels.item[w->path[i]];

		(void)buf_puts(w->out, i > 1 ? "," : "");
		(void)buf_put_json(w->out, strtab_get(w->diff->names, label->name));
	}
	(void)buf_printf(w->out, "],\"change\":\"%s\",", verdicts[verdict]);
	put_amount(w, "inclusive", &node->inclusive);
	(void)buf_putc(w->out, ',');
	put_amount(w, "self", &node->self);
	(void)buf_putc(w->out, '}');
}

/* Nodes in the order of their paths: by name, a frame before what it called. */
static void put_rows(struct writer *w)
{
	const struct diff_node *nodes = w->diff->nodes.item;
	uint32_t at = nodes[0].first_child;
	bool first = true;

	w->path = mem_alloc((w->diff->max_depth + 1) * sizeof(*w->path));
	while (at) {
		(void)buf_puts(w->out, first ? "\n" : ",\n");
		first = false;
		w->path[nodes[at].depth] = nodes[at].label;
		put_row(w, &nodes[at]);
		if (nodes[at].first_child) {
			at = nodes[at].first_child;
			continue;
		}
		while (at && !nodes[at].next_sibling)
			at = nodes[at].parent;
		at = at ? nodes[at].next_sibling : 0;
	}
	free(w->path);
}

static void put_total(struct writer *w, const char *name, const struct diff_total *total)
{
	(void)buf_printf(w->out, "\"%s\":{\"samples\":%llu,\"weight\":", name,
			 (unsigned long long)total->samples);
	if (w->diff->scale == 1)
		(void)buf_put_u64(w->out, total->weight);
	else
		(void)buf_printf(w->out, "%.15g", (double)total->weight / w->diff->scale);
	(void)buf_puts(w->out, "},");
}

static void put_event(const struct diff *diff, struct buf *out)
{
	struct writer w = { .diff = diff, .out = out };

	(void)buf_puts(out, "{\"name\":");
	(void)buf_put_json(out, strtab_get(diff->names, diff->event));
	(void)buf_puts(out, ",\"unit\":");
	(void)buf_put_json(out, strtab_get(diff->names, diff->unit));
	(void)buf_putc(out, ',');
	(void)buf_printf(out, "\"verdicts\":%s,", diff->undecided.v ? "false" : "true");
	put_total(&w, "before", &diff->total[0]);
	put_total(&w, "after", &diff->total[1]);
	(void)buf_puts(out, "\"detectable_share\":");
	put_share(out, diff->detectable_share);
	(void)buf_puts(out, ",\"rows\":[");
	put_rows(&w);
	(void)buf_puts(out, "]}");
}

static void put_warnings(const char *warnings, struct buf *out)
{
	struct buf line = { 0 };
	bool first = true;

	while (*warnings) {
		size_t len = strcspn(warnings, "\n");

		buf_clear(&line);
		(void)buf_append(&line, warnings, len);
		(void)buf_puts(out, first ? "" : ",");
		(void)buf_put_json(out, line.data ? line.data : "");
		first = false;
		warnings += len + (warnings[len] == '\n');
	}
	buf_done(&line);
}

void diff_json(const struct diff *const *diffs, size_t count, const char *warnings, struct buf *ret)
{
	(void)buf_puts(ret, "{\"cupel\":1,\"events\":[");
	for (size_t i = 0; i < count; i++) {
		(void)buf_puts(ret, i ? ",\n" : "");
		put_event(diffs[i], ret);
	}
	(void)buf_puts(ret, "],\"warnings\":[");
	put_warnings(warnings, ret);
	(void)buf_puts(ret, "]}\n");
}

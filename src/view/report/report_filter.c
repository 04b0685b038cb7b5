/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The filters of report_options (see report_filter.h). */
#include "view/report/report_filter.h"

#include <string.h>

#include "view/report/report.h"
#include "view/report/report_parent.h"
#include "view/report/report_table.h"

/* Word lists of --comms, --dsos, --symbols. */
static bool listed(const char *list, const char *word)
{
	size_t len = strlen(word);

	if (!list || !*list)
		return true;
	while (*list) {
		size_t n = strcspn(list, ",");

		if (n == len && strncmp(list, word, n) == 0)
			return true;
		list += n + (list[n] != '\0');
	}
	return false;
}

static string_id context_parent(const struct report_table *table,
				const struct profile_sample *sample)
{
	return table->context->parent ? report_parent_of(table->context->parent, sample->stack)
				      : STRING_EMPTY;
}

bool report_filter_has_thread(const struct report_zoom *zoom, const struct profile *profile,
			      const struct profile_sample *sample)
{
	const struct profile_thread *thread = &profile->threads.item[sample->thread.v];

	return (!zoom->comm || zoom->comm == thread->comm.v + 1ull) &&
	       (!zoom->tid || zoom->tid == thread->tid + 1ull);
}

bool report_filter_passes(const struct report_table *table, const struct profile_sample *sample,
			  stack_id node)
{
	const struct report_options *options = table->options;
	const struct profile *p = table->context->profile;
	const struct frame *frame =
		node.v == STACK_EMPTY.v ? NULL : &p->frames.item[p->nodes.item[node.v].frame.v];
	const char *function = frame ? profile_string(p, frame->function) : "";
	uint32_t module = frame ? frame->module : 0;
	const char *dso = profile_string(p, p->modules.item[module].name);

	if (!report_filter_has_thread(&options->zoom, p, sample) ||
	    (options->zoom.module && options->zoom.module != module + 1ull))
		return false;
	if (options->hide_unresolved && !*function)
		return false;
	if (options->exclude_other && context_parent(table, sample).v == STRING_EMPTY.v)
		return false;
	if (!listed(options->comms, profile_string(p, p->threads.item[sample->thread.v].comm)) ||
	    !listed(options->dsos, dso) || !listed(options->symbols, function))
		return false;
	return !options->symbol_filter || strstr(function, options->symbol_filter) != NULL;
}

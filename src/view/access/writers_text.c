/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writers of words as text and as JSON (see writers_view.h). */
#include <inttypes.h>

#include "base/buf.h"
#include "profile/access/writers.h"
#include "profile/profile.h"
#include "view/access/writers_view.h"
#include "view/stack_line.h"

static const char *sharing_text(enum sharing sharing)
{
	static const char *const texts[] = {
		[SHARING_NONE] = "no sharing seen: at most one thread uses the line",
		[SHARING_TRUE] = "true sharing: threads use the same word",
		[SHARING_FALSE] = "false sharing: threads use different words of the line",
	};

	return texts[sharing];
}

static void put_writer(const struct writers_view *view, const struct writer *writer,
		       struct buf *out)
{
	const struct profile_thread *thread = &view->profile->threads.item[writer->thread.v];

	(void)buf_printf(out, "  %9" PRIu64 "  ", writer->hits);
	(void)buf_put_tidy(out, profile_string(view->profile, thread->comm));
	(void)buf_printf(out, " (%" PRId32 ")  ", (int32_t)thread->tid);
	stack_line_put(view->profile, writer->stack, (enum stack_stop)writer->stop, out);
}

static void put_word(const struct writers_view *view, size_t first, size_t end, struct buf *out)
{
	const struct writer *item = view->writers->item.item;

	if (view->words_of_line)
		(void)buf_printf(out, "+%#04" PRIx64 "\n", item[first].word - view->base);
	for (size_t i = first; i < end; i++) {
		if (view->rows && i - first == view->rows) {
			(void)buf_printf(out, "             %zu more\n", end - i);
			return;
		}
		put_writer(view, &item[i], out);
	}
}

void writers_text(const struct writers_view *view, struct buf *out)
{
	const struct writers *writers = view->writers;
	const char *what = view->reads ? "reads and writes" : "writes";

	(void)buf_puts(out, view->words_of_line ? "The cache line of " : "");
	(void)buf_put_tidy(out, view->name);
	(void)buf_printf(out, " at %#" PRIx64 ": %" PRIu64 " %s\n", view->base, writers->hits,
			 what);
	if (view->words_of_line)
		(void)buf_printf(out, "%s\n",
				 sharing_text(writers_sharing(view->profile, writers)));
	(void)buf_printf(out, "\n%s  thread  stack\n", "       hits");
	for (size_t i = 0, end; i < writers->item.count; i = end) {
		for (end = i; end < writers->item.count &&
			      writers->item.item[end].word == writers->item.item[i].word;)
			end++;
		put_word(view, i, end, out);
	}
	if (view->lost)
		(void)buf_printf(out, "\n%" PRIu64 " samples and records were lost\n", view->lost);
}

static void put_row(const struct writers_view *view, const struct writer *writer, struct buf *out)
{
	const struct profile_thread *thread = &view->profile->threads.item[writer->thread.v];

	(void)buf_printf(out,
			 "{ \"offset\": %" PRIu64 ", \"command\": ", writer->word - view->base);
	(void)buf_put_json(out, profile_string(view->profile, thread->comm));
	(void)buf_printf(out, ", \"tid\": %" PRId32 ", \"hits\": %" PRIu64 ", \"stack\": ",
			 (int32_t)thread->tid, writer->hits);
	stack_line_put_json(view->profile, writer->stack, out);
	(void)buf_puts(out, " }");
}

void writers_json(const struct writers_view *view, struct buf *out)
{
	static const char *const names[] = { "none", "true", "false" };
	const struct writers *writers = view->writers;

	(void)buf_puts(out, "{ \"cupel\": 1, \"command\": [");
	for (size_t i = 0; i < view->word_count; i++) {
		(void)buf_puts(out, i ? ", " : "");
		(void)buf_put_json(out, view->words[i]);
	}
	(void)buf_puts(out, "], \"name\": ");
	(void)buf_put_json(out, view->name);
	(void)buf_printf(out,
			 ", \"address\": %" PRIu64 ", \"hits\": %" PRIu64 ", \"lost\": %" PRIu64
			 ", \"sharing\": \"%s\",\n  \"rows\": [",
			 view->base, writers->hits, view->lost,
			 names[writers_sharing(view->profile, writers)]);
	for (size_t i = 0; i < writers->item.count; i++) {
		(void)buf_puts(out, i ? ",\n    " : "\n    ");
		put_row(view, &writers->item.item[i], out);
	}
	(void)buf_puts(out, " ] }\n");
}

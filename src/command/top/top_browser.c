/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Report's panes for top (see top_browser.h). */
#include "command/top/top_browser.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "command/command.h"
#include "command/top/top_keys.h"
#include "command/top/top_recording.h"
#include "profile/profile.h"
#include "view/browser/browser.h"
#include "view/browser/browser_keys.h"
#include "view/browser/cells.h"
#include "view/report/report.h"

#define MOST_FILES 10000 /* of one stem */

struct top_browser {
	struct profile *profile;
	struct top_recording *recording;
	struct report_options report;
	struct browser_host host;
	struct browser *browser;
	bool colors;
};

static int save(void *context, struct browser_file *file, struct err *err)
{
	(void)context;
	for (int i = 1; i < MOST_FILES; i++) {
		(void)snprintf(file->name, sizeof(file->name), "%s.%d%s%s", file->stem, i,
			       file->suffix ? "." : "", file->suffix ? file->suffix : "");
		if (access(file->name, F_OK))
			return command_write_bytes(file->name, file->data, err);
	}
	return err_set(err, -EEXIST, "%s.N: there are too many of them", file->stem);
}

static int header(void *context, struct buf *ret, struct err *err)
{
	return top_recording_header(((struct top_browser *)context)->recording, ret, err);
}

static int record(void *context, struct browser_file *file, struct err *err)
{
	return top_recording_write(((struct top_browser *)context)->recording, file, err);
}

static int annotate(void *context, const struct browser_function *function, struct annotation **ret,
		    struct err *err)
{
	return top_recording_annotate(((struct top_browser *)context)->recording, function, ret,
				      err);
}

struct top_browser *top_browser_open(const struct top_browser_input *input)
{
	struct top_browser *b = mem_zalloc(sizeof(*b));
	const char *no_color = getenv("NO_COLOR");
	struct err err = { 0 };

	b->profile = input->profile;
	b->recording = input->recording;
	b->report = *input->report;
	b->report.graph = REPORT_GRAPH_GRAPH;
	b->report.symbol_filter = NULL;
	b->host = (struct browser_host){ .context = b,
					 .name = "cupel top",
					 .header = header,
					 .save = save,
					 .record = record,
					 .annotate = annotate };
	b->colors = !no_color || !*no_color;
	if (browser_new(b->profile, &b->report, &b->host, &b->browser, &err))
		BUG("columns of top that report does not have");
	return b;
}

void top_browser_free(struct top_browser *b)
{
	if (!b)
		return;
	browser_free(b->browser);
	profile_free(b->profile);
	top_recording_free(b->recording);
	free(b);
}

void top_browser_annotate(struct top_browser *b, const char *function)
{
	browser_show_code(b->browser, function);
}

static int key_of(int key)
{
	static const struct {
		int top, browser;
	} keys[] = {
		{ TOP_KEY_NONE, BROWSER_KEY_LAST },
		{ TOP_KEY_UP, BROWSER_KEY_UP },
		{ TOP_KEY_DOWN, BROWSER_KEY_DOWN },
		{ TOP_KEY_PAGE_UP, BROWSER_KEY_PAGE_UP },
		{ TOP_KEY_PAGE_DOWN, BROWSER_KEY_PAGE_DOWN },
		{ TOP_KEY_HOME, BROWSER_KEY_HOME },
		{ TOP_KEY_END, BROWSER_KEY_END },
		{ TOP_KEY_ENTER, BROWSER_KEY_ENTER },
		{ TOP_KEY_ESCAPE, BROWSER_KEY_ESCAPE },
		{ TOP_KEY_BACKSPACE, BROWSER_KEY_BACKSPACE },
	};

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (keys[i].top == key)
			return keys[i].browser;
	return key;
}

void top_browser_key(struct top_browser **browser, int key)
{
	if (browser_key((*browser)->browser, key_of(key)) == BROWSER_RUNS)
		return;
	top_browser_free(*browser);
	*browser = NULL;
}

static void put_style(const struct top_browser *b, const struct cells *line, enum cell_style style,
		      struct buf *out)
{
	static const char *const colored[CELL_STYLES] = {
		[CELL_HOT] = "1;31",	  [CELL_WARM] = "32",	    [CELL_FAINT] = "2",
		[CELL_TITLE] = "1;37;44", [CELL_HEADING] = "30;46", [CELL_FOOT] = "1;37;44",
		[CELL_KEY] = "1",	  [CELL_MATCH] = "30;43",   [CELL_MARK] = "36",
		[CELL_ADDRESS] = "35",	  [CELL_SOURCE] = "36",
	};
	bool bar = style == CELL_TITLE || style == CELL_FOOT || style == CELL_HEADING;

	(void)buf_puts(out, "\033[m");
	if (line->selected || (!b->colors && bar))
		(void)buf_puts(out, "\033[7m");
	else if (style == CELL_KEY && line->rest == CELL_FOOT)
		(void)buf_puts(out, b->colors ? "\033[1;4;37;44m" : "\033[1;7m");
	else if (b->colors && colored[style])
		(void)buf_printf(out, "\033[%sm", colored[style]);
}

static void put_line(const struct top_browser *b, const struct cells *line, struct buf *out)
{
	for (size_t i = 0; i < line->spans.count; i++) {
		size_t from = line->spans.item[i].from;
		size_t to = i + 1 < line->spans.count ? line->spans.item[i + 1].from
						      : line->text.len;

		put_style(b, line, line->spans.item[i].style, out);
		(void)buf_append(out, line->text.data + from, to - from);
	}
	put_style(b, line, line->rest, out);
	(void)buf_pad(out, ' ', line->columns - line->used);
	(void)buf_puts(out, "\033[m");
}

void top_browser_draw(struct top_browser *b, uint32_t rows, uint32_t columns, struct buf *ret)
{
	struct cells *lines = mem_zalloc(rows * sizeof(*lines));

	browser_resize(b->browser, rows, columns);
	browser_draw(b->browser, lines);
	(void)buf_puts(ret, "\033[H");
	for (uint32_t i = 0; i < rows; i++) {
		if (i)
			(void)buf_puts(ret, "\r\n");
		put_line(b, &lines[i], ret);
		cells_done(&lines[i]);
	}
	(void)buf_puts(ret, "\033[J");
	free(lines);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files of the browser (see browser_files.h). */
#include "view/browser/browser_files.h"

#include "base/buf.h"
#include "base/err.h"
#include "view/browser/browser.h"
#include "view/browser/pane.h"
#include "view/flame/flame_html.h"
#include "view/flame/flame_options.h"

#define PRINT_COLUMNS 512 /* of a line in a file */

static void save(struct browser *browser, struct browser_file *file)
{
	const struct browser_host *host = browser_shared(browser)->host;
	struct err err = { 0 };

	if (!host->save)
		browser_say(browser, "files cannot be written here");
	else if (host->save(host->context, file, &err))
		browser_say(browser, "%s", err.msg);
	else
		browser_say(browser, "written to %s", file->name);
}

void browser_record(struct browser *browser)
{
	const struct browser_host *host = browser_shared(browser)->host;
	struct browser_file file = { .note = "" };
	struct err err = { 0 };

	if (!host->record)
		browser_say(browser, "%s is the recording", host->name);
	else if (host->record(host->context, &file, &err))
		browser_say(browser, "%s", err.msg);
	else
		browser_say(browser, "written to %s%s", file.name, file.note);
}

/* Without the blanks at its end. */
static void put_line(const struct cells *line, struct buf *out)
{
	size_t len = line->text.len;

	while (len && line->text.data[len - 1] == ' ')
		len--;
	(void)buf_append(out, line->text.data, len);
	(void)buf_putc(out, '\n');
}

void browser_print(struct browser *browser, struct pane *pane)
{
	size_t count = pane->ops->count(pane);
	struct cells line = { 0 };
	struct buf text = { 0 };

	cells_clear(&line, PRINT_COLUMNS);
	pane->ops->title(pane, &line);
	put_line(&line, &text);
	if (pane->ops->heading) {
		cells_clear(&line, PRINT_COLUMNS);
		pane->ops->heading(pane, &line);
		put_line(&line, &text);
	}
	for (size_t i = 0; i < count; i++) {
		cells_clear(&line, PRINT_COLUMNS);
		pane->ops->row(pane, i, &line);
		put_line(&line, &text);
	}
	save(browser, &(struct browser_file){ .stem = "report.hist", .data = &text });
	cells_done(&line);
	buf_done(&text);
}

void browser_save_flame(struct browser *browser, uint16_t event, uint32_t symbol)
{
	const struct browser_shared *shared = browser_shared(browser);
	const struct profile *profile = shared->profile;
	const char *function =
		profile_string(profile, shared->context.symbols.symbols.item[symbol].function);
	const struct flame_graph_options options = {
		.title = function,
		.base = &function,
		.base_count = 1,
		.event = profile_string(profile, profile->events.item[event].name),
		.source = shared->host->name,
	};
	struct buf page = { 0 };
	struct err err = { 0 };

	if (!*function)
		browser_say(browser, "the function has no name");
	else if (flame_html(profile, &options, &page, &err))
		browser_say(browser, "%s", err.msg);
	else
		save(browser, &(struct browser_file){
				      .stem = "report.flame", .suffix = "html", .data = &page });
	buf_done(&page);
}

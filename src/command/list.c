/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cupel list: the events that -e takes, what they mean, and which can be opened here. */
#include <errno.h>
#include <fnmatch.h>
#include <string.h>

#include "base/buf.h"
#include "base/err.h"
#include "command/command.h"
#include "command/list_text.h"
#include "command/option/accepted.h"
#include "command/option/option.h"
#include "command/reader.h"
#include "session/catalog/catalog.h"

#define WIDTH	  80 /* without a terminal */
#define NARROWEST 20

struct list_options {
	struct option_list usdt;
	const char *output;
	bool json, details, no_description, raw_dump;
};

static const struct option_def list_rows[] = {
	{ "usdt", 0, OPT_LIST, "FILE", OPT(list_options, usdt),
	  "list the static probes (USDT) of a binary; may be repeated" },
	{ "details", 'v', OPT_FLAG, NULL, OPT(list_options, details),
	  "show configs of events, fields of tracepoints, places of probes" },
	{ "long-desc", 0, OPT_FLAG, NULL, OPT(list_options, details), NULL },
	{ "no-desc", 0, OPT_FLAG, NULL, OPT(list_options, no_description),
	  "show names alone, without meanings" },
	{ "raw-dump", 0, OPT_FLAG, NULL, OPT(list_options, raw_dump),
	  "print all names in one line, for completions" },
	{ "json", 'j', OPT_FLAG, NULL, OPT(list_options, json), "print JSON" },
	{ "output", 'o', OPT_OUTPUT, "FILE", OPT(list_options, output),
	  "write to FILE instead of standard output" },
	{ .type = OPT_INCLUDE, .include = pager_rows },
	{ 0 },
};

/* A name by a glob, or by a part of it, as in perf. */
static bool word_matches(const char *word, const char *name)
{
	if (!name)
		return false;
	return strpbrk(word, "*?[") ? fnmatch(word, name, FNM_CASEFOLD) == 0
				    : strcasestr(name, word) != NULL;
}

static bool is_wanted(const struct catalog_entry *entry, const struct option_words *words)
{
	for (int i = 0; i < words->argc; i++) {
		enum catalog_group group = catalog_group_find(words->argv[i]);

		if (group == entry->group)
			return true;
		if (group != CATALOG_GROUPS)
			continue;
		if (word_matches(words->argv[i], entry->name) ||
		    word_matches(words->argv[i], entry->alias))
			return true;
	}
	return !words->argc;
}

/* The groups that were named, all without words; returns true if there is a pattern of names, which
 * any group may have. */
static bool choose_groups(const struct list_options *o, const struct option_words *words,
			  bool ret[CATALOG_GROUPS])
{
	bool pattern = false;

	for (enum catalog_group group = 0; group < CATALOG_GROUPS; group++)
		ret[group] = !words->argc && !o->usdt.count;
	for (int i = 0; i < words->argc; i++) {
		enum catalog_group group = catalog_group_find(words->argv[i]);

		if (group == CATALOG_GROUPS)
			pattern = true;
		else
			ret[group] = true;
	}
	if (o->usdt.count)
		ret[CATALOG_SDT] = true;
	return pattern;
}

/* Drops what the words did not select. --usdt alone selects its probes. */
static void keep_wanted(struct catalog *catalog, const struct option_words *words)
{
	size_t kept = 0;

	for (size_t i = 0; i < catalog->entry.count; i++)
		if (is_wanted(&catalog->entry.item[i], words))
			catalog->entry.item[kept++] = catalog->entry.item[i];
	catalog->entry.count = kept;
}

static size_t terminal_width(void)
{
	size_t width = command_terminal_width(NULL);

	return width < NARROWEST ? WIDTH : width;
}

static int list_run(void *options, int argc, char **argv, struct err *err)
{
	const struct list_options *o = options;
	struct option_words words = { argc, argv };
	bool named[CATALOG_GROUPS], pattern = choose_groups(o, &words, named);
	struct catalog_options what = {
		.root = "", .file = o->usdt.item, .files = o->usdt.count, .fields = o->details
	};
	struct list_layout layout = { .details = o->details,
				      .no_description = o->no_description,
				      .width = terminal_width(),
				      .group = named };
	struct catalog catalog;
	struct buf text = { 0 };
	int code = 0;

	for (enum catalog_group group = 0; group < CATALOG_GROUPS; group++)
		what.group[group] = named[group] || pattern;
	catalog_collect(&what, &catalog);
	keep_wanted(&catalog, &words);
	if (!o->raw_dump)
		catalog_describe(&what, &catalog);
	if (o->json)
		list_put_json(&catalog, &text);
	else if (o->raw_dump)
		list_put_names(&catalog, &text);
	else
		list_put_text(&catalog, &layout, &text);
	if (catalog.problem)
		code = err_set(err, -ENOEXEC, "%s", catalog.problem);
	else if (!catalog.entry.count && pattern)
		code = err_set(err, -ENOENT, "no event matches '%s'", argv[0]);
	if (code && pattern && strchr(argv[0], ':') && catalog.note[CATALOG_TRACEPOINT])
		(void)err_hint(err, "tracepoints: %s", catalog.note[CATALOG_TRACEPOINT]);
	else if (code)
		(void)err_hint(err, "all events: cupel list; what is permitted: cupel doctor");
	if (!code && !o->output)
		reader_page();
	if (!code)
		code = command_write_output(o->output, &text, err);
	buf_done(&text);
	catalog_done(&catalog);
	return code ? -1 : EXIT_STATUS_OK;
}

const struct command cmd_list = {
	.name = "list",
	.args = "[options] [hw|sw|cache|pmu|pfm|metric|cupel|raw|mem|tracepoint|sdt|GLOB ...]",
	.summary = "list events, with their meaning, and whether they work here",
	.options = list_rows,
	.options_size = sizeof(struct list_options),
	.run = list_run,
};

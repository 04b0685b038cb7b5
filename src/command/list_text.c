/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "command/list_text.h"

#include <string.h>

#include "base/buf.h"
#include "command/command.h"
#include "command/option/option.h"
#include "session/catalog/catalog.h"

#define NAME_COLUMNS  40
#define DETAIL_INDENT 8
#define ROOM_FOR_BOTH 72 /* columns: names and meanings stand side by side */

/* The reason that all entries of the group have, or NULL. */
static const char *shared_reason(const struct catalog *catalog, enum catalog_group group)
{
	const struct catalog_entry *first = NULL;

	for (size_t i = 0; i < catalog->entry.count; i++) {
		const struct catalog_entry *entry = &catalog->entry.item[i];

		if (entry->group != group)
			continue;
		if (!entry->code || (first && first->code != entry->code))
			return NULL;
		first = entry;
	}
	return first ? catalog_reason(first) : NULL;
}

static bool has_entries(const struct catalog *catalog, enum catalog_group group)
{
	for (size_t i = 0; i < catalog->entry.count; i++)
		if (catalog->entry.item[i].group == group)
			return true;
	return false;
}

/* The name takes the line's first `used` columns. */
static void put_meaning(struct buf *buf, const struct catalog_entry *entry,
			const struct list_layout *layout, size_t used, bool with_reason)
{
	size_t indent = layout->width < ROOM_FOR_BOTH ? DETAIL_INDENT : NAME_COLUMNS;
	struct buf text = { 0 };

	(void)buf_puts(&text, entry->meaning ? entry->meaning : "");
	if (with_reason && entry->code)
		(void)buf_printf(&text, "%s(%s)", entry->meaning ? " " : "", catalog_reason(entry));
	if (used >= indent) {
		(void)buf_putc(buf, '\n');
		used = 0;
	}
	(void)buf_pad(buf, ' ', indent - used);
	(void)buf_put_wrapped(buf, text.data, indent, indent, layout->width);
	buf_done(&text);
}

static void put_entry(struct buf *buf, const struct catalog_entry *entry,
		      const struct list_layout *layout, bool with_reason)
{
	size_t begin = buf->len;

	(void)buf_printf(buf, "  %s", entry->name);
	if (entry->alias)
		(void)buf_printf(buf, " OR %s", entry->alias);
	if (!layout->no_description && (entry->meaning || (with_reason && entry->code)))
		put_meaning(buf, entry, layout, buf->len - begin, with_reason);
	else
		(void)buf_putc(buf, '\n');
	if (layout->details && entry->details) {
		(void)buf_pad(buf, ' ', DETAIL_INDENT);
		(void)buf_put_wrapped(buf, entry->details, DETAIL_INDENT, DETAIL_INDENT,
				      layout->width);
	}
}

static void put_group(const struct catalog *catalog, enum catalog_group group,
		      const struct list_layout *layout, struct buf *buf)
{
	const char *reason = shared_reason(catalog, group);
	struct buf title = { 0 };

	(void)buf_puts(buf, buf->len ? "\n" : "");
	(void)buf_printf(&title, "%s [%s]%s%s", catalog_group_title(group),
			 catalog_group_word(group), reason ? ": " : "", reason ? reason : "");
	(void)buf_put_wrapped(buf, title.data, 0, 2, layout->width);
	buf_done(&title);
	if (catalog->note[group]) {
		struct buf note = { 0 };

		(void)buf_printf(&note, "(%s)", catalog->note[group]);
		(void)buf_puts(buf, "  ");
		(void)buf_put_wrapped(buf, note.data, 2, 2, layout->width);
		buf_done(&note);
	}
	for (size_t i = 0; i < catalog->entry.count; i++)
		if (catalog->entry.item[i].group == group)
			put_entry(buf, &catalog->entry.item[i], layout, !reason);
}

void list_put_text(const struct catalog *catalog, const struct list_layout *layout, struct buf *ret)
{
	for (enum catalog_group group = 0; group < CATALOG_GROUPS; group++)
		if (has_entries(catalog, group) || (layout->group[group] && catalog->note[group]))
			put_group(catalog, group, layout, ret);
}

void list_put_names(const struct catalog *catalog, struct buf *ret)
{
	for (size_t i = 0; i < catalog->entry.count; i++) {
		const struct catalog_entry *entry = &catalog->entry.item[i];

		(void)buf_printf(ret, "%s ", entry->name);
		if (entry->alias)
			(void)buf_printf(ret, "%s ", entry->alias);
	}
	(void)buf_putc(ret, '\n');
}

static void put_member(struct buf *buf, const char *name, const char *value)
{
	(void)buf_printf(buf, ", \"%s\": ", name);
	if (value)
		(void)buf_put_json(buf, value);
	else
		(void)buf_puts(buf, "null");
}

void list_put_json(const struct catalog *catalog, struct buf *ret)
{
	(void)buf_puts(ret, "{ \"cupel\": 1, \"events\": [");
	for (size_t i = 0; i < catalog->entry.count; i++) {
		const struct catalog_entry *entry = &catalog->entry.item[i];

		(void)buf_printf(ret, "%s\n  { \"group\": \"%s\"", i ? "," : "",
				 catalog_group_word(entry->group));
		put_member(ret, "name", entry->name);
		put_member(ret, "alias", entry->alias);
		put_member(ret, "meaning", entry->meaning);
		put_member(ret, "details", entry->details);
		(void)buf_printf(ret, ", \"works\": %s",
				 entry->untried ? "null"
				 : entry->code	? "false"
						: "true");
		put_member(ret, "reason", entry->code ? catalog_reason(entry) : NULL);
		(void)buf_puts(ret, " }");
	}
	(void)buf_puts(ret, "\n] }\n");
}

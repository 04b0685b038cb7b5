/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "command/list_text.h"

#include <string.h>

#include "base/buf.h"
#include "command/command.h"
#include "command/option/option.h"
#include "session/catalog/catalog.h"

#define NAME_COLUMNS 40

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

static void put_entry(struct buf *buf, const struct catalog_entry *entry,
		      const struct list_layout *layout, bool with_reason)
{
	size_t begin = buf->len;

	(void)buf_printf(buf, "  %s", entry->name);
	if (entry->alias)
		(void)buf_printf(buf, " OR %s", entry->alias);
	if (!layout->no_description && (entry->meaning || (with_reason && entry->code))) {
		size_t used = buf->len - begin;

		(void)buf_pad(buf, ' ', used < NAME_COLUMNS ? NAME_COLUMNS - used : 1);
		(void)buf_puts(buf, entry->meaning ? entry->meaning : "");
		if (with_reason && entry->code)
			(void)buf_printf(buf, "%s(%s)", entry->meaning ? " " : "",
					 catalog_reason(entry));
	}
	(void)buf_putc(buf, '\n');
	if (layout->details && entry->details)
		(void)buf_printf(buf, "        %s\n", entry->details);
}

static void put_group(const struct catalog *catalog, enum catalog_group group,
		      const struct list_layout *layout, struct buf *buf)
{
	const char *reason = shared_reason(catalog, group);

	(void)buf_printf(buf, "%s%s [%s]%s%s\n", buf->len ? "\n" : "", catalog_group_title(group),
			 catalog_group_word(group), reason ? ": " : "", reason ? reason : "");
	if (catalog->note[group])
		(void)buf_printf(buf, "  (%s)\n", catalog->note[group]);
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
		(void)buf_printf(ret, ", \"works\": %s", entry->code ? "false" : "true");
		put_member(ret, "reason", entry->code ? catalog_reason(entry) : NULL);
		(void)buf_puts(ret, " }");
	}
	(void)buf_puts(ret, "\n] }\n");
}

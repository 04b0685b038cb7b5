/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The catalog of events as text, as names and as JSON. */
#ifndef COMMAND_LIST_TEXT_H
#define COMMAND_LIST_TEXT_H

#include <stdbool.h>
#include <stddef.h>

struct buf;
struct catalog;

struct list_layout {
	bool details, no_description;
	size_t width;	   /* columns */
	const bool *group; /* by enum catalog_group: those mentioned even if they are empty */
};

void list_put_text(const struct catalog *catalog, const struct list_layout *layout,
		   struct buf *ret);
void list_put_names(const struct catalog *catalog, struct buf *ret);
void list_put_json(const struct catalog *catalog, struct buf *ret);

#endif

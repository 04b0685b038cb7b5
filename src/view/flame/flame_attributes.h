/* SPDX-License-Identifier: GPL-2.0-or-later */
/* FlameGraph's --nameattr: per function, attributes of its element in the SVG. Text with a line
 * "FUNCTION<tab>NAME=VALUE<tab>…" per function. `href` makes the element a link (with `target`,
 * default _top), `title` replaces the text of its tooltip, `g_extra` and `a_extra` hold further
 * attributes written as NAME="VALUE". Attributes that could run a script (on… handlers, javascript:
 * links) and invalid ones are dropped and counted. */
#ifndef VIEW_FLAME_FLAME_ATTRIBUTES_H
#define VIEW_FLAME_FLAME_ATTRIBUTES_H

#include <stdbool.h>
#include <stddef.h>

struct buf;
struct flame_attribute; /* those of one function */
struct flame_attributes;

/* Whether an address loads a page, and runs no script: a scheme is known by the colon before any
 * slash. */
bool flame_link_loads_page(const char *address);

struct flame_attributes *flame_attributes_parse(const char *text, size_t len, size_t *ret_bad);
void flame_attributes_free(struct flame_attributes *attributes); /* NULL is fine */

/* NULL if the function has none. All functions below accept NULL. */
const struct flame_attribute *flame_attributes_find(const struct flame_attributes *attributes,
						    const char *function);
bool flame_attributes_have(const struct flame_attribute *attribute, const char *name);
/* Its value, or NULL. */
const char *flame_attributes_get(const struct flame_attribute *attribute, const char *name);
bool flame_attributes_link(const struct flame_attribute *attribute);
/* ` id="…" class="…" xlink:href="…"` */
void flame_attributes_write(const struct flame_attribute *attribute, struct buf *ret);

#endif

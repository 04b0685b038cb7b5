/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One annotation as a JSON object, of `cupel annotate --json` and of the page. Fields are only ever
 * added. */
#ifndef VIEW_ANNOTATE_JSON_H
#define VIEW_ANNOTATE_JSON_H

struct annotation;
struct buf;

void annotate_json(const struct annotation *annotation, struct buf *ret);

#endif

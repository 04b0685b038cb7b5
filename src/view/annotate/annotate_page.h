/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Annotations as one HTML page that needs nothing else, with source beside instructions. */
#ifndef VIEW_ANNOTATE_PAGE_H
#define VIEW_ANNOTATE_PAGE_H

struct buf;
struct err;

/* json: {"functions":[…]} of annotate_json(), with at least one. -E2BIG when it is too large. */
int annotate_page(const char *title, const struct buf *json, struct buf *ret, struct err *err);

#endif

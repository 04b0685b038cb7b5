/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What `cupel watch` says of changes (store_changes.h): text for people, JSON for programs, each
 * finding with the question that shows it; and which findings were shown before. */
#ifndef SESSION_STORE_WATCH_FINDINGS_H
#define SESSION_STORE_WATCH_FINDINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;
struct store_change;
struct store_changes;

struct watch_options {
	const char *location; /* of the store, for the commands; NULL = the default one */
	const char *page;     /* address of the page of `cupel serve`; NULL = no links */
	bool all;	      /* also what was set apart */
};

/* Lines "KEY SECONDS" of earlier findings: whether this one is among them. */
bool watch_is_known(const struct store_changes *changes, const struct store_change *change,
		    const char *known);
/* Appends its line. */
void watch_put_known(const struct store_change *change, struct buf *ret);

/* told: by index, whether it is new; NULL = all are. */
void watch_text(const struct store_changes *changes, const struct watch_options *options,
		const bool *told, struct buf *ret);
/* One JSON object per finding and line. */
void watch_json(const struct store_changes *changes, const struct watch_options *options,
		const bool *told, struct buf *ret);

#endif

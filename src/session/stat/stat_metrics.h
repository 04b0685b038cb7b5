/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The names of stat -M: figures and the events they need. */
#ifndef SESSION_STAT_METRICS_H
#define SESSION_STAT_METRICS_H

#include <stddef.h>

struct buf;
struct err;

struct stat_metric {
	const char *name, *events, *meaning;
};

/* Names of one figure follow each other. NULL past the end. */
const struct stat_metric *stat_metric_at(size_t n);

/* NULL with err set: there is none of that name. */
const struct stat_metric *stat_metric_find(const char *name, struct err *err);
/* Appends all names. */
void stat_metric_words(struct buf *ret);

#endif

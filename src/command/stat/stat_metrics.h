/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The names of -M: figures and the events they need. */
#ifndef COMMAND_STAT_METRICS_H
#define COMMAND_STAT_METRICS_H

struct buf;
struct err;

struct stat_metric {
	const char *name, *events;
};

/* NULL with err set: there is none of that name. */
const struct stat_metric *stat_metric_find(const char *name, struct err *err);
/* Appends all names. */
void stat_metric_words(struct buf *ret);

#endif

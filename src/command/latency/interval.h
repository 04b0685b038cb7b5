/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What runqlat and cpudist share: BCC's options, and printing a distribution every interval. */
#ifndef COMMAND_INTERVAL_H
#define COMMAND_INTERVAL_H

#include <stdbool.h>

#include "command/option/option.h"
#include "event/ledger_account.h"
#include "view/ledger/interval_histogram.h"

struct buf;
struct err;

struct interval_options {
	const char *pids, *cgroup, *heat_map;
	struct interval_choice choice;
	bool timestamp, milliseconds, nanoseconds, processes, threads, names, namespaces, totals,
		idle, json;
};

/* Rows for OPT_INCLUDE. */
extern const struct option_def interval_rows[];

struct interval_subject {
	enum ledger_interval interval;
	const char *tracing; /* "run queue latency" */
};

/* [interval [count]], in seconds or with a unit. 0 or an exit status. */
int interval_parse_words(struct option_words words, uint64_t *ret_interval_ns, uint64_t *ret_count,
			 struct err *err);
/* The time of day, a line. */
void interval_put_time(struct buf *out);
/* words: [interval [count]], in seconds. Returns an exit status, or -1 with err set. */
int interval_run(const struct interval_options *options, const struct interval_subject *subject,
		 struct option_words words, struct err *err);

#endif

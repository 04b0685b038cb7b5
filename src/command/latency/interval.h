/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What runqlat and cpudist share: BCC's options, and printing a distribution every interval. */
#ifndef COMMAND_INTERVAL_H
#define COMMAND_INTERVAL_H

#include <stdbool.h>

#include "command/option/option.h"
#include "event/ledger_account.h"
#include "view/ledger/interval_histogram.h"

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

/* words: [interval [count]], in seconds. Returns an exit status, or -1 with err set. */
int interval_run(const struct interval_options *options, const struct interval_subject *subject,
		 struct option_words words, struct err *err);

#endif

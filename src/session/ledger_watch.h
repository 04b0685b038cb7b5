/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Watches where the wall-clock time of a program, of processes or of the machine goes, until the
 * program ends, the time is over, or a signal comes. */
#ifndef SESSION_LEDGER_WATCH_H
#define SESSION_LEDGER_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "profile/ledger/ledger.h"
#include "profile/ledger/ledger_slices.h"
#include "profile/machine_series.h"

struct err;

struct ledger_watch_options {
	const char *pids;     /* "1,2" */
	bool everybody;	      /* -a */
	bool idle;	      /* and the idle task of each CPU */
	uint64_t cgroup_id;   /* only threads in it; 0 = any (see struct ledger_source_target) */
	uint64_t duration_ns; /* 0 = no limit */
	uint32_t histogram_unit_ns;
	bool machine; /* sample its context, too */
	bool slices;  /* what each thread did when, too */
	/* Called every so often with the ledgers as they stand, open accounts left open; false ends
	 * the session. interval_ns 0 = never; the callback may change it. */
	uint64_t interval_ns;
	bool (*tick)(void *context, const struct ledger *ledger);
	void *context;
};

struct ledger_watch_result {
	struct ledger ledger;
	struct ledger_slices slices;
	struct machine_series context; /* of the machine: a sample a second, one at the end */
	bool launched;		       /* a program was run, */
	int exit_status; /* and this is its status as a shell reports it; also 126, 127 */
};

/* argv: the program with its words, NULL = none. *ret is to be freed with
 * ledger_watch_result_done() in any case. */
int ledger_watch(const struct ledger_watch_options *options, char **argv,
		 struct ledger_watch_result *ret, struct err *err);
void ledger_watch_result_done(struct ledger_watch_result *result);

#endif

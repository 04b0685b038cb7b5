/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Accounts for the wall-clock time of a program, of processes or of the machine until the program
 * exits, the time is over, or a signal arrives. */
#ifndef SESSION_LEDGER_WATCH_H
#define SESSION_LEDGER_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "profile/ledger/ledger.h"
#include "profile/ledger/ledger_slices.h"
#include "profile/machine_series.h"
#include "source/options.h"

struct err;

struct ledger_watch_options {
	struct source_options source; /* targets and settings (source/ledger/ledger_source.h) */
	uint64_t duration_ns;	      /* 0 = no limit */
	bool machine;		      /* also sample its state */
};

struct ledger_watch_result {
	struct ledger ledger;
	struct ledger_slices slices;
	struct machine_series machine; /* a sample a second, one at the end */
	bool launched;		       /* a program was run, */
	int exit_status; /* and this is its status as a shell reports it; also 126, 127 */
};

/* argv: the program with its words, NULL = none. *ret is to be freed with
 * ledger_watch_result_done() in any case. */
int ledger_watch(const struct ledger_watch_options *options, char **argv,
		 struct ledger_watch_result *ret, struct err *err);
void ledger_watch_result_done(struct ledger_watch_result *result);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The ledger as text for people and as JSON for programs. Pure functions of the ledger. */
#ifndef VIEW_LEDGER_VIEW_H
#define VIEW_LEDGER_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/ledger/ledger.h"

struct buf;
struct machine_series;

enum ledger_rows {
	LEDGER_ROWS_THREAD,
	LEDGER_ROWS_PROCESS,
	LEDGER_ROWS_NAME, /* threads of one name */
};

struct ledger_view_options {
	enum ledger_rows rows;
	size_t max_rows; /* of each table; 0 = all */
};

void ledger_text(const struct ledger *ledger, const struct ledger_view_options *options,
		 struct buf *ret);
/* {"cupel":1,"duration_ns",…}: see doc/off-cpu.md. context: of the machine; NULL = none. */
void ledger_json(const struct ledger *ledger, const struct machine_series *context,
		 struct buf *ret);

/* Its row in the table of state_kind.h. */
size_t ledger_state_kind(enum ledger_account account);
const char *ledger_softirq_name(uint32_t vector);
/* "cache+0x8", or the address of a lock without a name. */
void ledger_put_lock(const struct ledger *ledger, const struct ledger_edge_key *key,
		     struct buf *ret);
/* "held by worker:12", or by "worker" without its number; "woken by a timer". */
void ledger_put_other(const struct ledger_link *link, bool number, struct buf *ret);

#endif

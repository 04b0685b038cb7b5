/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the code is for that threads wait in (EVENT_LEDGER_CODE): a child that may only read opens
 * the binaries. Known are the monitors of HotSpot (Java), if its library has symbols. */
#ifndef SESSION_LOCK_WAIT_CODES_H
#define SESSION_LOCK_WAIT_CODES_H

#include "bpf/wait/wait_code.h"

struct err;
struct ledger_code;
struct wait_codes;

/* Call it before starting threads. */
int wait_codes_start(struct wait_codes **ret, struct err *err);
/* Waits for the answer. WAIT_CODE_OTHER when there is none. */
void wait_codes_find(struct wait_codes *codes, const struct ledger_code *question,
		     struct wait_code *ret);
void wait_codes_free(struct wait_codes *codes); /* NULL is fine */

/* Of a function, by its name without template arguments. */
enum wait_verdict wait_code_verdict(const char *function);

#endif

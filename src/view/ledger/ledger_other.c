/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Text for the end of a wait (see ledger_view.h). */
#include <inttypes.h>
#include <string.h>

#include "base/buf.h"
#include "profile/ledger/ledger.h"
#include "view/ledger/ledger_view.h"

/* In the order of the kernel's interrupt.h. */
const char *ledger_softirq_name(uint32_t vector)
{
	static const char *const names[] = { "high",	"timer",    "net-transmit", "net-receive",
					     "block",	"irq-poll", "tasklet",	    "scheduler",
					     "hrtimer", "rcu" };

	return vector < sizeof(names) / sizeof(*names) ? names[vector] : "?";
}

static void put_thread(const struct ledger_link *link, bool number, struct buf *ret)
{
	char comm[sizeof(link->edge.other_comm) + 1] = "";

	memcpy(comm, link->edge.other_comm, sizeof(link->edge.other_comm));
	(void)buf_put_tidy(ret, comm);
	if (number)
		(void)buf_printf(ret, ":%" PRIu32, link->key.other_tid);
}

void ledger_put_lock(const struct ledger *ledger, const struct ledger_edge_key *key,
		     struct buf *ret)
{
	const char *name = ledger_lock_name(ledger, key);

	if (name)
		(void)buf_put_tidy(ret, name);
	else
		(void)buf_printf(ret, "0x%" PRIx64, key->lock);
}

void ledger_put_other(const struct ledger_link *link, bool number, struct buf *ret)
{
	static const char *const relations[] = { "woken by ", "released by ", "held by ",
						 "ran instead: " };

	(void)buf_puts(ret, relations[link->key.relation]);
	switch ((enum ledger_waker)link->key.waker) {
	case LEDGER_WAKER_TIMER:
		(void)buf_puts(ret, "a timer");
		break;
	case LEDGER_WAKER_IRQ:
		(void)buf_printf(ret, "interrupt %" PRIu32, link->key.other_tid);
		break;
	case LEDGER_WAKER_SOFTIRQ:
		(void)buf_printf(ret, "softirq %s", ledger_softirq_name(link->key.other_tid));
		break;
	case LEDGER_WAKER_THREAD:
		if (link->key.relation == LEDGER_HELD_BY &&
		    link->key.other_tid == link->key.waiter_tid)
			(void)buf_puts(ret, "itself: a deadlock");
		else if (link->key.relation == LEDGER_HELD_BY && !link->key.other_tid)
			(void)buf_puts(ret, "several threads in turn");
		else
			put_thread(link, number, ret);
		break;
	}
}

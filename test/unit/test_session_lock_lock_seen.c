/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session/lock/lock_seen: locks in variables of this process get names, others and those of
 * processes that are gone do not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "profile/ledger/ledger.h"
#include "session/lock/lock_seen.h"

static char lock_of_the_test[64]; /* not initialised: it is in no file */

static const char *name_in(const struct ledger *ledger, uint32_t tid, uint64_t lock)
{
	struct ledger_edge_key key = { .lock = lock, .waiter_tid = tid, .account = LEDGER_LOCK };

	return ledger_lock_name(ledger, &key);
}

static void test_names(void **state)
{
	const uint32_t pid = (uint32_t)getpid(), gone = 0x7ffffff0;
	uint64_t variable = (uintptr_t)lock_of_the_test + 8, other = (uintptr_t)&variable;
	struct lock_seen *seen = lock_seen_new();
	struct ledger ledger = { 0 };

	(void)state;
	vec_push(&ledger.thread, ((struct ledger_thread){ .tid = pid, .tgid = pid }));
	vec_push(&ledger.thread, ((struct ledger_thread){ .tid = gone, .tgid = gone }));
	lock_seen_add(seen, &(struct ledger_lock){ variable, pid, pid });
	lock_seen_add(seen, &(struct ledger_lock){ other, pid, pid });
	lock_seen_add(seen, &(struct ledger_lock){ variable, gone, gone });
	lock_seen_name(seen, &ledger);
	ledger_finish(&ledger);
	assert_string_equal(name_in(&ledger, pid, variable), "lock_of_the_test+0x8");
	assert_null(name_in(&ledger, pid, other));
	assert_null(name_in(&ledger, gone, variable));
	assert_null(name_in(&ledger, 1, variable)); /* not watched */
	lock_seen_free(seen);
	lock_seen_free(NULL);
	ledger_done(&ledger);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

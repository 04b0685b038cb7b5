/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Programs with a profile that is known in advance. */
#ifndef COMMAND_TEST_WORKLOAD_H
#define COMMAND_TEST_WORKLOAD_H

#include <stdbool.h>

#define WORKLOAD_CPU_MS	   400
#define WORKLOAD_HOT_SHARE 0.7 /* of the CPU time is in cupel_test_hot(), the rest in _warm() */
#define WORKLOAD_SLEEP_MS  200
#define WORKLOAD_LOCK_MS   100 /* a thread waits this long for a lock */
#define WORKLOAD_PAGES	   2000
#define WORKLOAD_CALLS	   1000 /* getppid(2) */

/* False: there is no such program. */
bool test_workload_run(const char *name);

#endif

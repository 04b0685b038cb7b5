/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Threads that work for one that takes the signals. */
#ifndef BASE_THREAD_H
#define BASE_THREAD_H

#include <pthread.h>

struct err;

/* Starts a thread with all signals blocked except those of its own faults. `what` names it in the
 * error message. */
int thread_start(pthread_t *ret, const char *what, void *(*run)(void *context), void *context,
		 struct err *err);

#endif

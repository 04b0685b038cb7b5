/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Starting threads (see thread.h). */
#include "base/thread.h"

#include <signal.h>
#include <string.h>

#include "base/err.h"

int thread_start(pthread_t *ret, const char *what, void *(*run)(void *context), void *context,
		 struct err *err)
{
	static const int faults[] = { SIGBUS, SIGSEGV, SIGFPE, SIGILL, SIGABRT };
	sigset_t blocked, before;
	int code;

	(void)sigfillset(&blocked);
	for (size_t i = 0; i < sizeof(faults) / sizeof(*faults); i++)
		(void)sigdelset(&blocked, faults[i]);
	(void)pthread_sigmask(SIG_SETMASK, &blocked, &before);
	code = pthread_create(ret, NULL, run, context);
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	return code ? err_set(err, -code, "starting the %s: %s", what, strerror(code)) : 0;
}

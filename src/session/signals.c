/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Taking signals through a descriptor (see signals.h). Only the mask is changed: a blocked signal
 * is kept for signalfd(2) whatever its disposition is, and the mask is what a child gets back. */
#include "session/signals.h"

#include <unistd.h>

#include "base/err.h"
#include "base/fd.h"

static const int enders[] = { SIGINT, SIGTERM, SIGHUP };

#define ENDERS (sizeof(enders) / sizeof(enders[0]))

static bool is_ignored(int number)
{
	struct sigaction now;

	return sigaction(number, NULL, &now) == 0 && now.sa_handler == SIG_IGN;
}

int signals_take(struct signals *signals, struct err *err)
{
	struct sigaction standard = { .sa_handler = SIG_DFL };

	signals->interrupt_ignored = is_ignored(SIGINT);
	(void)sigemptyset(&signals->set);
	(void)sigaddset(&signals->set, SIGCHLD);
	(void)sigaddset(&signals->set, SIGUSR2);
	(void)sigaddset(&signals->set, SIGPIPE);
	for (size_t i = 0; i < ENDERS; i++)
		if (enders[i] == SIGINT || !is_ignored(enders[i]))
			(void)sigaddset(&signals->set, enders[i]);
	/* where it is ignored, children leave no status */
	(void)sigaction(SIGCHLD, &standard, &signals->old_child);
	(void)sigprocmask(SIG_BLOCK, &signals->set, &signals->old_mask);
	signals->taken = true;
	signals->fd = signalfd(-1, &signals->set, SFD_CLOEXEC | SFD_NONBLOCK);
	return signals->fd < 0 ? err_errno(err, "signalfd") : 0;
}

int signals_add(struct signals *signals, int number, struct err *err)
{
	(void)sigaddset(&signals->set, number);
	(void)sigprocmask(SIG_BLOCK, &signals->set, NULL);
	return signalfd(signals->fd, &signals->set, 0) < 0 ? err_errno(err, "signalfd") : 0;
}

bool signals_next(struct signals *signals, struct signalfd_siginfo *ret)
{
	while (signals->fd >= 0 && read(signals->fd, ret, sizeof(*ret)) == sizeof(*ret)) {
		bool from_terminal = ret->ssi_code == SI_KERNEL;

		if (ret->ssi_signo != SIGPIPE &&
		    !(ret->ssi_signo == SIGINT && from_terminal && signals->interrupt_ignored))
			return true;
	}
	return false;
}

void signals_stop_job(void)
{
	struct sigaction standard = { .sa_handler = SIG_DFL }, before;
	sigset_t stop, old;

	if (is_ignored(SIGTSTP))
		return;
	(void)sigaction(SIGTSTP, &standard, &before); /* libraries may have a handler */
	(void)sigemptyset(&stop);
	(void)sigaddset(&stop, SIGTSTP);
	(void)sigprocmask(SIG_UNBLOCK, &stop, &old);
	(void)kill(0, SIGTSTP); /* a shell that waits for a script of this job has to know */
	(void)sigprocmask(SIG_SETMASK, &old, NULL);
	(void)sigaction(SIGTSTP, &before, NULL);
}

bool signals_pending(const struct signals *signals)
{
	sigset_t pending;

	(void)sigpending(&pending);
	for (size_t i = 0; i < ENDERS; i++)
		if (sigismember(&signals->set, enders[i]) && sigismember(&pending, enders[i]))
			return true;
	return false;
}

void signals_hand_on(const struct signals *signals)
{
	(void)sigaction(SIGCHLD, &signals->old_child, NULL);
	(void)sigprocmask(SIG_SETMASK, &signals->old_mask, NULL);
}

void signals_restore(struct signals *signals)
{
	struct signalfd_siginfo info;

	if (!signals->taken)
		return;
	/* One that came too late to matter must not kill us after the work is done. */
	while (signals_next(signals, &info))
		;
	fd_close(&signals->fd);
	(void)sigaction(SIGCHLD, &signals->old_child, NULL);
	(void)sigprocmask(SIG_SETMASK, &signals->old_mask, NULL);
	signals->taken = false;
}

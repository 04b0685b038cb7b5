/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Signals of an observing command: they arrive through a descriptor between signals_take() and
 * signals_restore(); programs started meanwhile get the original dispositions. Signals that were
 * ignored at the start stay ignored, as under nohup(1), with one exception: shells ignore SIGINT in
 * background jobs of scripts, and scripts end a recording with `kill -INT`; therefore an interrupt
 * sent by a process counts, one from the terminal does not. */
#ifndef SESSION_SIGNALS_H
#define SESSION_SIGNALS_H

#include <signal.h>
#include <stdbool.h>
#include <sys/signalfd.h>

struct err;

struct signals {
	int fd; /* readable when signals_next() has something */
	bool taken;
	bool interrupt_ignored; /* when the process began */
	sigset_t set;		/* blocked, and read from fd */
	sigset_t old_mask;
	struct sigaction old_child;
};

/* Blocks the signals that end a watch (SIGINT, SIGTERM, SIGHUP), SIGCHLD, SIGUSR2, and SIGPIPE, so
 * that a write to a closed pipe is an error like others. Before threads are started, which inherit
 * that. *signals must be restored in any case. */
int signals_take(struct signals *signals, struct err *err);
/* Takes one more, after signals_take(). */
int signals_add(struct signals *signals, int number, struct err *err);
/* The next one. False: there is none now. */
bool signals_next(struct signals *signals, struct signalfd_siginfo *ret);
/* What Ctrl-Z does: the processes of this job stop until the shell continues them. Also where
 * SIGTSTP is taken. The owner gives the terminal back before. */
void signals_stop_job(void);
/* One that asks to end has arrived and was not read. */
bool signals_pending(const struct signals *signals);
/* In a child before its exec: everything as it was. Async-signal-safe. */
void signals_hand_on(const struct signals *signals);
/* What arrived too late to matter is dropped. Does nothing without signals_take(). */
void signals_restore(struct signals *signals);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Waits while something is watched, until a signal asks to end (SIGINT, SIGTERM, SIGHUP), the time
 * is over, or one of the calls says so. */
#ifndef SESSION_WATCH_H
#define SESSION_WATCH_H

#include <stdbool.h>
#include <stdint.h>

struct err;

struct watch_options {
	int fd;		      /* whose becoming readable calls ready(); -1 = none */
	uint64_t interval_ns; /* between calls of tick(); 0 = none */
	uint64_t duration_ns; /* 0 = no limit */
	/* Both return 0, 1 to end the watch, or -errno. tick() is called once more, the last time,
	 * when something else has ended the watch. */
	int (*ready)(void *context, struct err *err);
	int (*tick)(void *context, bool last, struct err *err);
	void *context;
};

/* Takes over signals while it runs, one watch at a time. */
int session_watch(const struct watch_options *options, struct err *err);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The flight recorder's triggers of pressure (PSI): of the machine, or of one cgroup, where it is
 * how long its threads wait. A cgroup without such a file (version 1, or a kernel without PSI) is
 * looked at once a window instead: the waits for a CPU of its threads, which the kernel counts for
 * each, are added up. Formats: Documentation/accounting/psi.rst; /proc/PID/schedstat. */
#ifndef SESSION_AGENT_AGENT_PRESSURE_H
#define SESSION_AGENT_AGENT_PRESSURE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"

struct err;

struct agent_pressure {
	int fd; /* has POLLPRI when it fires; -1 = there is none */
	/* Without it: to be asked once in window_ms. */
	char folder[4096]; /* of the cgroup; "" = not in use */
	const char *root;  /* a prefix of /proc, for tests; "" */
	unsigned stall_ms, window_ms;
	struct map delay_ns; /* by thread: its waits until the last look */
	uint64_t looked_ns;  /* CLOCK_MONOTONIC; 0 = never */
	bool full;	     /* more threads than are looked at: said once */
};

#define AGENT_PRESSURE_NONE ((struct agent_pressure){ .fd = -1, .root = "" })

/* "RESOURCE:some|full:STALL/WINDOW" of the machine. */
int agent_pressure_open(const char *spec, struct agent_pressure *ret, struct err *err);
/* "CGROUP:RESOURCE:STALL/WINDOW". CGROUP: a folder, or its name below where cgroups are mounted. */
int agent_pressure_open_cgroup(const char *spec, struct agent_pressure *ret, struct err *err);
/* Without a file: whether it fires now. */
bool agent_pressure_look(struct agent_pressure *pressure, uint64_t now_ns);
void agent_pressure_close(struct agent_pressure *pressure);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The agent: samples the machine all the time and appends what it sees to a store, every interval,
 * with labels of the processes. It watches its own cost, and samples less when that is above the
 * budget. With a flight recorder it keeps the records of the last moments in memory, and writes
 * them as a recording when a trigger fires.
 *
 * Threads: the recorder's (this one), its reader, and one that answers on a socket and waits for
 * triggers (agent_status.h). */
#ifndef SESSION_AGENT_AGENT_H
#define SESSION_AGENT_AGENT_H

#include <stdbool.h>
#include <stdint.h>

#include "store/store.h"

struct err;

#define AGENT_SOCKET "/run/cupel/agent.sock"

struct agent_options {
	const char *store, *config; /* config NULL = none */
	const char *spool;	    /* a folder, for a store that is a server */
	const char *listen;	    /* "PATH" of a unix socket, or "ADDRESS:PORT"; NULL = none */
	uint64_t frequency_hz;
	double budget_percent; /* of one CPU; 0 = no limit */
	uint64_t memory_bytes; /* 0 = no limit */
	struct store_limits limits;
	bool no_off_cpu;
	bool faults, allocations; /* events of memory as well */
	const char *pids;	  /* only these; NULL = the machine */
	uint64_t interval_ns;	  /* between two batches */
	uint64_t duration_ns;	  /* 0 = until a signal ends it */
	/* The flight recorder. */
	uint64_t keep_ns; /* 0 = off */
	uint64_t keep_hz;
	const char *dumps;	/* folder; NULL = "dumps" in the store, or in STORE_DEFAULT */
	const char *on_psi;	/* "cpu|memory|io:some|full:STALL/WINDOW" in ms; NULL = none */
	const char *on_latency; /* "CGROUP:cpu|memory|io:STALL/WINDOW" in ms; NULL = none */
	const char *on_touch;	/* a file */
	bool on_crash;
	void (*say)(const char *line); /* for the log */
};

int agent_run(const struct agent_options *options, struct err *err);
/* Asks the agent behind a socket for a dump. Returns its path in *ret, to be freed. */
int agent_request_dump(const char *socket_path, char **ret, struct err *err);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The agent's face: a thread that answers GET /metrics (Prometheus text), GET /health and, on a
 * unix socket only, POST /dump, one caller at a time; and that waits for the triggers of the flight
 * recorder. Callers that are slow are dropped. */
#ifndef SESSION_AGENT_AGENT_STATUS_H
#define SESSION_AGENT_AGENT_STATUS_H

#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdint.h>

#include "session/agent/agent_pressure.h"

struct agent_options;
struct buf;
struct err;
struct fork_server;
struct live;

/* Figures since the start; under the lock. */
struct agent_figures {
	uint64_t samples, stored, lost, batches, failed_batches, dumps, restarts;
	uint64_t frequency_hz, processes;
	uint64_t last_stored_ns; /* Unix time; 0 = never */
	uint64_t cpu_ns, resident_bytes;
	uint64_t wanted_hz;
};

struct agent_status {
	const struct agent_options *options;
	pthread_mutex_t lock;
	struct agent_figures figures;
	struct live *live;	   /* NULL between two recordings; under the lock */
	struct fork_server *forks; /* with --keep, else NULL */
	char dumps[4096];	   /* folder */
	uint64_t dumped_ns;	   /* CLOCK_MONOTONIC: the last dump of a trigger */
	int listener, touch, wake;
	struct agent_pressure psi, latency;
	bool local; /* the listener is a unix socket */
	char touched_name[256];
	pthread_t thread;
	sem_t begun; /* the thread waits for something to happen */
	bool has_thread, ending;
};

int agent_status_open(struct agent_status *status, const struct agent_options *options,
		      struct err *err);
void agent_status_close(struct agent_status *status);
void agent_status_set_live(struct agent_status *status, struct live *live);
/* A program crashed: from any thread. */
void agent_status_crash(struct agent_status *status, uint32_t pid, const char *comm);
/* Appends the whole answer to a request, of which the first line counts. For the thread and for
 * tests. */
void agent_status_answer(struct agent_status *status, const char *request, struct buf *ret);

enum agent_request { AGENT_METRICS, AGENT_HEALTH, AGENT_DUMP, AGENT_UNKNOWN };
enum agent_request agent_request_parse(const char *line);

#endif

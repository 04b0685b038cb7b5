/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Producers of events. One file per variant; the registry is the const array in source.c. Life:
 * open → start → (enable, ready, snapshot)… → stop → (detach) → close. All memory of the hot path
 * is allocated before start(). Used from one thread. session/run.h drives them. */
#ifndef SOURCE_SOURCE_H
#define SOURCE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "source/options.h"

struct err;
struct event_set;
struct sink;
struct unwind_pool_maps;
struct walk_cost;

/* Losses by the kernel's own counters at the end; the stream does not report those after the last
 * record that fitted. */
struct source_loss {
	int cpu; /* -1 = rings that follow threads */
	uint64_t lost;
	bool unreported; /* the stream did not report any */
};

struct source {
	const struct source_ops *ops;
	/* Filled by open(), borrowed until close(). */
	const struct event_set *events;
	const void *tracing_data; /* formats of the tracepoints, for perf.data; NULL = none */
	size_t tracing_data_len;
	int fd;		   /* poll(2): readable when ready() has something to deliver; -1 = none */
	uint64_t sweep_ns; /* ready() is called at least that often; 0 = when fd is readable only */
	uint64_t gather_ns; /* fd is left alone so long after little came: more is to follow */
	size_t ring_bytes;  /* the largest ring */
	struct recording_clock clock; /* in effect */
	/* User stacks arrive unwound with the tables in these maps, which the owner must fill, or
	 * as registers and stack bytes. NULL: as perf records them. */
	const struct unwind_pool_maps *tables;
	int python_fd_plus_one; /* map of processes with a Python runtime; 0 = none */
	uint64_t frequency_hz;	/* in effect for the first event, 0 = fixed period */
	/* Period of the one event, a clock that each thread of the program, or of pids, has for
	 * itself; 0 = it is not so. */
	uint64_t thread_clock_ns;
	const uint64_t *writer_cpu_ns; /* of the thread that writes the delivered data, atomic; may
					  be NULL. To be set by the owner. */
	bool on_exec;	  /* samples begin with the program's exec, not with enable() */
	bool user_only;	  /* kernel samples are not recorded */
	char notes[1024]; /* deviations from the request, one per line */
	uint64_t start_ns,
		end_ns; /* CLOCK_MONOTONIC; by start() and stop() of sources that count */
	/* Filled by stop(). */
	const struct source_loss *loss;
	size_t loss_count;
	const struct walk_cost *walks; /* cost of the kernel part; NULL: there is none */
};

struct source_ops {
	const char *name, *help;
	/* Opens everything that can fail. Events stay disabled. */
	int (*open)(struct source **ret, const struct source_options *options, struct err *err);
	/* Starts tracking names and maps. Samples start with enable(), or with the exec of
	 * options->program without a delay. */
	int (*start)(struct source *source, struct err *err);
	int (*enable)(struct source *source, bool on, struct err *err); /* NULL: with start() */
	/* Delivers pending data to the sink. Returns bytes delivered or -errno. NULL: the source
	 * has no own data. */
	int64_t (*ready)(struct source *source, struct sink *sink, struct err *err);
	/* Delivers retained data as it stands: self-overwriting rings, ledgers, counts. Collection
	 * continues. NULL: the source retains nothing. */
	int (*snapshot)(struct source *source, struct sink *sink, struct err *err);
	/* Ends it and delivers the rest. */
	int (*stop)(struct source *source, struct sink *sink, struct err *err);
	/* Takes out of the kernel what stop() leaves there, as it takes long for many probes.
	 * Called once, when the data are safe and the observed program runs on; else close() does
	 * it. NULL: stop() leaves nothing that costs time. */
	void (*detach)(struct source *source);
	void (*close)(struct source *source);
};

const struct source_ops *source_find(const char *name);
/* Appends a line to source->notes. */
void source_note(struct source *source, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static inline int source_enable(struct source *source, bool on, struct err *err)
{
	return source->ops->enable ? source->ops->enable(source, on, err) : 0;
}

static inline int64_t source_ready(struct source *source, struct sink *sink, struct err *err)
{
	return source->ops->ready ? source->ops->ready(source, sink, err) : 0;
}

static inline int source_snapshot(struct source *source, struct sink *sink, struct err *err)
{
	return source->ops->snapshot ? source->ops->snapshot(source, sink, err) : 0;
}

static inline void source_detach(struct source *source)
{
	if (source->ops->detach)
		source->ops->detach(source);
}

/* NULL is fine. */
static inline void source_close(struct source *source)
{
	if (source)
		source->ops->close(source);
}

#endif

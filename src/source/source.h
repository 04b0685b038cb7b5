/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Producers of events. One file per variant; the registry is the const array in source.c. Life:
 * open → start → (enable, poll)… → stop → close. All memory of the hot path is allocated before
 * start(). Used from one thread. */
#ifndef SOURCE_SOURCE_H
#define SOURCE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;
struct event_set;
struct sink;
struct record_options; /* source/options.h */

/* What the kernel dropped, as its own counters say at the end (the stream tells it too, but not
 * what was dropped after the last record that fitted). */
struct source_loss {
	int cpu; /* -1 = rings that follow threads */
	uint64_t lost;
};

struct source {
	const struct source_ops *ops;
	/* Filled by open(), borrowed until close(). */
	const struct event_set *events;
	const void *tracing_data; /* formats of the tracepoints, for perf.data; NULL = none */
	size_t tracing_data_len;
	int fd;		       /* poll(2): readable when poll() has something to deliver */
	size_t ring_bytes;     /* the largest ring */
	uint64_t frequency_hz; /* in effect for the first event, 0 = fixed period */
	bool on_exec;	       /* samples begin with the program's exec, not with enable() */
	bool user_only;	       /* kernel samples are not recorded */
	char notes[1024];      /* what was done differently from what was asked, line by line */
	/* Filled by stop(). */
	const struct source_loss *loss;
	size_t loss_count;
};

struct source_ops {
	const char *name, *help;
	/* Opens everything that can fail. Events stay disabled. */
	int (*open)(struct source **ret, const struct record_options *options, struct err *err);
	/* From here on names and maps are followed. Samples start with enable(), or with the exec
	 * of options->program when no delay was asked for. */
	int (*start)(struct source *source, struct err *err);
	int (*enable)(struct source *source, bool on, struct err *err);
	/* Delivers what is there to the sink, waiting up to timeout_ms for more. Returns bytes
	 * delivered or -errno. */
	int64_t (*poll)(struct source *source, struct sink *sink, int timeout_ms, struct err *err);
	/* Delivers the content of rings that overwrite themselves; NULL or no such rings: nothing.
	 */
	int (*snapshot)(struct source *source, struct sink *sink, struct err *err);
	/* Disables events and delivers the rest. */
	int (*stop)(struct source *source, struct sink *sink, struct err *err);
	void (*close)(struct source *source);
};

const struct source_ops *source_find(const char *name);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Producers of events. One file per variant; the registry is the const array in source.c. Life:
 * open → start → poll… → stop → close. All memory is allocated before start(). */
#ifndef SOURCE_SOURCE_H
#define SOURCE_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

struct err;
struct event_set;
struct sink;
struct record_options; /* source/options.h */

struct source {
	const struct source_ops *ops;
};

struct source_ops {
	const char *name, *help;
	/* Opens everything that can fail. Events stay disabled. */
	int (*open)(struct source **ret, const struct record_options *options, struct err *err);
	int (*start)(struct source *source, struct err *err);
	/* Delivers what is there to the sink, waiting up to timeout_ms for more. Returns bytes
	 * delivered or -errno. */
	int64_t (*poll)(struct source *source, struct sink *sink, int timeout_ms, struct err *err);
	/* Disables events and delivers the rest. */
	int (*stop)(struct source *source, struct sink *sink, struct err *err);
	void (*close)(struct source *source);
	const struct event_set *(*events)(const struct source *source);
};

const struct source_ops *source_find(const char *name);

#endif

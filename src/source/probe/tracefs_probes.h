/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Probes in tracefs, as perf makes them: objects of the kernel with a name, which every program
 * sees as tracepoints. They are there until they are closed: a guard (source/guard.h) removes them
 * when this process ends without having done so. */
#ifndef SOURCE_PROBE_TRACEFS_PROBES_H
#define SOURCE_PROBE_TRACEFS_PROBES_H

#include <stdbool.h>
#include <stdint.h>

struct buf;
struct err;
struct tracefs_probes;

struct tracefs_probe {
	const char *group, *event; /* several places may have the same */
	const char *file;	   /* NULL = a function of the kernel */
	uint64_t offset;	   /* in the file */
	uint64_t semaphore;	   /* of a USDT probe; 0 = none */
	const char *function;	   /* of the kernel */
	bool returns;
	const char *arguments; /* as tracefs takes them, with a blank before each; "" = none */
};

/* root: of the file system, "" = live. */
int tracefs_probes_open(const char *root, struct tracefs_probes **ret, struct err *err);
/* A name that no event has, by adding _1, _2, … to the event. Appends to ret. */
int tracefs_probes_free_name(const struct tracefs_probes *probes, const char *group,
			     const char *event, struct buf *ret, struct err *err);
int tracefs_probes_add(struct tracefs_probes *probes, const struct tracefs_probe *probe,
		       struct err *err);
/* Removes all of them. False: some are in use by another program, and go when it ends. NULL is
 * fine. */
bool tracefs_probes_close(struct tracefs_probes *probes);

#endif

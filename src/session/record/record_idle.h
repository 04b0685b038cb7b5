/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Why the targets of -p and -t gave no samples: they were stopped, did not run, or have ended. From
 * the kernel's account of each process or thread itself, without its children: proc(5). */
#ifndef SESSION_RECORD_IDLE_H
#define SESSION_RECORD_IDLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* At the end of a recording. */
struct recording_idle {
	unsigned targets; /* 0 = none were named */
	unsigned stopped, traced, ended;
	bool threads;
	bool has_cpu_ns; /* of all, since the beginning */
	uint64_t cpu_ns;
	int id; /* of the only one */
};

struct record_idle;

/* pids and tids: as on the command line, or NULL. Returns NULL if there are none. */
struct record_idle *record_idle_begin(const char *pids, const char *tids);
void record_idle_end(const struct record_idle *idle, struct recording_idle *ret);
void record_idle_free(struct record_idle *idle); /* NULL is fine */

/* "process 12 is stopped (kill -CONT 12 continues it)"; empty if there are no targets, or nothing
 * is known. */
void recording_idle_text(const struct recording_idle *idle, char *ret, size_t size);
/* Whether it explains everything: no target ran. */
bool recording_idle_all(const struct recording_idle *idle);

#endif

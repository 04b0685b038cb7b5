/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Probes that other programs, such as perf, defined in the kernel and left there: uprobe_events and
 * kprobe_events of tracefs. Format: Documentation/trace/uprobetracer.rst, kprobetrace.rst. */
#ifndef SOURCE_PROBE_PERSISTENT_PROBES_H
#define SOURCE_PROBE_PERSISTENT_PROBES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

struct err;

struct persistent_probe {
	const char *group, *event;
	bool returns;
	const char *file;  /* NULL = the kernel's */
	uint64_t offset;   /* in the file */
	const char *place; /* of the kernel: "vfs_read+0" */
	const char *names; /* of the arguments, with a blank before each; "" = none */
};

struct persistent_probes {
	VEC(struct persistent_probe) item;
	VEC(char *) text; /* that the strings are in */
};

/* Appends those of a text; the text is copied. Lines that are malformed are ignored. */
void persistent_probes_parse(const char *text, size_t len, bool of_kernel,
			     struct persistent_probes *ret);
/* All of them. root: of the file system, "" = live. */
int persistent_probes_read(const char *root, struct persistent_probes *ret, struct err *err);
/* -EBUSY while something uses it. */
int persistent_probe_remove(const char *root, const struct persistent_probe *probe,
			    struct err *err);
void persistent_probes_done(struct persistent_probes *probes);

#endif

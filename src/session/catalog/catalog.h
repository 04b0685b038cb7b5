/* SPDX-License-Identifier: GPL-2.0-or-later */
/* All events that can be named here, in groups, with a line of meaning, and whether this user can
 * open them: found by opening. */
#ifndef SESSION_CATALOG_H
#define SESSION_CATALOG_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/vec.h"

enum catalog_group {
	CATALOG_HARDWARE,
	CATALOG_SOFTWARE,
	CATALOG_CACHE,
	CATALOG_PMU,
	CATALOG_VENDOR, /* by libpfm4 */
	CATALOG_METRIC, /* of `cupel stat` */
	CATALOG_OWN,	/* Cupel's producers */
	CATALOG_RAW,
	CATALOG_BREAKPOINT,
	CATALOG_TRACEPOINT,
	CATALOG_SDT,
	CATALOG_GROUPS
};

struct catalog_entry {
	enum catalog_group group;
	const char *name;
	const char *alias;   /* NULL = none */
	const char *meaning; /* NULL = none */
	const char *details; /* config, or where a probe is; NULL = none */
	int code;	     /* of opening it: 0, or -errno */
	bool untried;	     /* it was not opened */
};

struct catalog {
	struct arena arena; /* owns the texts */
	VEC(struct catalog_entry) entry;
	/* on a whole group, such as why it is empty; NULL = none */
	const char *note[CATALOG_GROUPS];
	const char *problem; /* a file that could not be read; NULL = none */
};

struct catalog_options {
	const char *root;	    /* in front of /proc and /sys; "" on a live system */
	bool group[CATALOG_GROUPS]; /* which ones */
	bool fields;		    /* details of tracepoints, each of which is a file */
	const char *const *file; /* binaries with SDT probes; none: those that this program uses */
	size_t files;
};

/* "hw", "sw", … as perf has them, long or short; CATALOG_GROUPS = not one. */
enum catalog_group catalog_group_find(const char *word);
const char *catalog_group_word(enum catalog_group group);
const char *catalog_group_title(enum catalog_group group); /* "Software event" */
/* Why an event that cannot be opened cannot be. */
const char *catalog_reason(const struct catalog_entry *entry);

void catalog_collect(const struct catalog_options *options, struct catalog *ret);
/* Meanings and fields of the tracepoints among the entries: a file each, so after selecting. */
void catalog_describe(const struct catalog_options *options, struct catalog *catalog);
void catalog_done(struct catalog *catalog);

/* Private to the catalog: a text in its arena, of at most 511 bytes; and what adds the entries of a
 * group. */
const char *catalog_text(struct catalog *catalog, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void catalog_add_generic(struct catalog *catalog, enum catalog_group group);
void catalog_add_cache(struct catalog *catalog);
void catalog_add_pmu(const char *root, struct catalog *catalog);
void catalog_add_vendor(struct catalog *catalog);
void catalog_add_raw(const char *root, struct catalog *catalog);
void catalog_add_metrics(struct catalog *catalog);
void catalog_add_breakpoint(struct catalog *catalog);
void catalog_add_own(struct catalog *catalog);
void catalog_add_tracepoints(const struct catalog_options *options, struct catalog *catalog);
void catalog_add_sdt(const struct catalog_options *options, struct catalog *catalog);

#endif

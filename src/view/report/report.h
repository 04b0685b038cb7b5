/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The report table: perf report --stdio's layout, call graphs included, and the JSON contract
 * (doc/json.md). Pure functions of the profile. */
#ifndef VIEW_REPORT_H
#define VIEW_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;
struct err;
struct profile;

enum report_graph {
	REPORT_GRAPH_NONE,
	REPORT_GRAPH_GRAPH,
	REPORT_GRAPH_FRACTAL,
	REPORT_GRAPH_FLAT,
	REPORT_GRAPH_FOLDED
};
/* 95 % intervals of shares (profile/share_interval.h). */
enum report_interval {
	REPORT_INTERVAL_FACTS,	 /* comment lines say how sure shares are */
	REPORT_INTERVAL_COLUMNS, /* and a column beside each share; needs no --fields */
	REPORT_INTERVAL_NONE,
};

enum report_graph_value { REPORT_VALUE_PERCENT, REPORT_VALUE_PERIOD, REPORT_VALUE_COUNT };

/* Events that share a table, one column each. */
enum report_group {
	REPORT_GROUP_RECORDED, /* those that were recorded as one group */
	REPORT_GROUP_NONE,
	REPORT_GROUP_ALL, /* all events, if no group was recorded */
};

/* What a reader has zoomed into: ids of the profile + 1; 0 = all. */
struct report_zoom {
	uint64_t comm, tid, module;
};

/* Sort keys of one recording: fields of its tracepoints. */
struct report_fields {
	struct report_column *column; /* names and headings are the owner's */
	size_t count;
};

enum report_latency {
	REPORT_LATENCY_NONE,
	REPORT_LATENCY_FIRST,  /* the weight; the other one is that of the samples as recorded */
	REPORT_LATENCY_SECOND, /* the other one */
};

struct report_options {
	const char *sort;			 /* "comm,dso,sym"; NULL = perf's default */
	const char *fields;			 /* -F; NULL = from sort */
	const struct report_fields *tracepoints; /* keys besides those that always exist, or NULL */
	bool any_field; /* other words may be such keys, which is known later: they are left out */
	bool children;	/* with Children/Self columns */
	bool show_nr_samples, show_total_period;
	bool show_cpu_utilization; /* shares in the kernel and in user space */
	double percent_limit;
	const char *comms, *dsos, *symbols, *symbol_filter, *parent;
	struct report_zoom zoom;
	const char *field_separator; /* -t; NULL = padded columns */
	enum report_graph graph;
	enum report_graph_value graph_value;
	double graph_threshold;	    /* percent; perf's 0.5 */
	uint32_t graph_print_limit; /* 0 = all */
	uint64_t graph_bytes;	    /* most memory for call graphs; 0 = some 600 MB */
	bool caller;		    /* call graph order: caller first (default with children) */
	bool graph_by_address;
	enum report_group group;
	bool mem_mode; /* samples are accesses to data (PROFILE_ADDR_IS_ACCESS), weighted by cost */
	bool branches; /* samples are branches, see load_options.branches */
	/* Weights are shares of the time that passed, or samples have these, too. */
	enum report_latency latency;
	bool hierarchy;	      /* a tree of the sort keys: rows of the first, below them the next */
	bool relative;	      /* percentages of what the filters leave, not of everything */
	bool hide_unresolved; /* samples and callers without a function do not count */
	bool exclude_other;   /* only samples with a parent */
	const char *widths;   /* "8,20,30": of columns; 0 or missing = as wide as needed */
	bool quiet;	      /* -q: no # lines */
	bool brief;	      /* of these only what each event has, and what columns are */
	bool threads;	      /* -T: per-thread event counts */
	bool no_inline;
	uint32_t width; /* of a line; columns of text get narrower for it; 0 = unlimited */
	enum report_interval interval;
};

/* Bits of enum profile_keep that the columns need. */
unsigned report_needs(const struct report_options *options);

int report_text(const struct profile *profile, const struct report_options *options,
		struct buf *ret, struct err *err);
/* What is missing: stacks that ended early, damage, lost rates, as lines that begin with "# ". */
void report_missing(const struct profile *profile, struct buf *ret);
int report_json(const struct profile *profile, const struct report_options *options,
		struct buf *ret, struct err *err);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Columns of the report: measures (overhead, samples, …) and sort keys (comm, dso, symbol, …). A
 * key is a row of one table: how to get its value for a frame of a sample, and how to print that
 * value. */
#ifndef VIEW_REPORT_COLUMN_H
#define VIEW_REPORT_COLUMN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "view/report/report_symbol.h"

struct buf;
struct err;
struct report_options;

enum report_measure {
	REPORT_KEY, /* not a measure */
	REPORT_CHILDREN,
	REPORT_SELF,
	REPORT_SYSTEM, /* of self, in the kernel */
	REPORT_USER,
	REPORT_CHILDREN_INTERVAL,
	REPORT_SELF_INTERVAL,
	REPORT_SAMPLES,
	REPORT_PERIOD,
	REPORT_OTHER, /* of self, by samples' other weight (PROFILE_ADDR_IS_OTHER_WEIGHT) */
};

struct report_context {
	const struct profile *profile;
	struct report_symbols symbols;
	const struct report_parent *parent; /* compiled --parent; NULL = not used */
};

/* The subject of a sort key. */
struct report_subject {
	const struct profile_sample *sample;
	stack_id node; /* the frame the row is about; STACK_EMPTY for none */
};

struct report_column {
	const char *name, *alias; /* in --sort and -F */
	const char *heading;
	enum report_measure measure;
	size_t width;	    /* fixed width, 0 = as wide as the longest value */
	bool right;	    /* heading is right-aligned */
	bool of_sample;	    /* the value depends on more of a sample than its thread and CPU;
			       keys of profile_sample.addr need no mark */
	unsigned needs;	    /* enum profile_keep bits */
	bool times_samples; /* a row shows the value times its samples */
	bool branch;	    /* only of branches, see report_options.branches */
	uint64_t (*value)(const struct report_context *context,
			  const struct report_subject *subject);
	void (*print)(const struct report_context *context, uint64_t value, struct buf *ret);
	uint32_t field; /* of report_options.tracepoints, from 1 on; value is NULL */
};

typedef VEC(const struct report_column *) report_columns;

/* All that can be named in --sort and --fields. */
extern const struct report_column report_columns_known[];
extern const size_t report_columns_known_count;
/* What is known besides, and first, with report_options.mem_mode. */
extern const struct report_column report_columns_access[];
extern const size_t report_columns_access_count;
/* Its usual sort keys. */
#define REPORT_ACCESS_SORT \
	"local_weight,mem,sym,dso,symbol_daddr,dso_daddr,snoop,tlb,locked,blocked,local_ins_lat"

/* A key's value; of a tracepoint's field too. */
uint64_t report_column_value(const struct report_column *column,
			     const struct report_context *context,
			     const struct report_subject *subject);
/* The key of a recording's tracepoints: the nth of load_options.fields, from 1 on. Both texts are
 * borrowed. */
struct report_column report_column_of_field(const char *name, const char *heading, uint32_t n);
/* Whether --sort and --fields always know the word. */
bool report_column_exists(const char *name, size_t len);

/* Columns and keys for the options, in print order. On -EINVAL, err names the unknown word and
 * similar ones. */
int report_columns_parse(const struct report_options *options, report_columns *ret,
			 struct err *err);
#endif

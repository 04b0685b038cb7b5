/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cupel mem report: sampled loads and stores as a table of perf mem report's columns. */
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "command/command.h"
#include "command/option/accepted.h"
#include "command/option/option.h"
#include "command/report/report_options.h"

enum { TYPE_LOAD = 1, TYPE_STORE = 2 };

struct mem_report {
	struct report_command_options report;
	unsigned types; /* 0 = both */
	char sort[160];
};

/* "load", "store" or both. */
static int set_type(void *field, const char *value, bool negated, struct err *err)
{
	unsigned *types = field;

	*types = 0;
	while (!negated && *value) {
		size_t len = strcspn(value, ",");

		if (len == 4 && strncmp(value, "load", len) == 0)
			*types |= TYPE_LOAD;
		else if (len == 5 && strncmp(value, "store", len) == 0)
			*types |= TYPE_STORE;
		else
			return option_bad_value(err, value, "load, store or load,store");
		value += len + (value[len] == ',');
	}
	return 0;
}

#define REPORT(field) OPT(mem_report, report.field)

static const struct option_def mem_report_rows[] = {
	{ "Accesses", 0, OPT_GROUP, NULL, 0, NULL },
	{ "type", 't', OPT_CALL, "TYPE", OPT(mem_report, types),
	  "load, store or load,store: the columns for these (default both)", set_type,
	  .choices = "load store load,store" },
	{ "phys-data", 'p', OPT_FLAG, NULL, REPORT(phys), "add the physical address" },
	{ "data-page-size", 0, OPT_FLAG, NULL, REPORT(page_size),
	  "add the size of the page that the address is in" },
	{ "dump-raw-samples", 'D', OPT_FLAG, NULL, REPORT(raw_accesses),
	  "print a line for each sample, no table" },
	{ "field-separator", 'x', OPT_STR, "CHAR", REPORT(view.field_separator),
	  "put CHAR between columns instead of padding" },
	{ "Table", 0, OPT_GROUP, NULL, 0, NULL },
	{ .type = OPT_INCLUDE, .include = report_table_rows, .offset = REPORT(input) },
	{ .type = OPT_INCLUDE, .include = report_graph_rows, .offset = REPORT(input) },
	{ .type = OPT_INCLUDE, .include = input_option_rows, .offset = REPORT(input) },
	{ .type = OPT_INCLUDE, .include = accepted_report_rows },
	{ 0 },
};

static void mem_report_defaults(void *options)
{
	struct mem_report *o = options;

	report_options_defaults(&o->report);
	o->report.view.mem_mode = true;
	o->report.view.show_nr_samples = true;
}

/* As perf: stores have no cost, and more columns take the place of the last. */
static void choose_sort(struct mem_report *o)
{
	bool more = o->report.phys || o->report.page_size;

	if (o->report.view.sort || o->report.view.fields || (o->types != TYPE_STORE && !more))
		return;
	(void)snprintf(o->sort, sizeof(o->sort), "%s%s%s",
		       o->types == TYPE_STORE
			       ? "mem,sym,dso,symbol_daddr,dso_daddr,tlb,locked"
			       : "local_weight,mem,sym,dso,symbol_daddr,dso_daddr,snoop,tlb,locked,"
				 "blocked",
		       o->report.phys ? ",phys_daddr" : "",
		       o->report.page_size ? ",data_page_size" : "");
	o->report.view.sort = o->sort;
}

static int mem_report_run(void *options, int argc, char **argv, struct err *err)
{
	struct mem_report *o = options;

	choose_sort(o);
	return report_command_run(&o->report, &(struct option_words){ argc, argv }, err);
}

static void mem_report_done(void *options)
{
	report_options_done(&((struct mem_report *)options)->report);
}

const struct command cmd_mem_report = {
	.name = "mem report",
	.args = "[options] [FILE]",
	.summary = "show recorded loads and stores by data, cost and source",
	.options = mem_report_rows,
	.options_size = sizeof(struct mem_report),
	.defaults = mem_report_defaults,
	.run = mem_report_run,
	.done = mem_report_done,
};

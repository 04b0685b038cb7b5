/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sort keys of report that only the recording knows: fields of its tracepoints. */
#ifndef COMMAND_REPORT_FIELDS_H
#define COMMAND_REPORT_FIELDS_H

#include "base/arena.h"
#include "base/vec.h"
#include "session/load/load.h"
#include "view/report/report.h"
#include "view/report/report_column.h"

struct err;
struct recording;

struct report_field_keys {
	struct arena arena; /* names */
	VEC(struct report_column) column;
	VEC(struct load_field) field;
	struct report_fields shown;
};

/* Checks all that can be known without the recording. json: the rows are those of report_json(). */
int report_fields_check(const struct report_options *options, bool json, struct err *err);
/* Finds the words of --sort and --fields that are fields, as "FIELD", "EVENT.FIELD" or
 * "SYSTEM:EVENT.FIELD", each with "/raw" for the plain value, or all of them ("trace_fields"), and
 * puts them into the options. Returns -EINVAL for an unknown word. */
int report_field_keys_find(struct report_field_keys *keys, struct recording *recording,
			   struct report_options *options, struct err *err);
void report_field_keys_done(struct report_field_keys *keys);

#endif

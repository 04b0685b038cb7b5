/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the source "probe_values" delivers, as what came since the look before. */
#ifndef COMMAND_TOOL_VALUE_ROWS_H
#define COMMAND_TOOL_VALUE_ROWS_H

#include <stdbool.h>

#include "base/map.h"
#include "base/vec.h"
#include "source/probe/probe_value_choice.h"

struct event;

struct value_rows {
	VEC(struct probe_value) fresh;
	/* private */
	struct map known; /* hash of a value → its index in before */
	VEC(struct probe_values_sum) before;
};

/* cumulative: all that was counted so far. */
void value_rows_take(struct value_rows *rows, const struct event *event, bool cumulative);
void value_rows_done(struct value_rows *rows);

#endif

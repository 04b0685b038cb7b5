/* SPDX-License-Identifier: GPL-2.0-or-later */
/* See value_rows.h. */
#include "command/tool/value_rows.h"

#include "event/event.h"

static struct probe_values_sum *sum_before(struct value_rows *rows, const struct probe_value *value)
{
	bool added;
	uint64_t *at =
		map_add(&rows->known, hash_bytes(&value->result, sizeof(value->result)), &added);

	if (added) {
		vec_push(&rows->before, ((struct probe_values_sum){ 0 }));
		*at = rows->before.count - 1;
	}
	return &rows->before.item[*at];
}

void value_rows_take(struct value_rows *rows, const struct event *event, bool cumulative)
{
	const struct probe_value *value = event->own.data;

	rows->fresh.count = 0;
	for (size_t i = 0; i < event->own.len / sizeof(*value); i++) {
		struct probe_values_sum *before = sum_before(rows, &value[i]);
		struct probe_value fresh = value[i];

		if (!cumulative) {
			fresh.count -= before->count;
			fresh.total -= before->total;
		}
		*before = (struct probe_values_sum){ value[i].count, value[i].total };
		if (fresh.count)
			vec_push(&rows->fresh, fresh);
	}
}

void value_rows_done(struct value_rows *rows)
{
	map_done(&rows->known);
	vec_done(&rows->before);
	vec_done(&rows->fresh);
}

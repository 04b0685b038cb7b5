/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records in order of time (see record_held.h). */
#include "session/record/record_held.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

void record_held_add(struct record_held *held, const struct perf_event_header *header,
		     uint64_t time_ns)
{
	const struct held_record record = { .time_ns = time_ns, .at = held->bytes.len };

	vec_push(&held->item, record);
	(void)buf_append(&held->bytes, header, header->size); /* sizes are multiples of 8 */
}

static int compare(const void *a, const void *b)
{
	const struct held_record *x = a, *y = b;

	if (x->time_ns != y->time_ns)
		return x->time_ns < y->time_ns ? -1 : 1;
	return (x->at > y->at) - (x->at < y->at);
}

void record_held_sort(struct record_held *held)
{
	if (held->item.count)
		qsort(held->item.item, held->item.count, sizeof(*held->item.item), compare);
}

const struct perf_event_header *record_held_get(const struct record_held *held, size_t index)
{
	return (const void *)(held->bytes.data + held->item.item[index].at);
}

void record_held_drop(struct record_held *held, size_t count)
{
	struct buf rest = { 0 };

	if (!count)
		return;
	held->item.count -= count;
	if (held->item.count)
		memmove(held->item.item, held->item.item + count,
			held->item.count * sizeof(*held->item.item));
	for (size_t i = 0; i < held->item.count; i++) {
		const struct perf_event_header *header = record_held_get(held, i);

		held->item.item[i].at = rest.len;
		(void)buf_append(&rest, header, header->size);
	}
	buf_done(&held->bytes);
	held->bytes = rest;
}

void record_held_done(struct record_held *held)
{
	vec_done(&held->item);
	buf_done(&held->bytes);
}

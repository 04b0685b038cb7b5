/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which events a recording has: the attr section of a file, ATTR and EVENT_UPDATE records of a
 * pipe, names from EVENT_DESC, groups from GROUP_DESC. An attr may be longer (newer kernel) or
 * shorter than ours; what we do not know is left out. */
#include <errno.h>

#include "base/err.h"
#include "format/input.h"
#include "format/perf_data/perf_data_private.h"

#define MAX_EVENTS  65536
#define UPDATE_NAME 2 /* PERF_EVENT_UPDATE__NAME */

/* An attr of `room` bytes at most; its own size field tells how many count. */
static bool take_attr(struct perf_data *data, struct blob *blob, size_t room,
		      struct perf_event_attr *ret)
{
	struct blob size_field = *blob;
	const uint8_t *bytes;
	size_t size, known;

	(void)blob_u32(&size_field); /* type */
	size = blob_u32(&size_field);
	if (size_field.failed || room < PERF_ATTR_SIZE_VER0)
		return false;
	if (size == 0)
		size = PERF_ATTR_SIZE_VER0;
	if (size > room)
		size = room;
	bytes = blob_bytes(blob, size);
	if (!bytes)
		return false;
	known = size < sizeof(*ret) ? size : sizeof(*ret);
	memset(ret, 0, sizeof(*ret));
	memcpy(ret, bytes, known);
	if (data->header.swapped)
		perf_data_swap_attr(ret);
	ret->size = (uint32_t)size;
	return true;
}

static struct event_desc *add_event(struct perf_data *data, const struct perf_event_attr *attr)
{
	if (data->events.desc.count >= MAX_EVENTS) {
		perf_data_damage(data, "more than %d events", MAX_EVENTS);
		return NULL;
	}
	return event_set_add(&data->events, attr, NULL);
}

/* Ids are cheap, but sections may overlap: never more than the file could hold. */
static void take_ids(struct perf_data *data, struct event_desc *desc, struct blob ids,
		     uint64_t *budget)
{
	while (blob_left(&ids) >= 8 && *budget) {
		event_set_add_id(&data->events, desc, blob_u64(&ids));
		(*budget)--;
	}
}

int perf_data_read_attrs(struct perf_data *data, uint64_t offset, uint64_t size, uint64_t stride,
			 struct err *err)
{
	uint64_t budget = data->map_len / 8;

	if (stride < PERF_ATTR_SIZE_VER0 + 16 || offset > data->map_len ||
	    size > data->map_len - offset)
		return err_set(err, -EBADMSG, "%s: the list of events lies outside the file",
			       input_name(data->input));
	for (uint64_t i = 0; i < size / stride; i++) {
		struct blob blob = perf_data_blob(data, data->map + offset + i * stride, stride);
		struct blob section = blob;
		struct perf_event_attr attr;
		struct event_desc *desc;
		uint64_t ids_offset, ids_size;

		if (!take_attr(data, &blob, stride - 16, &attr))
			break;
		desc = add_event(data, &attr);
		if (!desc)
			break;
		section.at = section.end - 16;
		ids_offset = blob_u64(&section);
		ids_size = blob_u64(&section);
		if (ids_offset > data->map_len || ids_size > data->map_len - ids_offset) {
			perf_data_damage(data, "ids of event %zu lie outside the file", (size_t)i);
			continue;
		}
		take_ids(data, desc, perf_data_blob(data, data->map + ids_offset, ids_size),
			 &budget);
	}
	return 0;
}

bool perf_data_take_attr(struct perf_data *data, struct blob record)
{
	uint64_t budget = UINT64_MAX;
	struct perf_event_attr attr;
	struct event_desc *desc;

	if (!take_attr(data, &record, blob_left(&record), &attr))
		return false;
	desc = add_event(data, &attr);
	if (desc)
		take_ids(data, desc, record, &budget);
	return true;
}

void perf_data_take_update(struct perf_data *data, struct blob record)
{
	uint64_t type = blob_u64(&record), id = blob_u64(&record);
	const struct event_desc *found = event_set_find(&data->events, id);
	size_t len = blob_left(&record);

	if (record.failed || type != UPDATE_NAME || !found || !memchr(record.at, '\0', len))
		return;
	event_set_rename(&data->events, data->events.desc.item[found->index],
			 (const char *)record.at);
}

void perf_data_take_event_desc(struct perf_data *data, struct blob section)
{
	uint32_t count = blob_u32(&section), attr_size = blob_u32(&section);

	for (uint32_t i = 0; i < count && i < data->events.desc.count; i++) {
		uint32_t ids;
		const char *name;

		(void)blob_bytes(&section, attr_size);
		ids = blob_u32(&section);
		name = blob_string(&section);
		(void)blob_bytes(&section, (size_t)ids * 8);
		if (section.failed)
			return;
		if (name && *name)
			event_set_rename(&data->events, data->events.desc.item[i], name);
	}
}

void perf_data_take_group_desc(struct perf_data *data, struct blob section)
{
	uint32_t groups = blob_u32(&section);
	uint64_t total = 0;

	for (uint32_t i = 0; i < groups && blob_left(&section); i++) {
		uint32_t leader, members;

		(void)blob_string(&section); /* the group's name: "{anon_group}" as a rule */
		leader = blob_u32(&section);
		members = blob_u32(&section);
		total += members;
		if (section.failed || leader >= data->events.desc.count ||
		    total > data->events.desc.count)
			return;
		for (size_t k = leader; k < data->events.desc.count && k - leader < members; k++)
			data->events.desc.item[k]->group_leader = (int32_t)leader;
	}
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A recording's metadata. Events: the attr section of a file, ATTR and EVENT_UPDATE records of a
 * pipe, names from EVENT_DESC, groups from GROUP_DESC; an attr may be longer (newer kernel) or
 * shorter than ours. The header's feature sections, and the same payloads as FEATURE records of
 * pipe mode: those in struct perf_data_header are decoded, all are kept raw. Format:
 * tools/perf/Documentation/perf.data-file-format.txt of the Linux kernel. */
#include <errno.h>

#include "base/err.h"
#include "format/input.h"
#include "format/perf_data/perf_data_private.h"

#define BUILD_ID_FIELD	   24	     /* bytes reserved for a build id in its record */
#define MISC_BUILD_ID_SIZE (1 << 15) /* byte 20 of the field is the length */
#define MAX_WORDS	   65536     /* of a command line */
#define MAX_EVENTS	   65536
#define UPDATE_NAME	   2 /* PERF_EVENT_UPDATE__NAME */

/* An attr of `room` bytes at most; its size field gives the valid part. */
static bool parse_attr(struct perf_data *data, struct blob *blob, size_t room,
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
		return err_set(err, -EBADMSG, "%s: the event list is outside the file",
			       input_name(data->input));
	for (uint64_t i = 0; i < size / stride; i++) {
		struct blob blob = perf_data_blob(data, data->map + offset + i * stride, stride);
		struct blob section = blob;
		struct perf_event_attr attr;
		struct event_desc *desc;
		uint64_t ids_offset, ids_size;

		if (!parse_attr(data, &blob, stride - 16, &attr))
			break;
		desc = add_event(data, &attr);
		if (!desc)
			break;
		section.at = section.end - 16;
		ids_offset = blob_u64(&section);
		ids_size = blob_u64(&section);
		if (ids_offset > data->map_len || ids_size > data->map_len - ids_offset) {
			perf_data_damage(data, "the ids of event %zu are outside the file",
					 (size_t)i);
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

	if (!parse_attr(data, &record, blob_left(&record), &attr))
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

static void take_cmdline(struct perf_data *data, struct blob blob)
{
	uint32_t count = blob_u32(&blob);
	const char **words;

	/* Each word takes at least its length field. */
	if (count > MAX_WORDS || count > blob_left(&blob) / 4)
		return;
	words = arena_array(&data->arena, const char *, count + 1);
	for (uint32_t i = 0; i < count; i++) {
		words[i] = blob_string(&blob);
		if (!words[i])
			return;
	}
	data->header.cmdline = words;
	data->header.cmdline_count = count;
}

/* "\027\010Dtracing", version, and then the byte order of what follows. */
static void take_tracing_data(struct perf_data *data, const uint8_t *bytes, size_t len)
{
	static const uint8_t magic[] = { 23, 8, 68, 't', 'r', 'a', 'c', 'i', 'n', 'g' };
	const uint8_t *version = bytes + sizeof(magic), *nul;

	if (len <= sizeof(magic) || memcmp(bytes, magic, sizeof(magic)) != 0)
		return;
	nul = memchr(version, '\0', len - sizeof(magic));
	if (!nul || nul + 1 >= bytes + len)
		return;
	data->header.tracing_data = bytes;
	data->header.tracing_data_len = len;
	data->header.tracing_swapped = (nul[1] != 0) != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
}

static void take_numbers(struct perf_data *data, unsigned feature, struct blob blob)
{
	struct perf_data_header *header = &data->header;

	switch (feature) {
	case PERF_FEATURE_NRCPUS:
		header->cpus_available = blob_u32(&blob);
		header->cpus_online = blob_u32(&blob);
		break;
	case PERF_FEATURE_TOTAL_MEM:
		header->total_mem_kb = blob_u64(&blob);
		break;
	case PERF_FEATURE_SAMPLE_TIME:
		header->first_ns = blob_u64(&blob);
		header->last_ns = blob_u64(&blob);
		break;
	case PERF_FEATURE_CLOCKID:
		header->clock_res_ns = blob_u64(&blob);
		break;
	case PERF_FEATURE_CLOCK_DATA:
		(void)blob_u32(&blob); /* version */
		header->clockid = blob_u32(&blob);
		break;
	case PERF_FEATURE_COMPRESSED:
		(void)blob_bytes(&blob, 16); /* version, type, level, ratio */
		data->unpack_limit = blob_u32(&blob);
		header->compressed = true;
		break;
	default:
		break;
	}
}

static const char **string_place(struct perf_data_header *header, unsigned feature)
{
	switch (feature) {
	case PERF_FEATURE_HOSTNAME:
		return &header->hostname;
	case PERF_FEATURE_OSRELEASE:
		return &header->os_release;
	case PERF_FEATURE_VERSION:
		return &header->version;
	case PERF_FEATURE_ARCH:
		return &header->arch;
	case PERF_FEATURE_CPUDESC:
		return &header->cpu_desc;
	case PERF_FEATURE_CPUID:
		return &header->cpu_id;
	default:
		return NULL;
	}
}

void perf_data_take_feature(struct perf_data *data, unsigned feature, const uint8_t *bytes,
			    size_t len)
{
	struct blob blob = perf_data_blob(data, bytes, len);
	const char **place = string_place(&data->header, feature);

	if (feature >= FEATURE_COUNT)
		return;
	data->header.features[feature / 64] |= 1ull << feature % 64;
	data->feature[feature].data = bytes;
	data->feature[feature].len = len;
	if (place)
		*place = blob_string(&blob);
	else if (feature == PERF_FEATURE_CMDLINE)
		take_cmdline(data, blob);
	else if (feature == PERF_FEATURE_EVENT_DESC)
		perf_data_take_event_desc(data, blob);
	else if (feature == PERF_FEATURE_GROUP_DESC)
		perf_data_take_group_desc(data, blob);
	else if (feature == PERF_FEATURE_TRACING_DATA)
		take_tracing_data(data, bytes, len);
	else
		take_numbers(data, feature, blob);
}

/* One {offset, size} per set bit, in the order of the bits, right behind the data. */
void perf_data_read_features(struct perf_data *data, uint64_t offset)
{
	uint64_t present[FEATURE_COUNT / 64];
	struct blob table;

	memcpy(present, data->header.features, sizeof(present));
	if (offset > data->map_len) {
		memset(data->header.features, 0, sizeof(present));
		return;
	}
	table = perf_data_blob(data, data->map + offset, data->map_len - offset);
	for (unsigned feature = 0; feature < FEATURE_COUNT; feature++) {
		uint64_t at, len;

		if (!(present[feature / 64] >> feature % 64 & 1))
			continue;
		at = blob_u64(&table);
		len = blob_u64(&table);
		if (table.failed || at > data->map_len || len > data->map_len - at) {
			data->header.features[feature / 64] &= ~(1ull << feature % 64);
			perf_data_damage(data, "header section %u is outside the file", feature);
			continue;
		}
		perf_data_take_feature(data, feature, data->map + at, len);
	}
}

bool perf_data_feature(const struct perf_data *data, unsigned feature, const uint8_t **ret,
		       size_t *ret_len)
{
	if (feature >= FEATURE_COUNT || !data->feature[feature].data)
		return false;
	*ret = data->feature[feature].data;
	*ret_len = data->feature[feature].len;
	return true;
}

bool perf_data_decode_build_id(struct blob blob, uint16_t misc, struct event *ret)
{
	uint32_t pid = blob_u32(&blob);
	const uint8_t *id = blob_bytes(&blob, BUILD_ID_FIELD);
	size_t len = blob_left(&blob);

	if (!id || !len || !memchr(blob.at, '\0', len))
		return false;
	*ret = (struct event){
		.type = EVENT_BUILD_ID, .misc = misc, .pid = pid, .tid = pid, .cpu = UINT32_MAX
	};
	ret->build_id.path = (const char *)blob.at;
	ret->build_id.id.len = BUILD_ID_MAX;
	if ((misc & MISC_BUILD_ID_SIZE) && id[BUILD_ID_MAX] <= BUILD_ID_MAX)
		ret->build_id.id.len = id[BUILD_ID_MAX];
	memcpy(ret->build_id.id.bytes, id, BUILD_ID_MAX);
	return true;
}

int perf_data_build_ids(const struct perf_data *data,
			int (*each)(void *context, const struct event *build_id), void *context)
{
	const uint8_t *bytes;
	struct blob blob;
	size_t len;

	if (!perf_data_feature(data, PERF_FEATURE_BUILD_ID, &bytes, &len))
		return 0;
	blob = perf_data_blob(data, bytes, len);
	while (blob_left(&blob) > sizeof(struct perf_event_header)) {
		struct event event;
		const uint8_t *body;
		uint16_t misc, size;
		int failed;

		(void)blob_u32(&blob); /* type: 0 in old files */
		misc = blob_u16(&blob);
		size = blob_u16(&blob);
		if (size < sizeof(struct perf_event_header))
			break;
		body = blob_bytes(&blob, size - sizeof(struct perf_event_header));
		if (!body)
			break;
		if (!perf_data_decode_build_id(
			    perf_data_blob(data, body, size - sizeof(struct perf_event_header)),
			    misc, &event))
			continue;
		failed = each(context, &event);
		if (failed)
			return failed;
	}
	return 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The header's feature sections, and the same payloads as FEATURE records of pipe mode. Those with
 * a place in struct perf_data_header are decoded here, all are kept raw.
 * Format: tools/perf/Documentation/perf.data-file-format.txt of the Linux kernel. */
#include <errno.h>

#include "format/perf_data/perf_data_private.h"

#define BUILD_ID_FIELD	   24	     /* bytes reserved for a build id in its record */
#define MISC_BUILD_ID_SIZE (1 << 15) /* byte 20 of the field is the length */
#define MAX_WORDS	   65536     /* of a command line */

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
			perf_data_damage(data, "header section %u lies outside the file", feature);
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

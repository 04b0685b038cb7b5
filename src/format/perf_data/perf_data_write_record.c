/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Encoding of synthetic records (see perf_data_write_record.h). Layouts: struct comments of enum
 * perf_event_type in include/uapi/linux/perf_event.h; BUILD_ID is perf.data's own type. */
#include "format/perf_data/perf_data_write_record.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "base/buf.h"
#include "event/desc.h"
#include "event/event.h"

#define RECORD_HEADER_BUILD_ID 67
#define BUILD_ID_FIELD	       24 /* 20 bytes, their count, padding */
#define MISC_BUILD_ID_SIZE     (1 << 15)
#define RECORD_MAX	       UINT16_MAX

static void put(struct buf *out, const void *data, size_t len)
{
	(void)buf_append(out, data, len); /* far below the limit: one record */
}

static void put_u32(struct buf *out, uint32_t value)
{
	put(out, &value, sizeof(value));
}

static void put_u64(struct buf *out, uint64_t value)
{
	put(out, &value, sizeof(value));
}

/* With its NUL, padded to 8 bytes. */
static void put_name(struct buf *out, const char *name)
{
	static const char zero[8];
	size_t len = strlen(name) + 1;

	put(out, name, len);
	put(out, zero, -len & 7);
}

static void put_trailer(struct buf *out, const struct event_set *events, const struct event *event)
{
	const struct perf_event_attr *attr = &events->desc.item[0]->attr;
	uint64_t type = attr->sample_type;

	if (!attr->sample_id_all)
		return;
	if (type & PERF_SAMPLE_TID) {
		put_u32(out, event->pid);
		put_u32(out, event->tid);
	}
	if (type & PERF_SAMPLE_TIME)
		put_u64(out, event->has_time ? event->time_ns : 0);
	if (type & PERF_SAMPLE_ID)
		put_u64(out, 0);
	if (type & PERF_SAMPLE_STREAM_ID)
		put_u64(out, 0);
	if (type & PERF_SAMPLE_CPU)
		put_u64(out, event->cpu); /* the upper half is reserved */
	if (type & PERF_SAMPLE_IDENTIFIER)
		put_u64(out, 0);
}

static void put_build_id(struct buf *out, const struct build_id *id)
{
	uint8_t field[4 + BUILD_ID_MAX] = { id->len };

	memcpy(field + 4, id->bytes, id->len);
	put(out, field, sizeof(field));
}

/* Kernel maps without a build id are plain MMAPs, as every reader expects them. Returns the type.
 */
static uint32_t put_mmap(struct buf *out, const struct event *event, uint16_t *misc)
{
	const struct event_mmap *map = &event->mmap;
	bool kernel = (event->misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL;

	if (!(map->prot & PROT_EXEC) && !kernel)
		*misc |= PERF_RECORD_MISC_MMAP_DATA;
	put_u32(out, event->pid);
	put_u32(out, event->tid);
	put_u64(out, map->start);
	put_u64(out, map->len);
	put_u64(out, map->pgoff);
	if (kernel && !map->build_id.len) {
		put_name(out, map->path);
		return PERF_RECORD_MMAP;
	}
	if (map->build_id.len) {
		*misc |= PERF_RECORD_MISC_MMAP_BUILD_ID;
		put_build_id(out, &map->build_id);
	} else {
		put_u32(out, map->maj);
		put_u32(out, map->min);
		put_u64(out, map->ino);
		put_u64(out, map->ino_generation);
	}
	put_u32(out, map->prot);
	put_u32(out, map->flags);
	put_name(out, map->path);
	return PERF_RECORD_MMAP2;
}

static uint32_t put_task(struct buf *out, const struct event *event)
{
	put_u32(out, event->pid);
	put_u32(out, event->task.ppid);
	put_u32(out, event->tid);
	put_u32(out, event->task.ptid);
	put_u64(out, event->has_time ? event->time_ns : 0);
	return event->type == EVENT_FORK ? PERF_RECORD_FORK : PERF_RECORD_EXIT;
}

static uint32_t put_ksymbol(struct buf *out, const struct event *event)
{
	uint16_t type = (uint16_t)event->ksymbol.ksym_type, flags = (uint16_t)event->ksymbol.flags;

	put_u64(out, event->ksymbol.addr);
	put_u32(out, event->ksymbol.len);
	put(out, &type, sizeof(type));
	put(out, &flags, sizeof(flags));
	put_name(out, event->ksymbol.name);
	return PERF_RECORD_KSYMBOL;
}

static uint32_t put_bpf(struct buf *out, const struct event *event)
{
	uint16_t type = (uint16_t)event->bpf.type, flags = (uint16_t)event->bpf.flags;

	put(out, &type, sizeof(type));
	put(out, &flags, sizeof(flags));
	put_u32(out, event->bpf.id);
	put(out, event->bpf.tag, sizeof(event->bpf.tag));
	return PERF_RECORD_BPF_EVENT;
}

static void put_ids(struct buf *out, const struct event *event)
{
	put_u32(out, event->pid);
	put_u32(out, event->tid);
}

static uint32_t put_namespaces(struct buf *out, const struct event *event)
{
	put_ids(out, event);
	put_u64(out, event->namespaces.count);
	put(out, event->namespaces.item, event->namespaces.count * sizeof(*event->namespaces.item));
	return PERF_RECORD_NAMESPACES;
}

/* No trailer: a record of the file format, not of the kernel. */
static uint32_t put_build_id_record(struct buf *out, const struct event *event, uint16_t *misc)
{
	uint8_t field[BUILD_ID_FIELD] = { 0 };

	memcpy(field, event->build_id.id.bytes, event->build_id.id.len);
	field[BUILD_ID_MAX] = event->build_id.id.len;
	*misc |= MISC_BUILD_ID_SIZE;
	put_u32(out, event->pid);
	put(out, field, sizeof(field));
	put_name(out, event->build_id.path);
	put_u32(out, 0); /* pid and id take 28 bytes: keeps the record a multiple of 8 */
	return RECORD_HEADER_BUILD_ID;
}

/* Appends the body; returns the record type, 0 for events that recorders do not make. */
static uint32_t put_body(struct buf *out, const struct event *event, uint16_t *misc)
{
	switch (event->type) {
	case EVENT_MMAP:
		return put_mmap(out, event, misc);
	case EVENT_COMM:
		put_ids(out, event);
		put_name(out, event->comm.name);
		*misc |= event->comm.exec ? PERF_RECORD_MISC_COMM_EXEC : 0;
		return PERF_RECORD_COMM;
	case EVENT_FORK:
	case EVENT_EXIT:
		return put_task(out, event);
	case EVENT_NAMESPACES:
		return put_namespaces(out, event);
	case EVENT_KSYMBOL:
		return put_ksymbol(out, event);
	case EVENT_BPF:
		return put_bpf(out, event);
	case EVENT_CGROUP:
		put_u64(out, event->cgroup.id);
		put_name(out, event->cgroup.path);
		return PERF_RECORD_CGROUP;
	case EVENT_LOST:
		put_u64(out, event->id);
		put_u64(out, event->lost.count);
		return PERF_RECORD_LOST;
	case EVENT_LOST_SAMPLES:
		put_u64(out, event->lost.count);
		return PERF_RECORD_LOST_SAMPLES;
	case EVENT_BUILD_ID:
		return put_build_id_record(out, event, misc);
	default:
		return 0;
	}
}

int perf_data_encode(const struct event_set *events, const struct event *event, struct buf *ret)
{
	struct perf_event_header header = { .misc = event->misc };
	struct buf body = { .limit = RECORD_MAX + 1 };
	int r = 0;

	header.type = put_body(&body, event, &header.misc);
	if (!header.type)
		r = -EINVAL;
	else if (header.type < 64)
		put_trailer(&body, events, event);
	if (r == 0 && body.len > RECORD_MAX - sizeof(header) - 64)
		r = -E2BIG; /* a part was refused, or comes too near to the limit */
	if (r == 0) {
		header.size = (uint16_t)(sizeof(header) + body.len);
		r = buf_append(ret, &header, sizeof(header));
	}
	if (r == 0)
		r = buf_append(ret, body.data, body.len);
	buf_done(&body);
	return r;
}

static uint64_t two_u32(uint32_t first, uint32_t second)
{
	const uint32_t pair[2] = { first, second };
	uint64_t word;

	memcpy(&word, pair, sizeof(word));
	return word;
}

static unsigned fixed_words(uint64_t type)
{
	return !!(type & PERF_SAMPLE_IDENTIFIER) + !!(type & PERF_SAMPLE_IP) +
	       !!(type & PERF_SAMPLE_TID) + !!(type & PERF_SAMPLE_TIME) +
	       !!(type & PERF_SAMPLE_ADDR) + !!(type & PERF_SAMPLE_ID) +
	       !!(type & PERF_SAMPLE_CPU) + !!(type & PERF_SAMPLE_PERIOD);
}

/* A length of 32 bits and the bytes, in whole words, as the kernel has it. */
static size_t raw_words(const struct event_sample *sample)
{
	return (sizeof(uint32_t) + sample->raw_len + sizeof(uint64_t) - 1) / sizeof(uint64_t);
}

static void put_raw(const struct event_sample *sample, uint64_t *word)
{
	uint32_t padded = (uint32_t)(raw_words(sample) * sizeof(uint64_t) - sizeof(uint32_t));
	uint8_t *at = (uint8_t *)word;

	word[raw_words(sample) - 1] = 0;
	memcpy(at, &padded, sizeof(padded));
	if (sample->raw_len)
		memcpy(at + sizeof(padded), sample->raw, sample->raw_len);
}

size_t perf_data_sample_bytes(const struct event *event)
{
	uint64_t type = event->desc->attr.sample_type;
	size_t words = fixed_words(type);

	if (type & PERF_SAMPLE_CALLCHAIN)
		words += 1 + event->sample.chain_len;
	if (type & PERF_SAMPLE_RAW)
		words += raw_words(&event->sample);
	words += !!(type & PERF_SAMPLE_WEIGHT) + !!(type & PERF_SAMPLE_DATA_SRC) +
		 !!(type & PERF_SAMPLE_DATA_PAGE_SIZE);
	words = sizeof(struct perf_event_header) + words * sizeof(uint64_t);
	return words <= RECORD_MAX ? words : 0;
}

void perf_data_put_sample(const struct event *event, void *place)
{
	const struct event_sample *sample = &event->sample;
	uint64_t type = event->desc->attr.sample_type, *word = place;
	const struct perf_event_header header = { .type = PERF_RECORD_SAMPLE,
						  .misc = event->misc,
						  .size = (uint16_t)perf_data_sample_bytes(event) };
	const struct {
		uint64_t bit, value;
	} fields[] = {
		{ PERF_SAMPLE_IDENTIFIER, event->id },
		{ PERF_SAMPLE_IP, sample->ip },
		{ PERF_SAMPLE_TID, two_u32(event->pid, event->tid) },
		{ PERF_SAMPLE_TIME, event->time_ns },
		{ PERF_SAMPLE_ADDR, sample->addr },
		{ PERF_SAMPLE_ID, event->id },
		{ PERF_SAMPLE_CPU, two_u32(event->cpu, 0) }, /* reserved */
		{ PERF_SAMPLE_PERIOD, sample->period },
	};

	memcpy(word++, &header, sizeof(header));
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if (type & fields[i].bit)
			*word++ = fields[i].value;
	if (type & PERF_SAMPLE_CALLCHAIN) {
		*word++ = sample->chain_len;
		if (sample->chain_len)
			memcpy(word, sample->chain, sample->chain_len * sizeof(uint64_t));
		word += sample->chain_len;
	}
	if (type & PERF_SAMPLE_RAW) {
		put_raw(sample, word);
		word += raw_words(sample);
	}
	if (type & PERF_SAMPLE_WEIGHT)
		*word++ = sample->weight;
	if (type & PERF_SAMPLE_DATA_SRC)
		*word++ = sample->data_src;
	if (type & PERF_SAMPLE_DATA_PAGE_SIZE)
		*word = sample->data_page_size;
}

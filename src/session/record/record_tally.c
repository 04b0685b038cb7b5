/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counting records on their way (see record_tally.h). Layouts: include/uapi/linux/perf_event.h. */
#include "session/record/record_tally.h"

#include <linux/perf_event.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/arena.h"
#include "event/desc.h"

void record_tally_open(struct record_tally *tally, const struct event_set *events)
{
	long cpus = sysconf(_SC_NPROCESSORS_CONF);

	*tally = (struct record_tally){ .cpus = cpus > 0 ? (size_t)cpus : 1 };
	if (tally->cpus > RECORD_TALLY_CPUS)
		tally->cpus = RECORD_TALLY_CPUS;
	tally->lost_by_cpu = mem_zalloc(tally->cpus * sizeof(uint64_t));
	tally->throttled_by_cpu = mem_zalloc(tally->cpus * sizeof(uint64_t));
	if (events->desc.count) {
		uint64_t type = events->desc.item[0]->attr.sample_type;

		/* All events of a recording share these bits. */
		if (type & PERF_SAMPLE_TIME)
			tally->time_offset =
				sizeof(struct perf_event_header) +
				8 * (!!(type & PERF_SAMPLE_IDENTIFIER) + !!(type & PERF_SAMPLE_IP) +
				     !!(type & PERF_SAMPLE_TID));
	}
}

void record_tally_close(struct record_tally *tally)
{
	free(tally->lost_by_cpu);
	free(tally->throttled_by_cpu);
}

void record_tally_sum(struct record_tally *tally, const struct record_tally *more)
{
	tally->samples += more->samples;
	tally->records += more->records;
	tally->lost_records += more->lost_records;
	tally->lost_samples += more->lost_samples;
	tally->throttled += more->throttled;
	if (more->first_ns && (!tally->first_ns || more->first_ns < tally->first_ns))
		tally->first_ns = more->first_ns;
	if (more->last_ns > tally->last_ns)
		tally->last_ns = more->last_ns;
	for (size_t i = 0; i < tally->cpus; i++) {
		tally->lost_by_cpu[i] += more->lost_by_cpu[i];
		tally->throttled_by_cpu[i] += more->throttled_by_cpu[i];
	}
}

void record_tally_reset(struct record_tally *tally)
{
	struct record_tally empty = { .lost_by_cpu = tally->lost_by_cpu,
				      .throttled_by_cpu = tally->throttled_by_cpu,
				      .cpus = tally->cpus,
				      .time_offset = tally->time_offset };

	*tally = empty;
	memset(tally->lost_by_cpu, 0, tally->cpus * sizeof(uint64_t));
	memset(tally->throttled_by_cpu, 0, tally->cpus * sizeof(uint64_t));
}

void record_tally_lost(struct record_tally *tally, int cpu, uint64_t lost, uint64_t counted)
{
	size_t slot = cpu < 0 ? 0 : (size_t)cpu;

	if (lost <= counted || slot >= tally->cpus)
		return;
	tally->lost_by_cpu[slot] += lost - counted;
	tally->lost_records += lost - counted;
}

/* Where they lie in the record. */
#define MMAP2_PROT 64
#define MMAP2_PATH 72

static uint64_t u64_at(const uint8_t *record, size_t offset)
{
	uint64_t value;

	memcpy(&value, record + offset, sizeof(value));
	return value;
}

static void note_time(struct record_tally *tally, uint64_t time_ns)
{
	if (!tally->first_ns || time_ns < tally->first_ns)
		tally->first_ns = time_ns;
	if (time_ns > tally->last_ns)
		tally->last_ns = time_ns;
}

void record_tally_sample(struct record_tally *tally, uint64_t time_ns)
{
	tally->samples++;
	tally->records++;
	note_time(tally, time_ns);
}

static void add_sample(struct record_tally *tally, const uint8_t *record, size_t size)
{
	tally->samples++;
	if (tally->time_offset && tally->time_offset + 8 <= size)
		note_time(tally, u64_at(record, tally->time_offset));
}

bool record_tally_add(struct record_tally *tally, int cpu, const uint8_t *data, size_t len)
{
	size_t slot = cpu < 0 ? 0 : (size_t)cpu;
	bool maps = false;

	if (slot >= tally->cpus)
		slot = tally->cpus - 1;
	for (size_t at = 0; at + sizeof(struct perf_event_header) <= len;) {
		const struct perf_event_header *header = (const void *)(data + at);
		uint64_t count;

		switch (header->type) {
		case PERF_RECORD_SAMPLE:
			add_sample(tally, data + at, header->size);
			break;
		case PERF_RECORD_LOST: /* u64 id, lost */
			count = u64_at(data + at, sizeof(*header) + 8);
			tally->lost_records += count;
			tally->lost_by_cpu[slot] += count;
			break;
		case PERF_RECORD_LOST_SAMPLES: /* u64 lost */
			count = u64_at(data + at, sizeof(*header));
			tally->lost_samples += count;
			tally->lost_by_cpu[slot] += count;
			break;
		case PERF_RECORD_THROTTLE:
			tally->throttled++;
			tally->throttled_by_cpu[slot]++;
			break;
		case PERF_RECORD_MMAP2:
			maps |= header->misc & PERF_RECORD_MISC_MMAP_BUILD_ID ||
				(header->size >= MMAP2_PATH &&
				 (u64_at(data + at, MMAP2_PROT) & PROT_EXEC));
			break;
		default:
			break;
		}
		tally->records++;
		if (header->size < sizeof(*header))
			break; /* the kernel writes none of these */
		at += header->size;
	}
	return maps;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The feature sections of perf.data: facts about the machine and the recording, one payload each.
 * Format: perf.data-file-format.txt; strings are a u32 length and bytes padded with NULs. */
#ifndef FORMAT_PERF_DATA_WRITE_FEATURE_H
#define FORMAT_PERF_DATA_WRITE_FEATURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;
struct event_desc;
struct event_set;
struct perf_data_facts;
struct perf_data_summary;

struct perf_feature_input {
	const struct event_set *events;
	const struct perf_data_facts *facts;
	const struct perf_data_summary *summary; /* NULL at the start of a pipe */
	uint64_t raw_bytes, compressed_bytes;	 /* of -z, for its ratio */
	bool no_ids; /* leave the ids out of EVENT_DESC (they would not fit a record) */
};

/* Appends the payload of one feature; returns false if there is none. An empty payload is valid:
 * the presence of the feature is the information. */
bool perf_feature_put(unsigned feature, const struct perf_feature_input *input, struct buf *ret);

/* The attr as the file holds it, PERF_DATA_ATTR_SIZE bytes. */
#define PERF_DATA_ATTR_SIZE 128
void perf_feature_put_attr(struct buf *out, const struct event_desc *desc);

/* CPU model for the CPUID feature as perf spells it ("GenuineIntel,6,143,8"), in format/arch/.
 * False when unknown. */
bool perf_feature_cpu_id(char *ret, size_t size);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the files of the perf.data reader. Each uses only those before it: perf_data_bytes.c
 * reads plain values, perf_data_swap.c makes foreign records host-endian, perf_data_feature.c reads
 * the events and header sections, perf_data_names.c kept names, perf_data_facts.c reads Cupel's own
 * facts, perf_data_order.c sorts records by time, perf_data_deliver.c delivers them,
 * perf_data_unpack.c decompresses, perf_data_stream.c finds the records, and perf_data.c opens and
 * reads. Only these files include this header. */
#ifndef FORMAT_PERF_DATA_PRIVATE_H
#define FORMAT_PERF_DATA_PRIVATE_H

#include <byteswap.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/map.h"
#include "base/vec.h"
#include "format/perf_data/perf_data.h"
#include "format/perf_data/perf_data_order.h"
#include "profile/machine_series.h"

/* Record types made by user space (tools/lib/perf/include/perf/event.h). */
enum user_record {
	USER_RECORD_ATTR = 64,
	USER_RECORD_TRACING_DATA = 66,
	USER_RECORD_BUILD_ID = 67,
	USER_RECORD_ROUND = 68,
	USER_RECORD_ID_INDEX = 69,
	USER_RECORD_AUXTRACE = 71,
	USER_RECORD_EVENT_UPDATE = 78,
	USER_RECORD_FEATURE = 80,
	USER_RECORD_COMPRESSED = 81,
	USER_RECORD_COMPRESSED2 = 83,
	USER_RECORD_LAST = 86, /* the last one known */
};

#define KERNEL_RECORD_LAST 22 /* CALLCHAIN_DEFERRED */
#define FEATURE_COUNT	   256

/* Bytes of the file read front to back, in the file's byte order. Reading past the end sets
 * `failed` and gives zeros. */
struct blob {
	const uint8_t *at, *end;
	bool swapped, failed;
};

uint16_t blob_u16(struct blob *blob);
uint32_t blob_u32(struct blob *blob);
uint64_t blob_u64(struct blob *blob);
const uint8_t *blob_bytes(struct blob *blob, size_t len); /* NULL when there are fewer */
/* perf's length-prefixed string; NULL if missing. Borrowed if NUL-terminated in place. */
const char *blob_string(struct blob *blob);
size_t blob_left(const struct blob *blob);

/* Memory for records that do not lie in a map: chunks that never move, freed once all of their
 * records are delivered. */
struct chunk {
	struct chunk *next;
	uint64_t round; /* in which the last of its records was found */
	size_t len, capacity;
	uint64_t data[];
};

struct chunks {
	struct chunk *first, *last;
	size_t at;	   /* first byte of `last` not parsed yet */
	size_t held_bytes; /* capacity of all chunks */
};

/* Room for at least `least` more bytes after the unparsed ones, which may move. */
uint8_t *chunks_room(struct chunks *chunks, size_t least, size_t *ret_room);
void chunks_free_before(struct chunks *chunks, uint64_t round);
void chunks_done(struct chunks *chunks);

struct perf_data {
	struct input *input;
	const uint8_t *map; /* the whole input, NULL = it is a stream */
	size_t map_len;
	struct arena arena;
	struct event_set events;
	struct perf_data_header header;
	struct perf_data_stats stats;
	struct perf_data_stats delivered; /* what order_deliver counts, until reading has ended */
	struct {
		const uint8_t *data;
		size_t len;
	} feature[FEATURE_COUNT];

	struct buf tracing_data; /* of a stream */
	struct buf names;	 /* pieces of the kept names, in their order */
	struct perf_data_beside beside;
	struct perf_data_tap tap; /* record NULL = none */

	/* Reading. */
	const uint8_t *at, *end; /* with a map: what is still to be read */
	size_t round_start;	 /* with a map: where the round began, */
	size_t round_before;	 /* and the one before */
	struct chunks stream, unpacked;
	struct order order;
	uint64_t flushed_round; /* order.round of the last flush */
	struct unpacker *unpacker;
	size_t unpack_limit; /* bytes one compressed record may become */
	bool stopped;	     /* damage that ends the delivery */
	bool has_end;	     /* with what is written last: facts of the recorder, or "part" */
	bool unordered;
	bool background;				      /* requested */
	bool one_window;				      /* ignore rounds (directory format) */
	uint64_t recorded_lost_samples, recorded_lost_events; /* by the recorder */
	uint64_t recorded_truncated_bytes;		      /* of what this is a copy of */
	VEC(struct perf_data_cpu_stats) cpu_stats;	      /* backing of stats.cpu */
	struct machine_series context;
	struct map counters; /* id → last value, for samples that carry counter values */
	struct sink *sink;
	uint64_t *record_copy;	/* 64 KiB: a record made aligned and host-endian, to decode */
	uint64_t *record_probe; /* same, to look at its time */
	VEC(struct input *) members;
};

/* Stores the text of the first damage; the caller counts each one. */
void perf_data_damage(struct perf_data *data, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
struct blob perf_data_blob(const struct perf_data *data, const void *bytes, size_t len);

/* perf_data_feature.c */
int perf_data_read_attrs(struct perf_data *data, uint64_t offset, uint64_t size, uint64_t stride,
			 struct err *err);
bool perf_data_take_attr(struct perf_data *data, struct blob record);
void perf_data_take_update(struct perf_data *data, struct blob record);
void perf_data_take_event_desc(struct perf_data *data, struct blob section);
void perf_data_take_group_desc(struct perf_data *data, struct blob section);
void perf_data_read_features(struct perf_data *data, uint64_t offset);
void perf_data_take_feature(struct perf_data *data, unsigned feature, const uint8_t *bytes,
			    size_t len);

/* The body of a build id record. */
bool perf_data_decode_build_id(struct blob body, uint16_t misc, struct event *ret);

/* perf_data_swap.c: makes a kernel record host-endian, in place (it is known to be whole). */
void perf_data_swap_attr(struct perf_event_attr *attr);
void perf_data_swap_record(const struct event_set *set, struct perf_event_header *header);
static inline struct perf_event_header perf_data_record_header(const struct perf_data *data,
							       const uint8_t *record)
{
	struct perf_event_header header;

	memcpy(&header, record, sizeof(header));
	if (data->header.swapped) {
		header.type = bswap_32(header.type);
		header.misc = bswap_16(header.misc);
		header.size = bswap_16(header.size);
	}
	return header;
}

/* perf_data_stream.c: finds records in sequence and handles those about the file itself. */
int perf_data_stream(struct perf_data *data, struct err *err);
/* Pipe mode: the records before the first event. */
int perf_data_stream_head(struct perf_data *data, struct err *err);

/* perf_data_unpack.c */
int perf_data_unpack(struct perf_data *data, const uint8_t *packed, size_t len, struct err *err);
void perf_data_unpack_done(struct perf_data *data);

/* perf_data_deliver.c */
/* Counts the record, then queues it for its turn or hands it over when it has no time. */
int perf_data_take_record(struct perf_data *data, const uint8_t *record,
			  struct perf_event_header header, struct err *err);
/* The same for the samples at the front of these bytes, without copying; returns the number of
 * bytes consumed. The fast path for most records; perf_data_take_record() handles the rest. */
size_t perf_data_take_samples(struct perf_data *data, const uint8_t *bytes, size_t len);
int perf_data_flush(struct perf_data *data, uint64_t limit_ns, struct err *err);
int perf_data_deliver(void *data, const struct timed_record *item, size_t count, struct err *err);

/* Takes Cupel's own facts from the body of an ID_INDEX record; others are left alone. */
void perf_data_apply_facts(struct perf_data *data, struct blob body);

/* perf_data_names.c: kept names become PERF_FEATURE_KEPT_NAMES. */
bool perf_data_is_names(struct blob body); /* of an ID_INDEX record */
/* The next piece. */
void perf_data_take_names(struct perf_data *data, struct blob body);
/* In the records of a file. */
void perf_data_find_names(struct perf_data *data, const uint8_t *begin, const uint8_t *end);

#endif

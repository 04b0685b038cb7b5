/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes perf.data files that stock perf 6.1 and newer, hotspot and samply read. Compresses only on
 * request. Header attr size is ≤ 128. Not thread-safe.
 *
 * Crash-safe: every round advances header.data.size, so a file is readable up to the last complete
 * round even if its writer died. Feature payloads known at the start precede the data; their index,
 * which must follow the data, is written with every round and overwritten by the next data. A full
 * disk ends the data at the last round; finish() still works.
 *
 * Cupel's own facts are stored as ID_INDEX records (type 69) with 0 entries, which every reader
 * silently skips, followed by the magic below and lines "key value" or "key CPU value", padded with
 * NULs: self_cpu_ns, self_peak_rss_bytes, lost_samples, lost_records, lost_cpu, throttled_cpu,
 * walk_time and the counts of event/walk_cost.h; in the copy of a damaged recording also
 * truncated_bytes and damage (a text). A part of a recording that goes on has "part 1" instead of
 * those of the recorder: it is a whole file, although no recorder ended.
 *
 * Names that are kept (symbol/kept/kept_names.h) are in such records too: a magic, the u32 number
 * of bytes from here to their end, and as many of them as the record has room for. Behind the last
 * one, at the end of a file's data, is a record with the other magic and the u32 size of all those
 * records. In pipe mode they precede the data. */
#ifndef FORMAT_PERF_DATA_WRITE_H
#define FORMAT_PERF_DATA_WRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event/event.h"

struct byte_queue;
struct err;
struct event_set;
struct perf_data;
struct perf_data_writer;
struct walk_cost;

#define PERF_DATA_FACTS_MAGIC	  "cupel-facts 1\n"
#define PERF_DATA_NAMES_MAGIC	  "cupel-names\n"
#define PERF_DATA_NAMES_END_MAGIC "cupel-n-end\n" /* as long */
#define PERF_DATA_NAMES_PREFIX	  (8 + 8 + sizeof(PERF_DATA_NAMES_MAGIC) - 1 + 4)

/* Facts known at the start. */
struct perf_data_facts {
	int fd; /* an empty regular file for file mode, anything for pipe mode; the caller's */
	bool pipe;
	struct byte_queue *queue; /* pipe mode: instead of fd, for a reader in this program */
	/* Pipe mode; may be NULL. True once the recording should end: then the writer gives up
	 * on a reader that reads nothing for two seconds. Called on the writing thread. */
	bool (*asked_to_stop)(const void *context);
	const void *stop_context;
	bool counts; /* of stat record: counts, no samples */
	const char *const *cmdline;
	size_t cmdline_count;
	uint64_t clockid; /* 0 = perf's default clock */
	bool sample_clockid;
	uint64_t clock_res_ns;
	int zstd_level;	 /* 0 = no compression */
	size_t mmap_len; /* bytes of one ring, for COMPRESSED */
	/* A recording of this byte order that is copied: the features are its own but for those of
	 * the events, and its records have Cupel's facts. NULL = none. */
	const struct perf_data *from;
	bool part;	   /* of that recording, which goes on; its records have no facts */
	const void *names; /* to keep, known from the start: pipe mode alone */
	size_t names_len;
	const void *tracing_data; /* from source/event_spec/tracepoint.h; NULL = no tracepoints */
	size_t tracing_data_len;
};

/* The events (with all their ids) and the facts' pointers must stay valid until free(). */
int perf_data_writer_open(const struct event_set *events, const struct perf_data_facts *facts,
			  struct perf_data_writer **ret, struct err *err);
/* Records as they came from a ring; host-endian kernel ABI. A record may straddle two calls in a
 * row.
 */
int perf_data_writer_records(struct perf_data_writer *writer, const void *data, size_t len,
			     struct err *err);
/* A synthetic event (MMAP, COMM, FORK, KSYMBOL, …), encoded with the sample_id trailer. */
int perf_data_writer_event(struct perf_data_writer *writer, const struct event *event,
			   struct err *err);
/* Ends a round: FINISHED_ROUND, and in file mode everything so far becomes readable after a crash.
 */
int perf_data_writer_round(struct perf_data_writer *writer, struct err *err);

/* Contents of the feature sections at the end. */
struct perf_data_summary {
	uint64_t first_ns, last_ns;
	uint64_t self_cpu_ns, self_peak_rss_bytes;
	uint64_t lost_samples, lost_records; /* over all CPUs */
	uint64_t truncated_bytes;	     /* of the recording that is copied; */
	const char *damage;		     /* its first damage; NULL or "" = none */
	const struct walk_cost *walks;	     /* NULL = stacks were not walked in the kernel */
	const uint64_t *lost_by_cpu;	     /* cpus entries; NULL = not known by CPU */
	const uint64_t *throttled_by_cpu;    /* cpus entries; NULL = not known by CPU */
	size_t cpus;
	const struct event *build_ids; /* EVENT_BUILD_ID events */
	size_t build_id_count;
	const void *names; /* to keep; files only */
	size_t names_len;
};

int perf_data_writer_finish(struct perf_data_writer *writer,
			    const struct perf_data_summary *summary, struct err *err);
uint64_t perf_data_writer_bytes(const struct perf_data_writer *writer);
void perf_data_writer_free(struct perf_data_writer *writer); /* NULL is fine */

#endif

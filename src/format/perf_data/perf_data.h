/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads perf.data: file and pipe mode, both byte orders, attrs of newer kernels, both kinds of
 * compression, unknown records, truncated files. Delivers everything that is complete and counts
 * what is missing. Writing: format/perf_data/perf_data_write.h. Format:
 * tools/perf/Documentation/perf.data-file-format.txt of the Linux kernel. */
#ifndef FORMAT_PERF_DATA_H
#define FORMAT_PERF_DATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event/desc.h"
#include "event/event.h"
#include "event/walk_cost.h"

struct machine_series;
struct err;
struct input;
struct module_bundle;
struct perf_data;

/* HEADER_* feature bits, numbered as in the file. */
enum perf_feature {
	PERF_FEATURE_TRACING_DATA = 1,
	PERF_FEATURE_BUILD_ID = 2,
	PERF_FEATURE_HOSTNAME = 3,
	PERF_FEATURE_OSRELEASE = 4,
	PERF_FEATURE_VERSION = 5,
	PERF_FEATURE_ARCH = 6,
	PERF_FEATURE_NRCPUS = 7,
	PERF_FEATURE_CPUDESC = 8,
	PERF_FEATURE_CPUID = 9,
	PERF_FEATURE_TOTAL_MEM = 10,
	PERF_FEATURE_CMDLINE = 11,
	PERF_FEATURE_EVENT_DESC = 12,
	PERF_FEATURE_CPU_TOPOLOGY = 13,
	PERF_FEATURE_NUMA_TOPOLOGY = 14,
	PERF_FEATURE_BRANCH_STACK = 15,
	PERF_FEATURE_PMU_MAPPINGS = 16,
	PERF_FEATURE_GROUP_DESC = 17,
	PERF_FEATURE_AUXTRACE = 18,
	PERF_FEATURE_STAT = 19,
	PERF_FEATURE_CACHE = 20,
	PERF_FEATURE_SAMPLE_TIME = 21,
	PERF_FEATURE_MEM_TOPOLOGY = 22,
	PERF_FEATURE_CLOCKID = 23,
	PERF_FEATURE_DIR_FORMAT = 24,
	PERF_FEATURE_BPF_PROG_INFO = 25,
	PERF_FEATURE_BPF_BTF = 26,
	PERF_FEATURE_COMPRESSED = 27,
	PERF_FEATURE_CPU_PMU_CAPS = 28,
	PERF_FEATURE_CLOCK_DATA = 29,
	PERF_FEATURE_HYBRID_TOPOLOGY = 30,
	PERF_FEATURE_PMU_CAPS = 31,
	PERF_FEATURE_CPU_DOMAIN_INFO = 32,
	PERF_FEATURE_E_MACHINE = 33,
	PERF_FEATURE_CLN_SIZE = 34,
	/* Cupel's own: names of the sampled code (symbol/kept/kept_names.h). Records have them
	 * (perf_data_write.h). Older files have a section with this bit, the last possible one,
	 * which perf inject crashes on. */
	PERF_FEATURE_KEPT_NAMES = 255,
	/* Cupel's own facts (self cost, per-CPU loss) travel as text in a record that every
	 * reader skips; see perf_data_write.h. */
};

/* Decoded header. Strings are owned by the perf_data; NULL or 0 = not in the file. */
struct perf_data_header {
	bool pipe, swapped, compressed;
	uint64_t features[4]; /* bitmap of features present */
	uint64_t data_offset, data_size, file_size;
	uint64_t captured_on_s; /* mtime of the file, 0 = unknown */
	const char *hostname, *os_release, *version, *arch, *cpu_desc, *cpu_id;
	uint32_t cpus_online, cpus_available;
	uint64_t total_mem_kb;
	const char *const *cmdline;
	size_t cmdline_count;
	uint64_t first_ns, last_ns; /* SAMPLE_TIME */
	uint64_t clockid, clock_res_ns;
	const uint8_t *tracing_data; /* the raw TRACING_DATA blob, for libtraceevent */
	size_t tracing_data_len;
	bool tracing_swapped;
	/* any other feature's raw payload: perf_data_feature() */
};

struct perf_data_cpu_stats {
	uint64_t lost, throttled;
};

/* Damaged and skipped parts of the stream. */
struct perf_data_stats {
	uint64_t records, samples, unknown_records, bad_records;
	uint64_t truncated_bytes; /* data the header promises but the file lacks */
	uint64_t lost_events, lost_samples, throttled;
	uint64_t aux_bytes; /* of hardware traces (Intel PT, CoreSight), which are not decoded */
	uint64_t compressed_bytes, uncompressed_bytes;
	uint64_t by_type[256];
	const struct perf_data_cpu_stats *cpu; /* from the recorder; NULL: not recorded */
	size_t cpus;
	uint64_t self_cpu_ns, self_peak_rss_bytes; /* cost of the recorder, if recorded */
	struct walk_cost walks;			   /* likewise */
	char damage[256];			   /* first damage as text, "" = none */
};

/* The input is borrowed and must outlive the perf_data. Reads header, attrs and (for files)
 * feature sections. */
int perf_data_open(struct input *input, struct perf_data **ret, struct err *err);
void perf_data_close(struct perf_data *data); /* NULL is fine */

const struct event_set *perf_data_events(const struct perf_data *data);
const struct perf_data_header *perf_data_header(const struct perf_data *data);
const struct perf_data_stats *perf_data_stats(const struct perf_data *data);
/* Machine state (event/machine.h) from the records read so far, in file order. */
const struct machine_series *perf_data_machine(const struct perf_data *data);
/* Raw payload of a feature section (file-endian); false when absent. */
bool perf_data_feature(const struct perf_data *data, unsigned feature, const uint8_t **ret,
		       size_t *ret_len);

#define PERF_DATA_NO_SOCKET UINT32_MAX
/* The position of a CPU in the recorded machine. */
uint32_t perf_data_socket(const struct perf_data *data, uint32_t cpu);

/* What came beside the file, in an archive; borrowed. */
struct perf_data_beside {
	const uint8_t *names; /* as PERF_FEATURE_KEPT_NAMES, and complete; NULL = none */
	size_t names_len;
	const struct module_bundle *binaries; /* NULL = none */
	const char *damage;		      /* of the archive, as text; NULL = none */
};

void perf_data_set_beside(struct perf_data *data, const struct perf_data_beside *beside);
const struct perf_data_beside *perf_data_beside(const struct perf_data *data);

/* Build ids of the header section, as (path, id, misc). Called before events are read. */
int perf_data_build_ids(const struct perf_data *data,
			int (*each)(void *context, const struct event *build_id), void *context);

/* Whether a whole record, of this byte order, is a part of the names that are kept. */
bool perf_data_has_names(const uint8_t *record, size_t len);

/* Asks for the file's own order instead of that by time. */
void perf_data_unordered(struct perf_data *data);

/* Offers each record as it lies in the file, after decompression, in the file's order; those of the
 * recording's header as well (in pipe mode). `tap` returns 0, or -errno with err set. */
struct perf_data_tap {
	int (*record)(void *context, const uint8_t *record, struct perf_event_header header,
		      struct err *err);
	void *context;
};
void perf_data_set_tap(struct perf_data *data, const struct perf_data_tap *tap);

/* Requests that the sink be called on a separate thread while the reader continues; its calls never
 * run concurrently. Such a sink gets no EVENT_ROUND. No effect on a sink with flush(). */
void perf_data_in_background(struct perf_data *data);

/* Delivers all events to the sink, in time order (sorted within the window that FINISHED_ROUND
 * guarantees; records without a time keep their place). In pipe mode the attrs arrive on the way,
 * before the events that need them. Damage ends the delivery but is not an error: see stats. Calls
 * the sink's flush() before letting go of bytes that delivered events point at, and last. */
int perf_data_read(struct perf_data *data, struct sink *sink, struct err *err);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The header in words (see perf_data_header_text.h), section by section in the order of their bits,
 * line for line as perf 6.1 has it. Section layouts:
 * tools/perf/Documentation/perf.data-file-format.txt of the Linux kernel. */
#include "format/perf_data/perf_data_header_text.h"

#include <time.h>

#include "base/buf.h"
#include "event/attr_text.h"
#include "format/perf_data/perf_data_private.h"

#define LAST_SHOWN PERF_FEATURE_PMU_CAPS
#define NS_PER_S   1000000000ull

/* The input of a section's writer. */
struct text {
	const struct perf_data *data;
	struct buf *out;
	struct blob blob;    /* the section */
	struct arena copies; /* of its strings */
};

struct section {
	const char *name;
	bool full_only;
	void (*write)(struct text *text);
};

/* Appending fails only past the buffer's limit; the end checks that once. */
#define PUT(text, ...) (void)buf_printf((text)->out, __VA_ARGS__)

static const char *string_from(struct text *text, struct blob *blob)
{
	const char *s = blob_string(blob);
	char *copy;

	if (!s)
		return "";
	copy = arena_strdup(&text->copies, s);
	text_tidy(copy, strlen(copy));
	return copy;
}

static const char *string_or_empty(struct text *text)
{
	return string_from(text, &text->blob);
}

static void write_hostname(struct text *text)
{
	PUT(text, "# hostname : %s\n", string_or_empty(text));
}

static void write_os_release(struct text *text)
{
	PUT(text, "# os release : %s\n", string_or_empty(text));
}

static void write_version(struct text *text)
{
	PUT(text, "# perf version : %s\n", string_or_empty(text));
}

static void write_arch(struct text *text)
{
	PUT(text, "# arch : %s\n", string_or_empty(text));
}

static void write_cpus(struct text *text)
{
	PUT(text, "# nrcpus online : %u\n", text->data->header.cpus_online);
	PUT(text, "# nrcpus avail : %u\n", text->data->header.cpus_available);
}

static void write_cpu_desc(struct text *text)
{
	PUT(text, "# cpudesc : %s\n", string_or_empty(text));
}

static void write_cpu_id(struct text *text)
{
	PUT(text, "# cpuid : %s\n", string_or_empty(text));
}

static void write_total_mem(struct text *text)
{
	PUT(text, "# total memory : %llu kB\n",
	    (unsigned long long)text->data->header.total_mem_kb);
}

static void write_cmdline(struct text *text)
{
	PUT(text, "# cmdline : ");
	for (size_t i = 0; i < text->data->header.cmdline_count; i++) {
		char *word = arena_strdup(&text->copies, text->data->header.cmdline[i]);

		text_tidy(word, strlen(word));
		for (const char *s = word; *s; s++)
			PUT(text, *s == '\'' ? "\\%c" : "%c", *s);
		PUT(text, " ");
	}
	PUT(text, "\n");
}

static void write_event_desc(struct text *text)
{
	const struct event_set *set = &text->data->events;

	for (size_t i = 0; i < set->desc.count; i++) {
		const struct event_desc *desc = set->desc.item[i];

		PUT(text, "# event : name = %s, ", desc->name);
		if (desc->ids.count) {
			PUT(text, ", id = {");
			for (size_t k = 0; k < desc->ids.count; k++)
				PUT(text, "%s %llu", k ? "," : "",
				    (unsigned long long)desc->ids.item[k]);
			PUT(text, " }");
		}
		(void)event_attr_text(&desc->attr, ", ", " = ", text->out);
		PUT(text, "\n");
	}
}

/* A counted list of strings, one line each. */
static void write_list(struct text *text, const char *label)
{
	uint32_t count = blob_u32(&text->blob);

	for (uint32_t i = 0; i < count && blob_left(&text->blob); i++)
		PUT(text, "# %s : %s\n", label, string_or_empty(text));
}

/* Core and socket of every CPU come between the lists of threads and dies, which perf shows in
 * another order. */
static void write_cpu_topology(struct text *text)
{
	uint32_t cpus = text->data->header.cpus_available;
	struct blob places, dies, threads;
	uint32_t count;

	write_list(text, "sibling sockets");
	threads = text->blob;
	count = blob_u32(&text->blob);
	for (uint32_t i = 0; i < count && blob_left(&text->blob); i++)
		(void)blob_string(&text->blob);
	places = text->blob;
	(void)blob_bytes(&text->blob, (size_t)cpus * 8);
	if (blob_left(&text->blob))
		write_list(text, "sibling dies   ");
	dies = text->blob;
	text->blob = threads;
	write_list(text, "sibling threads");
	for (uint32_t cpu = 0; cpu < cpus && blob_left(&places); cpu++) {
		uint32_t core = blob_u32(&places), socket = blob_u32(&places);

		if (blob_left(&dies))
			PUT(text, "# CPU %u: Core ID %d, Die ID %d, Socket ID %d\n", cpu, (int)core,
			    (int)blob_u32(&dies), (int)socket);
		else
			PUT(text, "# CPU %u: Core ID %d, Socket ID %d\n", cpu, (int)core,
			    (int)socket);
	}
}

static void write_numa(struct text *text)
{
	uint32_t count = blob_u32(&text->blob);

	for (uint32_t i = 0; i < count && blob_left(&text->blob); i++) {
		uint32_t node = blob_u32(&text->blob);
		uint64_t total = blob_u64(&text->blob), unused = blob_u64(&text->blob);

		PUT(text, "# node%u meminfo  : total = %llu kB, free = %llu kB\n", node,
		    (unsigned long long)total, (unsigned long long)unused);
		PUT(text, "# node%u cpu list : %s\n", node, string_or_empty(text));
	}
}

static void write_branch_stack(struct text *text)
{
	PUT(text, "# contains samples with branch stack\n");
}

static void write_pmus(struct text *text)
{
	uint32_t count = blob_u32(&text->blob);

	PUT(text, "# pmu mappings: ");
	if (!count)
		PUT(text, "not available");
	for (uint32_t i = 0; i < count && blob_left(&text->blob); i++) {
		uint32_t type = blob_u32(&text->blob);

		PUT(text, "%s%s = %u", i ? ", " : "", string_or_empty(text), type);
	}
	PUT(text, "\n");
}

static void write_groups(struct text *text)
{
	const struct event_set *set = &text->data->events;
	uint32_t groups = blob_u32(&text->blob);
	uint64_t total = 0;

	for (uint32_t i = 0; i < groups && blob_left(&text->blob); i++) {
		const char *name = string_or_empty(text);
		uint32_t leader = blob_u32(&text->blob), members = blob_u32(&text->blob);

		total += members;
		if (total > set->desc.count)
			return; /* groups do not overlap */
		if (members < 2 || leader >= set->desc.count)
			continue;
		PUT(text, "# group: %s{", strcmp(name, "{anon_group}") == 0 ? "" : name);
		for (uint32_t k = 0; k < members && leader + k < set->desc.count; k++)
			PUT(text, "%s%s", k ? "," : "", set->desc.item[leader + k]->name);
		PUT(text, "}\n");
	}
}

static void write_auxtrace(struct text *text)
{
	PUT(text, "# contains AUX area data (e.g. instruction trace)\n");
}

static void write_stat(struct text *text)
{
	PUT(text, "# contains stat data\n");
}

static void write_cache(struct text *text)
{
	uint32_t version = blob_u32(&text->blob), count = blob_u32(&text->blob);

	PUT(text, "# CPU cache info:\n");
	for (uint32_t i = 0; version == 1 && i < count && blob_left(&text->blob); i++) {
		uint32_t level = blob_u32(&text->blob);
		const char *type, *size;

		(void)blob_bytes(&text->blob, 12); /* line size, sets, ways */
		type = string_or_empty(text);
		size = string_or_empty(text);
		PUT(text, "#  L%u %-15s %8s [%s]\n", level, type, size, string_or_empty(text));
	}
}

static void write_sample_time(struct text *text)
{
	uint64_t first = text->data->header.first_ns, last = text->data->header.last_ns;

	PUT(text, "# time of first sample : %llu.%06llu\n", (unsigned long long)(first / NS_PER_S),
	    (unsigned long long)(first % NS_PER_S / 1000));
	PUT(text, "# time of last sample : %llu.%06llu\n", (unsigned long long)(last / NS_PER_S),
	    (unsigned long long)(last % NS_PER_S / 1000));
	PUT(text, "# sample duration : %10.3f ms\n", (double)(last - first) / 1e6);
}

/* "11G": whole units only. */
static void put_size(struct text *text, uint64_t bytes)
{
	static const char units[] = "BKMG";
	size_t unit = 0;

	while (bytes / 1024 > 1 && unit < 3) {
		bytes /= 1024;
		unit++;
	}
	PUT(text, "%llu%c", (unsigned long long)bytes, units[unit]);
}

static bool bit(const struct blob *words, uint64_t i)
{
	struct blob word = *words;

	(void)blob_bytes(&word, i / 64 * 8);
	return blob_u64(&word) >> i % 64 & 1;
}

/* "0-23,32-199" */
static void put_bit_ranges(struct text *text, const struct blob *words, uint64_t bits)
{
	const char *comma = "";

	for (uint64_t i = 0; i < bits; i++) {
		uint64_t first = i;

		if (!bit(words, i))
			continue;
		while (i + 1 < bits && bit(words, i + 1))
			i++;
		PUT(text, i == first ? "%s%llu" : "%s%llu-%llu", comma, (unsigned long long)first,
		    (unsigned long long)i);
		comma = ",";
	}
}

static void write_mem_topology(struct text *text)
{
	uint64_t version = blob_u64(&text->blob), block = blob_u64(&text->blob);
	uint64_t count = blob_u64(&text->blob);

	if (version != 1)
		return;
	PUT(text, "# memory nodes (nr %llu, block size 0x%llx):\n", (unsigned long long)count,
	    (unsigned long long)block);
	for (uint64_t i = 0; i < count && blob_left(&text->blob); i++) {
		uint64_t node = blob_u64(&text->blob), present = 0, bits;
		struct blob words;

		(void)blob_u64(&text->blob); /* bits again */
		bits = blob_u64(&text->blob);
		words = text->blob;
		if (bits > blob_left(&words) * 8)
			return;
		for (uint64_t k = 0; k < bits; k++)
			present += bit(&words, k);
		PUT(text, "#  %3llu [", (unsigned long long)node);
		put_size(text, present * block);
		PUT(text, "]: ");
		put_bit_ranges(text, &words, bits);
		PUT(text, "\n");
		(void)blob_bytes(&text->blob, (bits + 63) / 64 * 8);
	}
}

static void write_clock_id(struct text *text)
{
	PUT(text, "# clockid frequency: %llu MHz\n",
	    (unsigned long long)text->data->header.clock_res_ns * 1000);
}

static void write_dir_format(struct text *text)
{
	PUT(text, "# directory data version : %llu\n", (unsigned long long)blob_u64(&text->blob));
}

static void write_compressed(struct text *text)
{
	uint32_t type, level, ratio;

	(void)blob_u32(&text->blob); /* version */
	type = blob_u32(&text->blob);
	level = blob_u32(&text->blob);
	ratio = blob_u32(&text->blob);
	PUT(text, "# compressed : %s, level = %d, ratio = %u\n", type == 1 ? "Zstd" : "Unknown",
	    (int)level, ratio);
}

static void put_caps(struct text *text, struct blob *caps, uint32_t count)
{
	for (uint32_t i = 0; i < count && blob_left(caps); i++) {
		const char *name = string_from(text, caps);

		PUT(text, "%s%s=%s", i ? ", " : "", name, string_from(text, caps));
	}
	PUT(text, "\n");
}

static void write_cpu_caps(struct text *text)
{
	uint32_t count = blob_u32(&text->blob);

	PUT(text, "# cpu pmu capabilities: ");
	put_caps(text, &text->blob, count);
}

/* The PMU's name comes after its capabilities. */
static void write_pmu_caps(struct text *text)
{
	uint32_t pmus = blob_u32(&text->blob);

	for (uint32_t i = 0; i < pmus && blob_left(&text->blob); i++) {
		uint32_t count = blob_u32(&text->blob);
		struct blob caps = text->blob;

		for (uint32_t k = 0; k < count && blob_left(&text->blob); k++) {
			(void)blob_string(&text->blob);
			(void)blob_string(&text->blob);
		}
		PUT(text, "# %s pmu capabilities: ", string_or_empty(text));
		put_caps(text, &caps, count);
	}
}

static const char *clock_name(uint32_t clockid)
{
	switch (clockid) {
	case CLOCK_REALTIME:
		return "realtime";
	case CLOCK_MONOTONIC:
		return "monotonic";
	case CLOCK_MONOTONIC_RAW:
		return "monotonic_raw";
	case CLOCK_BOOTTIME:
		return "boottime";
	case CLOCK_TAI:
		return "tai";
	default:
		return "(not found)";
	}
}

/* As asctime() has it, or sortable. */
static void put_local_time(struct text *text, uint64_t time_s, bool sortable)
{
	time_t when = (time_t)time_s;
	struct tm tm;
	char out[64];
	size_t len;

	if (!localtime_r(&when, &tm))
		return;
	len = sortable ? strftime(out, sizeof(out), "%Y-%m-%d %H:%M:%S", &tm)
		       : strftime(out, sizeof(out), "%a %b %e %H:%M:%S %Y", &tm);
	PUT(text, "%.*s", (int)len, out);
}

static void write_clock_data(struct text *text)
{
	uint32_t clockid;
	uint64_t wall, clock;

	(void)blob_u32(&text->blob); /* version */
	clockid = blob_u32(&text->blob);
	wall = blob_u64(&text->blob);
	clock = blob_u64(&text->blob);
	PUT(text, "# clockid: %s (%u)\n# reference time: ", clock_name(clockid), clockid);
	put_local_time(text, wall / NS_PER_S, true);
	PUT(text, ".%06llu = %llu.%06llu (TOD) = %llu.%09llu (%s)\n",
	    (unsigned long long)(wall % NS_PER_S / 1000), (unsigned long long)(wall / NS_PER_S),
	    (unsigned long long)(wall % NS_PER_S / 1000), (unsigned long long)(clock / NS_PER_S),
	    (unsigned long long)(clock % NS_PER_S), clock_name(clockid));
}

static void write_hybrid(struct text *text)
{
	uint32_t count = blob_u32(&text->blob);

	PUT(text, "# hybrid cpu system:\n");
	for (uint32_t i = 0; i < count && blob_left(&text->blob); i++) {
		const char *name = string_or_empty(text);

		PUT(text, "# %s cpu list : %s\n", name, string_or_empty(text));
	}
}

static const struct section sections[LAST_SHOWN + 1] = {
	[PERF_FEATURE_TRACING_DATA] = { "TRACING_DATA", false, NULL },
	[PERF_FEATURE_BUILD_ID] = { "BUILD_ID", false, NULL },
	[PERF_FEATURE_HOSTNAME] = { "HOSTNAME", false, write_hostname },
	[PERF_FEATURE_OSRELEASE] = { "OSRELEASE", false, write_os_release },
	[PERF_FEATURE_VERSION] = { "VERSION", false, write_version },
	[PERF_FEATURE_ARCH] = { "ARCH", false, write_arch },
	[PERF_FEATURE_NRCPUS] = { "NRCPUS", false, write_cpus },
	[PERF_FEATURE_CPUDESC] = { "CPUDESC", false, write_cpu_desc },
	[PERF_FEATURE_CPUID] = { "CPUID", false, write_cpu_id },
	[PERF_FEATURE_TOTAL_MEM] = { "TOTAL_MEM", false, write_total_mem },
	[PERF_FEATURE_CMDLINE] = { "CMDLINE", false, write_cmdline },
	[PERF_FEATURE_EVENT_DESC] = { "EVENT_DESC", false, write_event_desc },
	[PERF_FEATURE_CPU_TOPOLOGY] = { "CPU_TOPOLOGY", true, write_cpu_topology },
	[PERF_FEATURE_NUMA_TOPOLOGY] = { "NUMA_TOPOLOGY", true, write_numa },
	[PERF_FEATURE_BRANCH_STACK] = { "BRANCH_STACK", false, write_branch_stack },
	[PERF_FEATURE_PMU_MAPPINGS] = { "PMU_MAPPINGS", false, write_pmus },
	[PERF_FEATURE_GROUP_DESC] = { "GROUP_DESC", false, write_groups },
	[PERF_FEATURE_AUXTRACE] = { "AUXTRACE", false, write_auxtrace },
	[PERF_FEATURE_STAT] = { "STAT", false, write_stat },
	[PERF_FEATURE_CACHE] = { "CACHE", true, write_cache },
	[PERF_FEATURE_SAMPLE_TIME] = { "SAMPLE_TIME", false, write_sample_time },
	[PERF_FEATURE_MEM_TOPOLOGY] = { "MEM_TOPOLOGY", true, write_mem_topology },
	[PERF_FEATURE_CLOCKID] = { "CLOCKID", false, write_clock_id },
	[PERF_FEATURE_DIR_FORMAT] = { "DIR_FORMAT", false, write_dir_format },
	[PERF_FEATURE_BPF_PROG_INFO] = { "BPF_PROG_INFO", false, NULL },
	[PERF_FEATURE_BPF_BTF] = { "BPF_BTF", false, NULL },
	[PERF_FEATURE_COMPRESSED] = { "COMPRESSED", false, write_compressed },
	[PERF_FEATURE_CPU_PMU_CAPS] = { "CPU_PMU_CAPS", false, write_cpu_caps },
	[PERF_FEATURE_CLOCK_DATA] = { "CLOCK_DATA", false, write_clock_data },
	[PERF_FEATURE_HYBRID_TOPOLOGY] = { "HYBRID_TOPOLOGY", true, write_hybrid },
	[PERF_FEATURE_PMU_CAPS] = { "PMU_CAPS", false, write_pmu_caps },
};

static void write_sections(const struct perf_data *data, bool full, struct buf *ret)
{
	for (unsigned i = 1; i <= LAST_SHOWN; i++) {
		struct text text = { .data = data, .out = ret };

		if (!data->feature[i].data || !sections[i].write)
			continue;
		text.blob = perf_data_blob(data, data->feature[i].data, data->feature[i].len);
		if (!full && sections[i].full_only)
			PUT(&text, "# %s info available, use -I to display\n", sections[i].name);
		else
			sections[i].write(&text);
		arena_done(&text.copies);
	}
}

static void write_missing(const struct perf_data *data, struct text *text)
{
	PUT(text, "# missing features: ");
	for (unsigned i = 1; i <= LAST_SHOWN; i++)
		if (!(data->header.features[0] >> i & 1))
			PUT(text, "%s ", sections[i].name);
	PUT(text, "\n");
}

int perf_data_header_text(const struct perf_data *data, bool full, struct buf *ret)
{
	const struct perf_data_header *header = &data->header;
	struct text text = { .data = data, .out = ret };
	uint64_t offset = header->pipe ? 0 : header->data_offset;

	PUT(&text, "# ========\n# captured on    : ");
	put_local_time(&text, header->captured_on_s, false);
	PUT(&text, "\n# header version : 1\n");
	PUT(&text, "# data offset    : %llu\n", (unsigned long long)offset);
	PUT(&text, "# data size      : %llu\n", (unsigned long long)header->data_size);
	PUT(&text, "# feat offset    : %llu\n", (unsigned long long)(offset + header->data_size));
	/* In a pipe the sections follow the header, and perf prints them in their order. */
	if (!header->pipe) {
		write_sections(data, full, ret);
		write_missing(data, &text);
	}
	PUT(&text, "# ========\n#\n");
	if (header->pipe)
		write_sections(data, full, ret);
	return buf_puts(ret, ""); /* fails when the limit was hit */
}

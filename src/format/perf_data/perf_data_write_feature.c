/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writers of the feature payloads (see perf_data_write_feature.h), one function each, found through
 * the table at the end. */
#include "format/perf_data/perf_data_write_feature.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/vec.h"
#include "event/desc.h"
#include "format/perf_data/perf_data.h"
#include "format/perf_data/perf_data_write.h"
#include "format/perf_data/perf_data_write_zstd.h"

#define STRING_ALIGN 64
#define FILE_LIMIT   ((size_t)1 << 20)
#define MAX_CPUS     8192

typedef const struct perf_feature_input *input_t;

/* Payloads are far below the limit of a buf, so appending cannot fail. */
static void put(struct buf *out, const void *data, size_t len)
{
	(void)buf_append(out, data, len);
}

static void put_u32(struct buf *out, uint32_t value)
{
	put(out, &value, sizeof(value));
}

static void put_u64(struct buf *out, uint64_t value)
{
	put(out, &value, sizeof(value));
}

static void put_string(struct buf *out, const char *s)
{
	static const char zero[STRING_ALIGN];
	size_t len = strlen(s) + 1;
	size_t pad = -len & (STRING_ALIGN - 1);

	put_u32(out, (uint32_t)(len + pad));
	put(out, s, len);
	put(out, zero, pad);
}

/* Fields that this size cuts off are those of newer kernels (config3): 0 for all events here. */
void perf_feature_put_attr(struct buf *out, const struct event_desc *desc)
{
	static const char zero[PERF_DATA_ATTR_SIZE];
	struct perf_event_attr attr = desc->attr;
	size_t len = sizeof(attr) < PERF_DATA_ATTR_SIZE ? sizeof(attr) : PERF_DATA_ATTR_SIZE;

	attr.size = PERF_DATA_ATTR_SIZE;
	put(out, &attr, len);
	put(out, zero, PERF_DATA_ATTR_SIZE - len);
}

/* The CPU_TOPOLOGY and NUMA_TOPOLOGY features, from /sys/devices/system. */
struct word_list {
	char **item;
	size_t count, capacity; /* a VEC(char *) with a name */
};

static bool read_word(const char *path, struct buf *ret)
{
	struct err ignored;

	buf_clear(ret);
	ret->limit = FILE_LIMIT;
	if (fd_read_file(path, ret, &ignored) || !ret->len)
		return false;
	if (ret->data[ret->len - 1] == '\n')
		ret->data[--ret->len] = '\0';
	return true;
}

static bool read_topology(long cpu, const char *name, struct buf *ret)
{
	char path[128];

	(void)snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%ld/topology/%s", cpu, name);
	return read_word(path, ret);
}

static void add_once(struct word_list *list, const char *word)
{
	for (size_t i = 0; i < list->count; i++)
		if (strcmp(list->item[i], word) == 0)
			return;
	vec_push(list, mem_strdup(word));
}

/* The distinct lists of CPUs that share a package or a core, and their number in front. */
static void put_siblings(long cpus, const char *name, struct buf *out)
{
	struct word_list list = { 0 };
	struct buf word = { 0 };

	for (long cpu = 0; cpu < cpus; cpu++)
		if (read_topology(cpu, name, &word))
			add_once(&list, word.data);
	put_u32(out, (uint32_t)list.count);
	for (size_t i = 0; i < list.count; i++) {
		put_string(out, list.item[i]);
		free(list.item[i]);
	}
	vec_done(&list);
	buf_done(&word);
}

static uint32_t topology_number(long cpu, const char *name, struct buf *word)
{
	/* an offline CPU has no topology: -1, as perf writes it */
	return read_topology(cpu, name, word) ? (uint32_t)strtol(word->data, NULL, 10) : UINT32_MAX;
}

static bool put_cpu_topology(const struct perf_feature_input *input, struct buf *ret)
{
	long cpus = sysconf(_SC_NPROCESSORS_CONF);
	struct buf word = { 0 };

	(void)input;
	if (cpus < 1 || cpus > MAX_CPUS || !read_topology(0, "core_id", &word)) {
		buf_done(&word);
		return false;
	}
	put_siblings(cpus, "core_siblings_list", ret);
	put_siblings(cpus, "thread_siblings_list", ret);
	for (long cpu = 0; cpu < cpus; cpu++) {
		put_u32(ret, topology_number(cpu, "core_id", &word));
		put_u32(ret, topology_number(cpu, "physical_package_id", &word));
	}
	if (read_topology(0, "die_cpus_list", &word)) { /* since Linux 5.2 */
		put_siblings(cpus, "die_cpus_list", ret);
		for (long cpu = 0; cpu < cpus; cpu++)
			put_u32(ret, topology_number(cpu, "die_id", &word));
	}
	buf_done(&word);
	return true;
}

/* "Node 0 MemTotal:       16318532 kB" */
static uint64_t memory_kb(const char *text, const char *key)
{
	const char *line = strstr(text, key);

	return line ? strtoull(line + strlen(key), NULL, 10) : 0;
}

static bool put_node(const char *name, struct buf *out)
{
	struct buf cpus = { 0 }, memory = { 0 };
	char path[320];
	bool whole;

	(void)snprintf(path, sizeof(path), "/sys/devices/system/node/%s/cpulist", name);
	whole = read_word(path, &cpus);
	(void)snprintf(path, sizeof(path), "/sys/devices/system/node/%s/meminfo", name);
	whole = whole && read_word(path, &memory);
	if (whole) {
		uint64_t total = memory_kb(memory.data, "MemTotal:");
		uint64_t available = memory_kb(memory.data, "MemFree:");

		put_u32(out, (uint32_t)strtoul(name + 4, NULL, 10));
		(void)buf_append(out, &total, sizeof(total)); /* far below the limit */
		(void)buf_append(out, &available, sizeof(available));
		put_string(out, cpus.data);
	}
	buf_done(&cpus);
	buf_done(&memory);
	return whole;
}

static bool put_numa_topology(const struct perf_feature_input *input, struct buf *ret)
{
	DIR *dir = opendir("/sys/devices/system/node");
	size_t place = ret->len;
	uint32_t nodes = 0;

	(void)input;
	if (!dir)
		return false;
	put_u32(ret, 0);
	for (struct dirent *entry; (entry = readdir(dir));)
		if (strncmp(entry->d_name, "node", 4) == 0 &&
		    isdigit((unsigned char)entry->d_name[4]))
			nodes += put_node(entry->d_name, ret);
	(void)closedir(dir); /* only read */
	memcpy(ret->data + place, &nodes, sizeof(nodes));
	return nodes > 0;
}

/* Content of a small system file without its last newline; false when it cannot be read. */
static bool read_file(const char *path, struct buf *ret)
{
	struct err ignored;

	buf_clear(ret);
	ret->limit = FILE_LIMIT;
	if (fd_read_file(path, ret, &ignored) || !ret->len)
		return false;
	if (ret->data[ret->len - 1] == '\n')
		ret->data[--ret->len] = '\0';
	return true;
}

static bool put_tracing_data(input_t input, struct buf *out)
{
	if (!input->facts->tracing_data_len)
		return false;
	put(out, input->facts->tracing_data, input->facts->tracing_data_len);
	return true;
}

static bool put_uname(struct buf *out, size_t field)
{
	struct utsname name;

	if (uname(&name))
		return false;
	put_string(out, (const char *)&name + field);
	return true;
}

static bool put_hostname(input_t input, struct buf *out)
{
	(void)input;
	return put_uname(out, offsetof(struct utsname, nodename));
}

static bool put_os_release(input_t input, struct buf *out)
{
	(void)input;
	return put_uname(out, offsetof(struct utsname, release));
}

static bool put_version(input_t input, struct buf *out)
{
	(void)input;
	put_string(out, "cupel " CUPEL_VERSION);
	return true;
}

static bool put_arch(input_t input, struct buf *out)
{
	(void)input;
	return put_uname(out, offsetof(struct utsname, machine));
}

static bool put_cpu_count(input_t input, struct buf *out)
{
	(void)input;
	put_u32(out, (uint32_t)sysconf(_SC_NPROCESSORS_CONF));
	put_u32(out, (uint32_t)sysconf(_SC_NPROCESSORS_ONLN));
	return true;
}

/* The value of "key : value" in /proc/cpuinfo's first block or /proc/meminfo. */
static bool put_cpu_desc(input_t input, struct buf *out)
{
	static const char *const keys[] = { "\nmodel name", "\nCPU implementer", "\nProcessor" };
	struct buf text = { 0 };
	bool found = false;

	(void)input;
	if (read_file("/proc/cpuinfo", &text))
		for (size_t i = 0; i < 3 && !found; i++) {
			char *line = strstr(text.data, keys[i]), *value;

			value = line ? strchr(line, ':') : NULL;
			if (!value)
				continue;
			value += strspn(value, ": \t");
			value[strcspn(value, "\n")] = '\0';
			put_string(out, value);
			found = true;
		}
	buf_done(&text);
	return found;
}

static bool put_cpu_id(input_t input, struct buf *out)
{
	char id[128];

	(void)input;
	if (!perf_feature_cpu_id(id, sizeof(id)))
		return false;
	put_string(out, id);
	return true;
}

static bool put_total_mem(input_t input, struct buf *out)
{
	long pages = sysconf(_SC_PHYS_PAGES), page_size = sysconf(_SC_PAGESIZE);

	(void)input;
	if (pages <= 0 || page_size <= 0)
		return false;
	put_u64(out, (uint64_t)pages * (uint64_t)page_size / 1024);
	return true;
}

static bool put_cmdline(input_t input, struct buf *out)
{
	if (!input->facts->cmdline_count)
		return false;
	put_u32(out, (uint32_t)input->facts->cmdline_count);
	for (size_t i = 0; i < input->facts->cmdline_count; i++)
		put_string(out, input->facts->cmdline[i]);
	return true;
}

static bool put_event_desc(input_t input, struct buf *out)
{
	const struct event_set *events = input->events;

	put_u32(out, (uint32_t)events->desc.count);
	put_u32(out, PERF_DATA_ATTR_SIZE);
	for (size_t i = 0; i < events->desc.count; i++) {
		const struct event_desc *desc = events->desc.item[i];
		size_t ids = input->no_ids ? 0 : desc->ids.count;

		perf_feature_put_attr(out, desc);
		put_u32(out, (uint32_t)ids);
		put_string(out, desc->name);
		put(out, desc->ids.item, ids * sizeof(uint64_t));
	}
	return true;
}

static bool put_branch_stack(input_t input, struct buf *out)
{
	(void)out; /* its presence says it all */
	return input->events->sample_type & PERF_SAMPLE_BRANCH_STACK;
}

static bool put_stat(input_t input, struct buf *out)
{
	(void)out; /* likewise: perf script asks for it before it prints counts */
	return input->facts->counts;
}

static bool put_pmu_mappings(input_t input, struct buf *out)
{
	DIR *dir = opendir("/sys/bus/event_source/devices");
	struct buf text = { 0 };
	size_t place = out->len;
	uint32_t count = 0;

	(void)input;
	if (!dir)
		return false;
	put_u32(out, 0);
	for (struct dirent *entry; (entry = readdir(dir));) {
		char path[512];

		(void)snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s/type",
			       entry->d_name); /* d_name is ≤ 255 */
		if (entry->d_name[0] == '.' || !read_file(path, &text))
			continue;
		put_u32(out, (uint32_t)strtoul(text.data, NULL, 10));
		put_string(out, entry->d_name);
		count++;
	}
	(void)closedir(dir); /* only read */
	buf_done(&text);
	memcpy(out->data + place, &count, sizeof(count));
	return count > 0;
}

static uint32_t group_size(const struct event_set *events, size_t leader)
{
	uint32_t size = 0;

	for (size_t i = 0; i < events->desc.count; i++)
		size += events->desc.item[i]->group_leader == (int32_t)leader;
	return size;
}

static bool put_group_desc(input_t input, struct buf *out)
{
	const struct event_set *events = input->events;
	uint32_t groups = 0;
	size_t place = out->len;

	put_u32(out, 0);
	for (size_t i = 0; i < events->desc.count; i++) {
		uint32_t size = group_size(events, i);

		if (size < 2)
			continue;
		put_string(out, "{anon_group}");
		put_u32(out, (uint32_t)i);
		put_u32(out, size);
		groups++;
	}
	memcpy(out->data + place, &groups, sizeof(groups));
	return groups > 0;
}

static bool put_sample_time(input_t input, struct buf *out)
{
	if (!input->summary || !input->summary->last_ns)
		return false;
	put_u64(out, input->summary->first_ns);
	put_u64(out, input->summary->last_ns);
	return true;
}

static bool put_clock_id(input_t input, struct buf *out)
{
	if (!input->facts->sample_clockid)
		return false;
	put_u64(out, input->facts->clock_res_ns);
	return true;
}

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec now = { 0 };

	(void)clock_gettime(clock, &now); /* a clock that the kernel took for the events */
	return (uint64_t)now.tv_sec * 1000000000U + (uint64_t)now.tv_nsec;
}

/* One moment in wall time and in the recording's clock. */
static bool put_clock_data(input_t input, struct buf *out)
{
	clockid_t clock = (clockid_t)input->facts->clockid;

	if (!input->facts->sample_clockid)
		return false;
	put_u32(out, 1); /* version */
	put_u32(out, (uint32_t)clock);
	put_u64(out, clock_ns(CLOCK_REALTIME));
	put_u64(out, clock_ns(clock));
	return true;
}

static bool put_compressed(input_t input, struct buf *out)
{
	uint64_t ratio =
		input->compressed_bytes
			? (input->raw_bytes + input->compressed_bytes / 2) / input->compressed_bytes
			: 1;
	size_t chunk = input->facts->mmap_len;

	if (!input->facts->zstd_level)
		return false;
	put_u32(out, 1); /* version */
	put_u32(out, 1); /* zstd */
	put_u32(out, (uint32_t)input->facts->zstd_level);
	put_u32(out, ratio < UINT32_MAX ? (uint32_t)ratio : UINT32_MAX);
	put_u32(out, (uint32_t)(chunk > PERF_DATA_ZSTD_CHUNK ? chunk : PERF_DATA_ZSTD_CHUNK));
	return true;
}

static const struct {
	unsigned feature;
	bool (*put)(input_t input, struct buf *out);
} features[] = {
	{ PERF_FEATURE_TRACING_DATA, put_tracing_data },
	{ PERF_FEATURE_HOSTNAME, put_hostname },
	{ PERF_FEATURE_OSRELEASE, put_os_release },
	{ PERF_FEATURE_VERSION, put_version },
	{ PERF_FEATURE_ARCH, put_arch },
	{ PERF_FEATURE_NRCPUS, put_cpu_count },
	{ PERF_FEATURE_CPUDESC, put_cpu_desc },
	{ PERF_FEATURE_CPUID, put_cpu_id },
	{ PERF_FEATURE_TOTAL_MEM, put_total_mem },
	{ PERF_FEATURE_CMDLINE, put_cmdline },
	{ PERF_FEATURE_EVENT_DESC, put_event_desc },
	{ PERF_FEATURE_CPU_TOPOLOGY, put_cpu_topology },
	{ PERF_FEATURE_NUMA_TOPOLOGY, put_numa_topology },
	{ PERF_FEATURE_BRANCH_STACK, put_branch_stack },
	{ PERF_FEATURE_PMU_MAPPINGS, put_pmu_mappings },
	{ PERF_FEATURE_GROUP_DESC, put_group_desc },
	{ PERF_FEATURE_STAT, put_stat },
	{ PERF_FEATURE_SAMPLE_TIME, put_sample_time },
	{ PERF_FEATURE_CLOCKID, put_clock_id },
	{ PERF_FEATURE_COMPRESSED, put_compressed },
	{ PERF_FEATURE_CLOCK_DATA, put_clock_data },
};

/* As the recording has it that is copied, which has lost its packing and its other files. */
static bool put_copied(unsigned feature, const struct perf_data *from, struct buf *ret)
{
	const uint8_t *bytes;
	size_t len;

	if (feature == PERF_FEATURE_BUILD_ID || feature == PERF_FEATURE_COMPRESSED ||
	    feature == PERF_FEATURE_DIR_FORMAT || feature == PERF_FEATURE_AUXTRACE)
		return false;
	return perf_data_feature(from, feature, &bytes, &len) && !buf_append(ret, bytes, len);
}

bool perf_feature_put(unsigned feature, const struct perf_feature_input *input, struct buf *ret)
{
	if (input->facts->from && feature != PERF_FEATURE_EVENT_DESC)
		return put_copied(feature, input->facts->from, ret);
	for (size_t i = 0; i < sizeof(features) / sizeof(features[0]); i++)
		if (features[i].feature == feature)
			return features[i].put(input, ret);
	return false;
}

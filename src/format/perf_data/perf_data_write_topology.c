/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The CPU_TOPOLOGY and NUMA_TOPOLOGY features, from /sys/devices/system. */
#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/vec.h"
#include "format/perf_data/perf_data_write_feature.h"

#define FILE_LIMIT ((size_t)64 << 10)
#define MAX_CPUS   8192

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
	perf_feature_put_u32(out, (uint32_t)list.count);
	for (size_t i = 0; i < list.count; i++) {
		perf_feature_put_string(out, list.item[i]);
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

bool perf_feature_put_cpu_topology(const struct perf_feature_input *input, struct buf *ret)
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
		perf_feature_put_u32(ret, topology_number(cpu, "core_id", &word));
		perf_feature_put_u32(ret, topology_number(cpu, "physical_package_id", &word));
	}
	if (read_topology(0, "die_cpus_list", &word)) { /* since Linux 5.2 */
		put_siblings(cpus, "die_cpus_list", ret);
		for (long cpu = 0; cpu < cpus; cpu++)
			perf_feature_put_u32(ret, topology_number(cpu, "die_id", &word));
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

		perf_feature_put_u32(out, (uint32_t)strtoul(name + 4, NULL, 10));
		(void)buf_append(out, &total, sizeof(total)); /* far below the limit */
		(void)buf_append(out, &available, sizeof(available));
		perf_feature_put_string(out, cpus.data);
	}
	buf_done(&cpus);
	buf_done(&memory);
	return whole;
}

bool perf_feature_put_numa_topology(const struct perf_feature_input *input, struct buf *ret)
{
	DIR *dir = opendir("/sys/devices/system/node");
	size_t place = ret->len;
	uint32_t nodes = 0;

	(void)input;
	if (!dir)
		return false;
	perf_feature_put_u32(ret, 0);
	for (struct dirent *entry; (entry = readdir(dir));)
		if (strncmp(entry->d_name, "node", 4) == 0 &&
		    isdigit((unsigned char)entry->d_name[4]))
			nodes += put_node(entry->d_name, ret);
	(void)closedir(dir); /* only read */
	memcpy(ret->data + place, &nodes, sizeof(nodes));
	return nodes > 0;
}

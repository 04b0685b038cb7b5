/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sysfs files of one number each (see cpu_topology.h). */
#include "source/counter/cpu_topology.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/fd.h"

#define MAX_CACHES 16
#define NONE	   65535 /* a platform without clusters; others say -1 */

static int read_number(const char *folder, const char *name, int missing)
{
	struct buf text = { .limit = 64 };
	struct err ignored; /* older kernels have fewer files */
	char path[PATH_MAX];
	int value = missing;

	(void)snprintf(path, sizeof(path), "%.3000s/%s", folder, name);
	if (fd_read_file(path, &text, &ignored) == 0 && text.len)
		value = (int)strtol(text.data, NULL, 10);
	buf_done(&text);
	return value < 0 || value == NONE ? missing : value;
}

static void read_cache(const char *cpu, struct cpu_place *ret)
{
	for (int i = 0; i < MAX_CACHES; i++) {
		char folder[PATH_MAX];
		int level;

		(void)snprintf(folder, sizeof(folder), "%.2048s/cache/index%d", cpu, i);
		level = read_number(folder, "level", 0);
		if (level <= ret->cache_level)
			continue;
		ret->cache_level = level;
		ret->cache = read_number(folder, "id", 0);
	}
}

/* The CPU's folder has a link to its node. */
static int read_node(const char *cpu)
{
	DIR *dir = opendir(cpu);
	int node = 0;

	if (!dir)
		return 0;
	for (struct dirent *entry; (entry = readdir(dir));)
		if (strncmp(entry->d_name, "node", 4) == 0)
			node = (int)strtol(entry->d_name + 4, NULL, 10);
	(void)closedir(dir);
	return node;
}

void cpu_topology_read(const char *root, int cpu, struct cpu_place *ret)
{
	char folder[PATH_MAX], topology[PATH_MAX];

	(void)snprintf(folder, sizeof(folder), "%.1024s/sys/devices/system/cpu/cpu%d", root, cpu);
	(void)snprintf(topology, sizeof(topology), "%.2048s/topology", folder);
	*ret = (struct cpu_place){ .cpu = cpu,
				   .core = read_number(topology, "core_id", 0),
				   .cluster = read_number(topology, "cluster_id", 0),
				   .die = read_number(topology, "die_id", 0),
				   .socket = read_number(topology, "physical_package_id", 0),
				   .node = read_node(folder) };
	read_cache(folder, ret);
}

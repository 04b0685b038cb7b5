/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where a CPU is: its core, cluster, shared cache, die, socket and memory node, as sysfs says.
 * ABI: Documentation/ABI/stable/sysfs-devices-system-cpu. */
#ifndef SOURCE_CPU_TOPOLOGY_H
#define SOURCE_CPU_TOPOLOGY_H

/* Numbers that the kernel does not give are 0. */
struct cpu_place {
	int cpu, core, cluster, die, socket, node;
	int cache_level, cache; /* the last level that it shares */
};

/* root is a prefix of /sys ("" on a live system). */
void cpu_topology_read(const char *root, int cpu, struct cpu_place *ret);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of events made from type and config, spelled as perf spells them (perf-list(1)). Events of
 * other PMUs and tracepoints have names only their makers know. */
#include <stdio.h>
#include <string.h>

#include "event/desc.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

static const char *const hardware_names[] = {
	[PERF_COUNT_HW_CPU_CYCLES] = "cycles",
	[PERF_COUNT_HW_INSTRUCTIONS] = "instructions",
	[PERF_COUNT_HW_CACHE_REFERENCES] = "cache-references",
	[PERF_COUNT_HW_CACHE_MISSES] = "cache-misses",
	[PERF_COUNT_HW_BRANCH_INSTRUCTIONS] = "branches",
	[PERF_COUNT_HW_BRANCH_MISSES] = "branch-misses",
	[PERF_COUNT_HW_BUS_CYCLES] = "bus-cycles",
	[PERF_COUNT_HW_STALLED_CYCLES_FRONTEND] = "stalled-cycles-frontend",
	[PERF_COUNT_HW_STALLED_CYCLES_BACKEND] = "stalled-cycles-backend",
	[PERF_COUNT_HW_REF_CPU_CYCLES] = "ref-cycles",
};

static const char *const software_names[] = {
	[PERF_COUNT_SW_CPU_CLOCK] = "cpu-clock",
	[PERF_COUNT_SW_TASK_CLOCK] = "task-clock",
	[PERF_COUNT_SW_PAGE_FAULTS] = "page-faults",
	[PERF_COUNT_SW_CONTEXT_SWITCHES] = "context-switches",
	[PERF_COUNT_SW_CPU_MIGRATIONS] = "cpu-migrations",
	[PERF_COUNT_SW_PAGE_FAULTS_MIN] = "minor-faults",
	[PERF_COUNT_SW_PAGE_FAULTS_MAJ] = "major-faults",
	[PERF_COUNT_SW_ALIGNMENT_FAULTS] = "alignment-faults",
	[PERF_COUNT_SW_EMULATION_FAULTS] = "emulation-faults",
	[PERF_COUNT_SW_DUMMY] = "dummy",
	[PERF_COUNT_SW_BPF_OUTPUT] = "bpf-output",
	[PERF_COUNT_SW_CGROUP_SWITCHES] = "cgroup-switches",
};

static const char *const cache_names[] = {
	"L1-dcache", "L1-icache", "LLC", "dTLB", "iTLB", "branch", "node",
};
static const char *const cache_op[] = { "load", "store", "prefetch" };
static const char *const cache_ops[] = { "loads", "stores", "prefetches" };

static const char *cache_name(uint64_t config, char *buffer, size_t size)
{
	uint64_t cache = config & 0xff, op = config >> 8 & 0xff, result = config >> 16 & 0xff;

	if (cache >= COUNT_OF(cache_names) || op >= COUNT_OF(cache_op) || result > 1)
		return NULL;
	if (result)
		(void)snprintf(buffer, size, "%s-%s-misses", cache_names[cache], cache_op[op]);
	else
		(void)snprintf(buffer, size, "%s-%s", cache_names[cache], cache_ops[op]);
	return buffer;
}

const char *event_attr_name(const struct perf_event_attr *attr, char *buffer, size_t size)
{
	const char *name = NULL;

	if (attr->type == PERF_TYPE_HARDWARE && attr->config < COUNT_OF(hardware_names))
		name = hardware_names[attr->config];
	else if (attr->type == PERF_TYPE_SOFTWARE && attr->config < COUNT_OF(software_names))
		name = software_names[attr->config];
	else if (attr->type == PERF_TYPE_HW_CACHE)
		return cache_name(attr->config, buffer, size);
	if (name)
		(void)snprintf(buffer, size, "%s", name); /* all names are short */
	return name ? buffer : NULL;
}

/* ":u", ":kppp" and so on. */
static void append_modifiers(const struct perf_event_attr *attr, char *buffer, size_t size)
{
	char text[16];
	size_t n = 0;
	bool exclude = attr->exclude_user || attr->exclude_kernel || attr->exclude_hv;

	text[n++] = ':';
	if (exclude && !attr->exclude_kernel)
		text[n++] = 'k';
	if (exclude && !attr->exclude_user)
		text[n++] = 'u';
	if (exclude && !attr->exclude_hv)
		text[n++] = 'h';
	for (unsigned i = 0; i < attr->precise_ip; i++)
		text[n++] = 'p';
	if (attr->exclude_host != attr->exclude_guest)
		text[n++] = attr->exclude_host ? 'G' : 'H';
	if (n == 1 || (n == 2 && text[1] == 'H'))
		return;
	text[n] = '\0';
	n = strlen(buffer);
	(void)snprintf(buffer + n, size - n, "%s", text); /* truncation is fine */
}

const char *event_attr_full_name(const struct perf_event_attr *attr, char *buffer, size_t size)
{
	if (!event_attr_name(attr, buffer, size)) {
		switch (attr->type) {
		case PERF_TYPE_RAW:
			(void)snprintf(buffer, size, "raw 0x%llx",
				       (unsigned long long)attr->config);
			break;
		case PERF_TYPE_TRACEPOINT:
			(void)snprintf(buffer, size, "tracepoint %llu",
				       (unsigned long long)attr->config);
			return buffer;
		case PERF_TYPE_BREAKPOINT:
			(void)snprintf(buffer, size, "mem:0x%llx",
				       (unsigned long long)attr->bp_addr);
			break;
		default:
			(void)snprintf(buffer, size, "type %u config 0x%llx", attr->type,
				       (unsigned long long)attr->config);
			return buffer;
		}
	}
	append_modifiers(attr, buffer, size);
	return buffer;
}

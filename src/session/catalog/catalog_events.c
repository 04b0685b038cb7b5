/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Events of the CPU, the kernel's counters and PMUs, and Cupel's own. */
#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "session/catalog/catalog.h"
#include "session/stat/stat_metrics.h"
#include "source/bpf/bpf_kind.h"
#include "source/event_spec/event_names.h"
#include "source/event_spec/event_parse.h"
#include "source/event_spec/name_list.h"
#include "source/event_spec/pmu.h"
#include "source/perf_event/event_try.h"

static const char *const hardware_meaning[PERF_COUNT_HW_MAX] = {
	[PERF_COUNT_HW_CPU_CYCLES] = "cycles of the CPU's clock, which changes its speed",
	[PERF_COUNT_HW_INSTRUCTIONS] = "instructions that were completed",
	[PERF_COUNT_HW_CACHE_REFERENCES] = "accesses to the last level of the caches",
	[PERF_COUNT_HW_CACHE_MISSES] = "accesses that the last level of the caches missed",
	[PERF_COUNT_HW_BRANCH_INSTRUCTIONS] = "branches that were completed",
	[PERF_COUNT_HW_BRANCH_MISSES] = "branches that were predicted wrongly",
	[PERF_COUNT_HW_BUS_CYCLES] = "cycles of the bus",
	[PERF_COUNT_HW_STALLED_CYCLES_FRONTEND] = "cycles without instructions to start",
	[PERF_COUNT_HW_STALLED_CYCLES_BACKEND] = "cycles that waited for data or units",
	[PERF_COUNT_HW_REF_CPU_CYCLES] = "cycles at the CPU's nominal speed",
};

static const char *const software_meaning[PERF_COUNT_SW_MAX] = {
	[PERF_COUNT_SW_CPU_CLOCK] = "time on a CPU, by a timer; needs no hardware counter",
	[PERF_COUNT_SW_TASK_CLOCK] = "time that the thread runs, by a timer",
	[PERF_COUNT_SW_PAGE_FAULTS] = "faults of memory pages, minor and major",
	[PERF_COUNT_SW_CONTEXT_SWITCHES] = "switches of a CPU to another thread",
	[PERF_COUNT_SW_CPU_MIGRATIONS] = "moves of a thread to another CPU",
	[PERF_COUNT_SW_PAGE_FAULTS_MIN] = "faults of pages that were in memory",
	[PERF_COUNT_SW_PAGE_FAULTS_MAJ] = "faults of pages that were read from a disk",
	[PERF_COUNT_SW_ALIGNMENT_FAULTS] = "unaligned accesses that the kernel handled",
	[PERF_COUNT_SW_EMULATION_FAULTS] = "instructions that the kernel emulated",
	[PERF_COUNT_SW_DUMMY] = "counts nothing; carries names and maps",
	[PERF_COUNT_SW_BPF_OUTPUT] = "data that BPF programs write",
	[PERF_COUNT_SW_CGROUP_SWITCHES] = "switches of a CPU to a thread of another cgroup",
};

static void add(struct catalog *catalog, const struct catalog_entry *entry)
{
	vec_push(&catalog->entry, *entry);
}

static const char *put_config(struct catalog *catalog, uint32_t type, uint64_t config)
{
	return catalog_text(catalog, "type %u, config 0x%llx", type, (unsigned long long)config);
}

/* Names of one event follow each other in the list. */
static const char *alias_of(size_t n, const struct event_name *name)
{
	const struct event_name *next = event_name_at(n + 1);

	return next && next->type == name->type && next->config == name->config ? next->name : NULL;
}

/* Times that stat takes itself. */
static void add_tools(struct catalog *catalog)
{
	static const char *const meaning[] = {
		[EVENT_TOOL_DURATION] = "time elapsed, in ns; for stat only",
		[EVENT_TOOL_USER] = "time of the program in user code, in ns; for stat only",
		[EVENT_TOOL_SYSTEM] = "time of the program in the kernel, in ns; for stat only",
	};
	const char *name;

	for (enum event_tool tool = EVENT_TOOL_DURATION; (name = event_tool_name(tool)); tool++)
		add(catalog, &(struct catalog_entry){ .group = CATALOG_SOFTWARE,
						      .name = name,
						      .meaning = meaning[tool] });
}

void catalog_add_generic(struct catalog *catalog, enum catalog_group group)
{
	bool hardware = group == CATALOG_HARDWARE;
	uint32_t type = hardware ? PERF_TYPE_HARDWARE : PERF_TYPE_SOFTWARE;
	const struct event_name *name;

	for (size_t n = 0; (name = event_name_at(n)); n++) {
		const char *alias = alias_of(n, name);

		if (name->type == type)
			add(catalog, &(struct catalog_entry){
					     .group = group,
					     .name = name->name,
					     .alias = alias,
					     .meaning = (hardware ? hardware_meaning
								  : software_meaning)[name->config],
					     .details = put_config(catalog, type, name->config),
					     .code = event_try_own(type, name->config) });
		n += alias != NULL;
	}
	if (!hardware)
		add_tools(catalog);
}

void catalog_add_cache(struct catalog *catalog)
{
	static const char *const place[PERF_COUNT_HW_CACHE_MAX] = {
		[PERF_COUNT_HW_CACHE_L1D] = "the first cache of data",
		[PERF_COUNT_HW_CACHE_L1I] = "the first cache of instructions",
		[PERF_COUNT_HW_CACHE_LL] = "the last level of the caches",
		[PERF_COUNT_HW_CACHE_DTLB] = "the TLB of data addresses",
		[PERF_COUNT_HW_CACHE_ITLB] = "the TLB of instruction addresses",
		[PERF_COUNT_HW_CACHE_BPU] = "the branch predictor",
		[PERF_COUNT_HW_CACHE_NODE] = "memory of this node",
	};
	static const char *const operation[] = { "reads from", "writes to", "prefetches into" };
	uint64_t config;
	char name[64];

	for (size_t n = 0; event_cache_name_at(n, name, sizeof(name), &config); n++) {
		const char *meaning =
			catalog_text(catalog, "%s %s%s", operation[config >> 8 & 0xff],
				     place[config & 0xff], config >> 16 ? ", missed" : "");

		add(catalog, &(struct catalog_entry){
				     .group = CATALOG_CACHE,
				     .name = arena_strdup(&catalog->arena, name),
				     .meaning = meaning,
				     .details = put_config(catalog, PERF_TYPE_HW_CACHE, config),
				     .code = event_try_own(PERF_TYPE_HW_CACHE, config) });
	}
}

/* Uncore PMUs are opened on one of their CPUs; some take no exclusion of guests. */
static int try_spec(const struct event_spec *spec)
{
	struct perf_event_attr attr = spec->attr;
	pid_t pid = spec->system_wide ? -1 : 0;
	int cpu = !spec->system_wide ? -1 : spec->cpu_count ? spec->cpu[0] : 0;
	int code = event_try(&attr, pid, cpu);

	if (code != -EINVAL || !attr.exclude_guest)
		return code;
	attr.exclude_guest = 0;
	return event_try(&attr, pid, cpu);
}

/* The kernel gives such an event a name, and perhaps a unit. */
static const char *alias_meaning(const struct pmu *pmu, const struct pmu_alias *alias,
				 struct catalog *catalog)
{
	if (alias->unit)
		return catalog_text(catalog, "%s of the PMU %s, counted in %s", alias->name,
				    pmu->name, alias->unit);
	if (strcmp(pmu->name, "msr") == 0 && strcmp(alias->name, "tsc") == 0)
		return "cycles of the time-stamp counter";
	if (strcmp(pmu->name, "msr") == 0 && strcmp(alias->name, "smi") == 0)
		return "system management interrupts";
	return catalog_text(catalog, "%s of the PMU %s", alias->name, pmu->name);
}

static void add_alias(const char *root, const struct pmu *pmu, const struct pmu_alias *alias,
		      struct catalog *catalog)
{
	struct event_parse_options options = { .root = root };
	struct event_list list = { 0 };
	struct err err = { 0 };
	const char *name = catalog_text(catalog, "%s/%s/", pmu->name, alias->name);
	int code = event_list_parse(&list, name, &options, &err);

	add(catalog,
	    &(struct catalog_entry){
		    .group = CATALOG_PMU,
		    .name = name,
		    .meaning = alias_meaning(pmu, alias, catalog),
		    .details = catalog_text(catalog, "%s/%s/", pmu->name, alias->terms),
		    .code = !code && list.spec.count ? try_spec(list.spec.item[0]) : code });
	event_list_done(&list);
}

/* Calls back with each PMU of the machine. */
static void each_pmu(const char *root, struct catalog *catalog,
		     void (*call)(const char *root, const struct pmu *, struct catalog *))
{
	struct name_list names = { 0 };

	pmu_match(root, "*", &catalog->arena, &names);
	for (size_t i = 0; i < names.count; i++) {
		struct err ignored = { 0 };
		struct pmu pmu;

		if (pmu_open(root, names.item[i], &catalog->arena, &pmu, &ignored))
			continue;
		call(root, &pmu, catalog);
		pmu_done(&pmu);
	}
	name_list_done(&names);
}

static void add_aliases(const char *root, const struct pmu *pmu, struct catalog *catalog)
{
	for (size_t i = 0; i < pmu->alias.count; i++)
		add_alias(root, pmu, &pmu->alias.item[i], catalog);
}

void catalog_add_pmu(const char *root, struct catalog *catalog)
{
	each_pmu(root, catalog, add_aliases);
}

/* PMU/term=VALUE,…/ by the PMU's format, which is all that its users have to go by. */
static void add_terms(const char *root, const struct pmu *pmu, struct catalog *catalog)
{
	const char *terms = "";

	(void)root;
	for (size_t i = 0; i < pmu->format.count && strlen(terms) < 60; i++)
		terms = catalog_text(catalog, "%s%s%s=N", terms, i ? "," : "",
				     pmu->format.item[i].name);
	if (pmu->format.count)
		add(catalog, &(struct catalog_entry){
				     .group = CATALOG_RAW,
				     .name = catalog_text(catalog, "%s/%s/", pmu->name, terms),
				     .meaning = "any of these terms; numbers of the PMU's manual",
				     .details = put_config(catalog, pmu->type, 0) });
}

void catalog_add_raw(const char *root, struct catalog *catalog)
{
	add(catalog, &(struct catalog_entry){ .group = CATALOG_RAW,
					      .name = "rNNN",
					      .meaning = "event number in hexadecimal, by the "
							 "CPU's manual",
					      .details = put_config(catalog, PERF_TYPE_RAW, 0),
					      .code = event_try_own(PERF_TYPE_RAW, 0) });
	each_pmu(root, catalog, add_terms);
}

void catalog_add_breakpoint(struct catalog *catalog)
{
	uint64_t watched;
	struct perf_event_attr attr = { .type = PERF_TYPE_BREAKPOINT,
					.bp_type = HW_BREAKPOINT_W,
					.bp_addr = (uint64_t)(uintptr_t)&watched,
					.bp_len = HW_BREAKPOINT_LEN_8,
					.exclude_kernel = 1 };

	add(catalog,
	    &(struct catalog_entry){ .group = CATALOG_BREAKPOINT,
				     .name = "mem:ADDRESS[/LEN][:rwx]",
				     .meaning = "accesses to an address: reads, writes, "
						"execution",
				     .details = put_config(catalog, PERF_TYPE_BREAKPOINT, 0),
				     .code = event_try(&attr, 0, -1) });
}

/* Whether all events of a figure can be opened: 0, or the first -errno. */
static int try_events(const char *events)
{
	const struct event_parse_options options = { .root = "" };
	struct event_list list = { 0 };
	struct err ignored; /* no such events here */
	int code = event_list_parse(&list, events, &options, &ignored) ? -EOPNOTSUPP : 0;

	for (size_t i = 0; !code && i < list.spec.count; i++)
		code = event_try_own(list.spec.item[i]->attr.type, list.spec.item[i]->attr.config);
	event_list_done(&list);
	return code;
}

void catalog_add_metrics(struct catalog *catalog)
{
	const struct stat_metric *metric, *next;

	for (size_t n = 0; (metric = stat_metric_at(n)); n++) {
		next = stat_metric_at(n + 1);
		if (next && strcmp(next->events, metric->events) != 0)
			next = NULL;
		add(catalog, &(struct catalog_entry){
				     .group = CATALOG_METRIC,
				     .name = metric->name,
				     .alias = next ? next->name : NULL,
				     .meaning = metric->meaning,
				     .details = catalog_text(catalog, "of %s", metric->events),
				     .code = try_events(metric->events) });
		n += next != NULL;
	}
}

void catalog_add_own(struct catalog *catalog)
{
	static const struct {
		const char *name, *alias, *meaning;
	} own[] = {
		{ "off-cpu", "offcpu-time", "time that threads wait, with their stacks" },
		{ "wakeup", "wakeup-time", "time that threads waited, with the waker's stack" },
	}, probe[] = {
		{ "probe:BINARY:FUNCTION", "uprobe:...", "calls, as in probe:c:malloc" },
		{ "uretprobe:BINARY:FUNCTION", NULL, "returns of a function" },
		{ "usdt:BINARY:NAME", NULL, "a static probe; see cupel list sdt" },
	};
	int kinds[BPF_KINDS], code;

	bpf_kinds_try(kinds);
	code = kinds[BPF_KIND_TP_BTF] ? kinds[BPF_KIND_TP_BTF] : kinds[BPF_KIND_ITER];
	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		add(catalog, &(struct catalog_entry){ .group = CATALOG_OWN,
						      .name = own[i].name,
						      .alias = own[i].alias,
						      .meaning = own[i].meaning,
						      .details = "BPF programs of the scheduler's "
								 "events",
						      .code = code });
	for (size_t i = 0; i < sizeof(probe) / sizeof(probe[0]); i++)
		add(catalog,
		    &(struct catalog_entry){ .group = CATALOG_OWN,
					     .name = probe[i].name,
					     .alias = probe[i].alias,
					     .meaning = probe[i].meaning,
					     .details = "BPF programs at places in programs",
					     .code = kinds[BPF_KIND_UPROBE_MULTI],
					     .untried = true });
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tables of the generic event names (see event_names.h). A cache event is spelled
 * cache[-operation][-result] in any order of the last two. */
#include "source/event_spec/event_names.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/suggest.h"

#define HW(name, id)                                         \
	{                                                    \
		name, PERF_TYPE_HARDWARE, PERF_COUNT_HW_##id \
	}
#define SW(name, id)                                         \
	{                                                    \
		name, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##id \
	}

static const char *const tools[] = {
	[EVENT_TOOL_DURATION] = "duration_time",
	[EVENT_TOOL_USER] = "user_time",
	[EVENT_TOOL_SYSTEM] = "system_time",
};

static const struct event_name generic[] = {
	HW("cycles", CPU_CYCLES),
	HW("cpu-cycles", CPU_CYCLES),
	HW("instructions", INSTRUCTIONS),
	HW("cache-references", CACHE_REFERENCES),
	HW("cache-misses", CACHE_MISSES),
	HW("branches", BRANCH_INSTRUCTIONS),
	HW("branch-instructions", BRANCH_INSTRUCTIONS),
	HW("branch-misses", BRANCH_MISSES),
	HW("bus-cycles", BUS_CYCLES),
	HW("ref-cycles", REF_CPU_CYCLES),
	HW("stalled-cycles-frontend", STALLED_CYCLES_FRONTEND),
	HW("idle-cycles-frontend", STALLED_CYCLES_FRONTEND),
	HW("stalled-cycles-backend", STALLED_CYCLES_BACKEND),
	HW("idle-cycles-backend", STALLED_CYCLES_BACKEND),
	SW("cpu-clock", CPU_CLOCK),
	SW("task-clock", TASK_CLOCK),
	SW("page-faults", PAGE_FAULTS),
	SW("faults", PAGE_FAULTS),
	SW("context-switches", CONTEXT_SWITCHES),
	SW("cs", CONTEXT_SWITCHES),
	SW("cpu-migrations", CPU_MIGRATIONS),
	SW("migrations", CPU_MIGRATIONS),
	SW("minor-faults", PAGE_FAULTS_MIN),
	SW("major-faults", PAGE_FAULTS_MAJ),
	SW("alignment-faults", ALIGNMENT_FAULTS),
	SW("emulation-faults", EMULATION_FAULTS),
	SW("dummy", DUMMY),
	SW("bpf-output", BPF_OUTPUT),
	SW("cgroup-switches", CGROUP_SWITCHES),
};

struct cache_word {
	const char *name;
	uint32_t id;
};

/* The first spelling of each id is the canonical one. */
static const struct cache_word caches[] = {
	{ "L1-dcache", PERF_COUNT_HW_CACHE_L1D }, { "L1-data", PERF_COUNT_HW_CACHE_L1D },
	{ "L1-d", PERF_COUNT_HW_CACHE_L1D },	  { "l1d", PERF_COUNT_HW_CACHE_L1D },
	{ "L1-icache", PERF_COUNT_HW_CACHE_L1I }, { "L1-instruction", PERF_COUNT_HW_CACHE_L1I },
	{ "L1-i", PERF_COUNT_HW_CACHE_L1I },	  { "l1i", PERF_COUNT_HW_CACHE_L1I },
	{ "LLC", PERF_COUNT_HW_CACHE_LL },	  { "L2", PERF_COUNT_HW_CACHE_LL },
	{ "dTLB", PERF_COUNT_HW_CACHE_DTLB },	  { "d-tlb", PERF_COUNT_HW_CACHE_DTLB },
	{ "Data-TLB", PERF_COUNT_HW_CACHE_DTLB }, { "iTLB", PERF_COUNT_HW_CACHE_ITLB },
	{ "i-tlb", PERF_COUNT_HW_CACHE_ITLB },	  { "Instruction-TLB", PERF_COUNT_HW_CACHE_ITLB },
	{ "branch", PERF_COUNT_HW_CACHE_BPU },	  { "branches", PERF_COUNT_HW_CACHE_BPU },
	{ "bpu", PERF_COUNT_HW_CACHE_BPU },	  { "btb", PERF_COUNT_HW_CACHE_BPU },
	{ "bpc", PERF_COUNT_HW_CACHE_BPU },	  { "node", PERF_COUNT_HW_CACHE_NODE },
};

static const struct cache_word operations[] = {
	{ "loads", PERF_COUNT_HW_CACHE_OP_READ },
	{ "load", PERF_COUNT_HW_CACHE_OP_READ },
	{ "read", PERF_COUNT_HW_CACHE_OP_READ },
	{ "stores", PERF_COUNT_HW_CACHE_OP_WRITE },
	{ "store", PERF_COUNT_HW_CACHE_OP_WRITE },
	{ "write", PERF_COUNT_HW_CACHE_OP_WRITE },
	{ "prefetches", PERF_COUNT_HW_CACHE_OP_PREFETCH },
	{ "prefetch", PERF_COUNT_HW_CACHE_OP_PREFETCH },
	{ "speculative-read", PERF_COUNT_HW_CACHE_OP_PREFETCH },
	{ "speculative-load", PERF_COUNT_HW_CACHE_OP_PREFETCH },
};

static const struct cache_word results[] = {
	{ "misses", PERF_COUNT_HW_CACHE_RESULT_MISS },
	{ "miss", PERF_COUNT_HW_CACHE_RESULT_MISS },
	{ "refs", PERF_COUNT_HW_CACHE_RESULT_ACCESS },
	{ "Reference", PERF_COUNT_HW_CACHE_RESULT_ACCESS },
	{ "ops", PERF_COUNT_HW_CACHE_RESULT_ACCESS },
	{ "access", PERF_COUNT_HW_CACHE_RESULT_ACCESS },
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Takes one word of a table off the front of *text: a whole word, up to '-' or the end. */
static bool take_word(const char **text, const struct cache_word *table, size_t count,
		      uint32_t *ret)
{
	const struct cache_word *best = NULL;
	size_t best_len = 0;

	for (size_t i = 0; i < count; i++) {
		size_t len = strlen(table[i].name);

		if (len > best_len && strncasecmp(*text, table[i].name, len) == 0 &&
		    ((*text)[len] == '-' || (*text)[len] == '\0')) {
			best = &table[i];
			best_len = len;
		}
	}
	if (!best)
		return false;
	*text += best_len;
	*ret = best->id;
	return true;
}

static bool cache_find(const char *name, uint64_t *ret_config)
{
	uint32_t cache, operation = PERF_COUNT_HW_CACHE_OP_READ;
	uint32_t result = PERF_COUNT_HW_CACHE_RESULT_ACCESS;
	bool has_operation = false, has_result = false;

	if (!take_word(&name, caches, COUNT(caches), &cache))
		return false;
	while (*name == '-') {
		name++;
		if (!has_operation && take_word(&name, operations, COUNT(operations), &operation))
			has_operation = true;
		else if (!has_result && take_word(&name, results, COUNT(results), &result))
			has_result = true;
		else
			return false;
	}
	*ret_config = cache | operation << 8 | result << 16;
	return true;
}

const struct event_name *event_name_at(size_t n)
{
	return n < COUNT(generic) ? &generic[n] : NULL;
}

/* Caches of instructions and addresses are not written to, and branches only looked up. */
static bool cache_has(uint32_t cache, uint32_t operation)
{
	switch (cache) {
	case PERF_COUNT_HW_CACHE_L1I:
		return operation != PERF_COUNT_HW_CACHE_OP_WRITE;
	case PERF_COUNT_HW_CACHE_ITLB:
	case PERF_COUNT_HW_CACHE_BPU:
		return operation == PERF_COUNT_HW_CACHE_OP_READ;
	default:
		return true;
	}
}

static const char *first_cache_name(uint32_t cache)
{
	for (size_t i = 0; i < COUNT(caches); i++)
		if (caches[i].id == cache)
			return caches[i].name;
	return NULL;
}

bool event_cache_name_at(size_t n, char *ret, size_t size, uint64_t *ret_config)
{
	static const char *const word[][PERF_COUNT_HW_CACHE_OP_MAX] = {
		[PERF_COUNT_HW_CACHE_RESULT_ACCESS] = { "loads", "stores", "prefetches" },
		[PERF_COUNT_HW_CACHE_RESULT_MISS] = { "load-misses", "store-misses",
						      "prefetch-misses" },
	};

	for (uint32_t cache = 0; cache < PERF_COUNT_HW_CACHE_MAX; cache++)
		for (uint32_t operation = 0; operation < PERF_COUNT_HW_CACHE_OP_MAX; operation++) {
			if (!cache_has(cache, operation))
				continue;
			if (n >= COUNT(word)) {
				n -= COUNT(word);
				continue;
			}
			(void)snprintf(ret, size, "%s-%s", first_cache_name(cache),
				       word[n][operation]); /* fits */
			*ret_config = cache | operation << 8 | (uint32_t)n << 16;
			return true;
		}
	return false;
}

bool event_name_find(const char *name, uint32_t *ret_type, uint64_t *ret_config)
{
	for (size_t i = 0; i < COUNT(generic); i++)
		if (strcmp(name, generic[i].name) == 0) {
			*ret_type = generic[i].type;
			*ret_config = generic[i].config;
			return true;
		}
	if (!cache_find(name, ret_config))
		return false;
	*ret_type = PERF_TYPE_HW_CACHE;
	return true;
}

enum event_tool event_tool_find(const char *name)
{
	for (size_t i = EVENT_TOOL_DURATION; i < COUNT(tools); i++)
		if (strcmp(name, tools[i]) == 0)
			return (enum event_tool)i;
	return EVENT_TOOL_NONE;
}

const char *event_tool_name(enum event_tool tool)
{
	return tool < COUNT(tools) ? tools[tool] : NULL;
}

void event_name_offer(struct suggest *suggest)
{
	static const char *const cache_examples[] = {
		"L1-dcache-loads",
		"L1-dcache-load-misses",
		"L1-dcache-stores",
		"L1-icache-loads",
		"L1-icache-load-misses",
		"LLC-loads",
		"LLC-load-misses",
		"LLC-stores",
		"LLC-store-misses",
		"dTLB-loads",
		"dTLB-load-misses",
		"dTLB-stores",
		"iTLB-loads",
		"iTLB-load-misses",
		"branch-loads",
		"node-loads",
		"node-load-misses",
		"node-stores",
	};

	for (size_t i = EVENT_TOOL_DURATION; i < COUNT(tools); i++)
		suggest_offer(suggest, tools[i]);
	for (size_t i = 0; i < COUNT(generic); i++)
		suggest_offer(suggest, generic[i].name);
	for (size_t i = 0; i < COUNT(cache_examples); i++)
		suggest_offer(suggest, cache_examples[i]);
}

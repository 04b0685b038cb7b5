/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "session/catalog/catalog.h"

#include <errno.h>
#include <string.h>

static const struct {
	const char *word, *other, *title;
} groups[CATALOG_GROUPS] = {
	[CATALOG_HARDWARE] = { "hw", "hardware", "Hardware event" },
	[CATALOG_SOFTWARE] = { "sw", "software", "Software event" },
	[CATALOG_CACHE] = { "cache", "hwcache", "Hardware cache event" },
	[CATALOG_PMU] = { "pmu", "kernel-pmu", "Kernel PMU event" },
	[CATALOG_VENDOR] = { "pfm", "vendor", "Vendor's name of an event" },
	[CATALOG_METRIC] = { "metric", "metrics", "Metric of cupel stat" },
	[CATALOG_OWN] = { "cupel", "own", "Cupel event" },
	[CATALOG_RAW] = { "raw", "rNNN", "Raw hardware event descriptor" },
	[CATALOG_BREAKPOINT] = { "mem", "breakpoint", "Hardware breakpoint" },
	[CATALOG_TRACEPOINT] = { "tracepoint", "trace", "Tracepoint event" },
	[CATALOG_SDT] = { "sdt", "usdt", "SDT event" },
};

enum catalog_group catalog_group_find(const char *word)
{
	enum catalog_group group = 0;

	while (group < CATALOG_GROUPS && strcmp(word, groups[group].word) != 0 &&
	       strcmp(word, groups[group].other) != 0)
		group++;
	return group;
}

const char *catalog_group_word(enum catalog_group group)
{
	return groups[group].word;
}

const char *catalog_group_title(enum catalog_group group)
{
	return groups[group].title;
}

const char *catalog_reason(const struct catalog_entry *entry)
{
	switch (-entry->code) {
	case EPERM:
	case EACCES:
		return "no permission; see: cupel doctor";
	case ENOENT:
	case EOPNOTSUPP:
	case ENODEV:
	case ENXIO:
		return entry->group == CATALOG_HARDWARE || entry->group == CATALOG_CACHE ||
				       entry->group == CATALOG_RAW ||
				       entry->group == CATALOG_VENDOR ||
				       entry->group == CATALOG_METRIC
			       ? "not on this CPU or virtual machine"
			       : "not on this kernel or machine";
	default:
		return strerror(-entry->code);
	}
}

void catalog_collect(const struct catalog_options *options, struct catalog *ret)
{
	*ret = (struct catalog){ 0 };
	if (options->group[CATALOG_HARDWARE])
		catalog_add_generic(ret, CATALOG_HARDWARE);
	if (options->group[CATALOG_SOFTWARE])
		catalog_add_generic(ret, CATALOG_SOFTWARE);
	if (options->group[CATALOG_CACHE])
		catalog_add_cache(ret);
	if (options->group[CATALOG_PMU])
		catalog_add_pmu(options->root, ret);
	if (options->group[CATALOG_VENDOR])
		catalog_add_vendor(ret);
	if (options->group[CATALOG_METRIC])
		catalog_add_metrics(ret);
	if (options->group[CATALOG_OWN])
		catalog_add_own(ret);
	if (options->group[CATALOG_RAW])
		catalog_add_raw(options->root, ret);
	if (options->group[CATALOG_BREAKPOINT])
		catalog_add_breakpoint(ret);
	if (options->group[CATALOG_TRACEPOINT])
		catalog_add_tracepoints(options, ret);
	if (options->group[CATALOG_SDT])
		catalog_add_sdt(options, ret);
}

void catalog_done(struct catalog *catalog)
{
	vec_done(&catalog->entry);
	arena_done(&catalog->arena);
}

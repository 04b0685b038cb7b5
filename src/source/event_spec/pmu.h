/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Performance monitoring units as described by sysfs: type number, bit layout of the config words,
 * named events, and CPUs. Everything in sysfs is checked, because out-of-tree drivers write it.
 * ABI: Documentation/ABI/testing/sysfs-bus-event_source-devices-*. */
#ifndef SOURCE_PMU_H
#define SOURCE_PMU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "source/id_list.h"

struct arena;
struct err;
struct name_list;
struct suggest;

#define PMU_CONFIG_WORDS 3 /* config, config1, config2 */

/* Where the bits of a term go: the lowest bit of the value to the lowest set bit of `mask`. */
struct pmu_format {
	const char *name;
	unsigned word; /* index of the config word */
	uint64_t mask;
};

struct pmu_alias {
	const char *name;
	const char *terms; /* "event=0x3c,umask=0x0" */
	const char *unit;  /* NULL = none */
	double scale;	   /* 1 without a .scale file */
};

struct pmu {
	const char *name;
	uint32_t type;
	bool core;	    /* counts a CPU core: "cpu", "cpu_core", "armv8_pmuv3_0", … */
	bool has_cpumask;   /* not per task: open once on each CPU in `cpu` */
	struct id_list cpu; /* from cpumask or, for hybrid cores, cpus */
	VEC(struct pmu_format) format;
	VEC(struct pmu_alias) alias;
};

/* Appends the names of the PMUs that `pattern` selects: the PMU with that name, else those named
 * pattern_NUMBER or matching it as a glob, sorted; possibly none. */
void pmu_match(const char *root, const char *pattern, struct arena *arena, struct name_list *list);
/* True if that PMU counts a CPU core; does not read its formats and events, of which a server's
 * hundred PMUs have thousands. */
bool pmu_is_core(const char *root, const char *name, struct arena *arena);
/* Reads one PMU. The vectors are freed by pmu_done(), strings live in the arena. */
int pmu_open(const char *root, const char *name, struct arena *arena, struct pmu *ret,
	     struct err *err);
void pmu_done(struct pmu *pmu);
/* Offers the names of all PMUs to a "did you mean" search. */
void pmu_offer(const char *root, struct arena *arena, struct suggest *suggest);

const struct pmu_format *pmu_format_find(const struct pmu *pmu, const char *name);
const struct pmu_alias *pmu_alias_find(const struct pmu *pmu, const char *name);
/* Puts value into the words at the format's place. False when it does not fit (words untouched). */
bool pmu_format_put(const struct pmu_format *format, uint64_t value,
		    uint64_t words[PMU_CONFIG_WORDS]);
/* "config1:0-7,32-35"; -EINVAL when malformed, -ENOTSUP for config words we do not know. */
int pmu_format_parse(const char *text, struct pmu_format *ret);

#endif

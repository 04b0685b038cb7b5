/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Events of loads and stores (see mem_events.h), by what sysfs has. Only Intel's kernels name them;
 * IBS counts loads and stores among all operations. ABI: Documentation/ABI/testing/
 * sysfs-bus-event_source-devices-events. */
#include "source/event_spec/mem_events.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"

#define DEVICES	     "/sys/bus/event_source/devices/"
#define LEAST_CYCLES 30

static bool has(const struct mem_events_choice *choice, const char *pmu, const char *file)
{
	char path[PATH_MAX];

	(void)snprintf(path, sizeof(path), "%s" DEVICES "%s%s", choice->root, pmu, file);
	return access(path, F_OK) == 0;
}

/* CPUs that need it take loads only in a group behind mem-loads-aux. */
static void put_intel(const struct mem_events_choice *choice, const char *pmu,
		      struct mem_events *ret)
{
	unsigned long long cycles = choice->least_cycles ? choice->least_cycles : LEAST_CYCLES;
	bool stores = choice->stores && has(choice, pmu, "/events/mem-stores");
	int at = 0;

	if (choice->loads && has(choice, pmu, "/events/mem-loads-aux"))
		at = snprintf(ret->text, sizeof(ret->text),
			      "{%s/mem-loads-aux/,%s/mem-loads,ldlat=%llu/}:P", pmu, pmu, cycles);
	else if (choice->loads)
		at = snprintf(ret->text, sizeof(ret->text), "%s/mem-loads,ldlat=%llu/P", pmu,
			      cycles);
	if (stores)
		(void)snprintf(ret->text + at, sizeof(ret->text) - (size_t)at, "%s%s/mem-stores/P",
			       at ? "," : "", pmu);
}

static int refuse(const struct mem_events_choice *choice, struct err *err)
{
	if (has(choice, "arm_spe_0", ""))
		(void)err_set(err, -ENODEV,
			      "accesses to memory: arm_spe_0 writes a hardware trace, which is not "
			      "recorded here (perf mem record does)");
	else if (has(choice, "cpu", "") || has(choice, "cpu_core", "") ||
		 has(choice, "armv8_pmuv3_0", ""))
		(void)err_set(
			err, -ENODEV,
			"accesses to memory: the CPU's counters have no event mem-loads in " DEVICES
			", and there is no ibs_op");
	else
		(void)err_set(
			err, -ENODEV,
			"accesses to memory: this machine shows no hardware counters: no cpu, "
			"cpu_core, ibs_op or arm_spe_0 in " DEVICES);
	return err_hint(err, "it takes PEBS (Intel), IBS (AMD) or SPE (Arm), which most virtual "
			     "machines do not pass on. Works without: cupel mem --stalls, "
			     "cupel mem --watch VARIABLE, cupel c2c --watch VARIABLE -p PID");
}

int mem_events_choose(const struct mem_events_choice *choice, struct mem_events *ret,
		      struct err *err)
{
	static const char *const intel[] = { "cpu", "cpu_core" };

	*ret = (struct mem_events){ 0 };
	for (size_t i = 0; i < sizeof(intel) / sizeof(intel[0]) && !ret->text[0]; i++)
		if (has(choice, intel[i], "/events/mem-loads"))
			put_intel(choice, intel[i], ret);
	if (!ret->text[0] && has(choice, "ibs_op", ""))
		(void)snprintf(ret->text, sizeof(ret->text), "ibs_op//");
	return ret->text[0] ? 0 : refuse(choice, err);
}

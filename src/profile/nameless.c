/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Missing symbols by module (see nameless.h). */
#include "profile/nameless.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "profile/profile.h"

#define LEAST_SHARE 0.01

static const struct {
	const char *path, *problem; /* words in them; "" = any */
	const char *advice;
} advices[] = {
	{ "[kernel", "kptr_restrict",
	  "read it as root, or: sysctl kernel.kptr_restrict=0 (as root) and record again" },
	{ "[uprobes]", "",
	  "the kernel's page for probed instructions, from a probe of this or another tool: there "
	  "are no names in it" },
	{ "[", "", "read it on the machine and kernel of the recording, or use -k VMLINUX" },
	{ "/tmp/perf-", "",
	  "generated code: start java with -XX:+DumpPerfMapAtExit or a perf-map agent, node with "
	  "--perf-basic-prof, python with -X perf" },
	{ "", "stripped",
	  "install its debug symbols (Debian: the -dbgsym package), or use --debuginfod" },
	{ "", "",
	  "restore the file, or use --symfs DIR or --debuginfod; cupel record keeps the symbols in "
	  "the recording unless -N is given" },
};

static const char *advice_for(const char *path, const char *problem)
{
	for (size_t i = 0; i < sizeof(advices) / sizeof(advices[0]); i++)
		if (strncmp(path, advices[i].path, strlen(advices[i].path)) == 0 &&
		    strstr(problem, advices[i].problem))
			return advices[i].advice;
	return ""; /* the last one is the default */
}

/* Frames without a name by module; returns all frames. */
static double count(const struct profile *p, double *nameless)
{
	double *samples = mem_zalloc((p->nodes.count + 1) * sizeof(*samples)), frames = 0;

	for (size_t i = 0; i < p->samples.count; i++)
		samples[p->samples.item[i].stack.v] += (double)p->samples.item[i].count;
	for (size_t i = p->nodes.count; i-- > 1;) { /* children come after their parents */
		const struct stack_node *node = &p->nodes.item[i];
		const struct frame *frame = &p->frames.item[node->frame.v];

		samples[node->parent.v] += samples[i];
		frames += samples[i];
		if (!frame->function.v)
			nameless[frame->module] += samples[i];
	}
	free(samples);
	return frames;
}

static bool has_problem(const struct profile *profile)
{
	for (size_t i = 1; i < profile->modules.count; i++)
		if (profile->modules.item[i].problem.v)
			return true;
	return false;
}

static struct nameless describe(const struct profile *profile, size_t index, double share)
{
	const struct profile_module *module = &profile->modules.item[index];
	const char *problem = profile_string(profile, module->problem);
	const char *path = profile_string(profile, module->path);

	return (struct nameless){
		.module = (uint32_t)index,
		.path = path,
		.problem = problem,
		.advice = module->remedy.v ? profile_string(profile, module->remedy)
					   : advice_for(path, problem),
		.share = share,
	};
}

bool nameless_find(const struct profile *profile, struct nameless *ret)
{
	double frames, most = 0, *nameless;

	if (!has_problem(profile))
		return false;
	nameless = mem_zalloc((profile->modules.count + 1) * sizeof(*nameless));
	frames = count(profile, nameless);
	for (size_t i = 1; i < profile->modules.count; i++) {
		if (!profile->modules.item[i].problem.v || nameless[i] <= most ||
		    nameless[i] < LEAST_SHARE * frames)
			continue;
		most = nameless[i];
		*ret = describe(profile, i, most / frames);
	}
	free(nameless);
	return most > 0;
}

size_t nameless_list(const struct profile *profile, struct nameless *ret, size_t max)
{
	double *nameless = mem_zalloc((profile->modules.count + 1) * sizeof(*nameless));
	double frames = count(profile, nameless);
	size_t found = 0;

	while (found < max) {
		size_t most = 0;

		for (size_t i = 0; i < profile->modules.count; i++)
			if (nameless[i] > nameless[most])
				most = i;
		if (!profile->modules.count || nameless[most] <= 0)
			break;
		ret[found++] = describe(profile, most, nameless[most] / frames);
		nameless[most] = 0;
	}
	free(nameless);
	return found;
}

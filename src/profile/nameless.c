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

bool nameless_find(const struct profile *profile, struct nameless *ret)
{
	double frames, most = 0, *nameless;

	if (!has_problem(profile))
		return false;
	nameless = mem_zalloc((profile->modules.count + 1) * sizeof(*nameless));
	frames = count(profile, nameless);
	for (size_t i = 1; i < profile->modules.count; i++) {
		const struct profile_module *module = &profile->modules.item[i];
		const char *problem = profile_string(profile, module->problem);
		const char *path = profile_string(profile, module->path);

		if (!*problem || nameless[i] <= most || nameless[i] < LEAST_SHARE * frames)
			continue;
		most = nameless[i];
		*ret = (struct nameless){
			.module = (uint32_t)i,
			.path = path,
			.problem = problem,
			.advice = module->remedy.v ? profile_string(profile, module->remedy)
						   : advice_for(path, problem),
			.share = most / frames,
		};
	}
	free(nameless);
	return most > 0;
}

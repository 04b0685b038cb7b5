/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What share of a profile a name has (see answer.h). */
#include <errno.h>
#include <regex.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "view/answer/answer.h"

enum match { UNKNOWN, NO, YES };

/* By stack: whether a frame of it matches. A parent's id is smaller, so one pass is enough. */
static bool *match_stacks(const struct profile *profile, const regex_t *regex)
{
	bool *matches = mem_zalloc(profile->nodes.count + 1);
	uint8_t *frames = mem_zalloc(profile->frames.count + 1); /* enum match */

	for (size_t i = 1; i < profile->nodes.count; i++) {
		const struct stack_node *node = &profile->nodes.item[i];
		uint8_t *known = &frames[node->frame.v];

		if (*known == UNKNOWN) {
			const struct frame *f = &profile->frames.item[node->frame.v];

			*known = regexec(regex, answer_frame_name(profile, f), 0, NULL, 0) == 0
					 ? YES
					 : NO;
		}
		matches[i] = matches[node->parent.v] || *known == YES;
	}
	free(frames);
	return matches;
}

static bool *match_threads(const struct profile *profile, const regex_t *regex)
{
	bool *matches = mem_zalloc(profile->threads.count + 1);

	for (size_t i = 0; i < profile->threads.count; i++)
		matches[i] = regexec(regex, profile_string(profile, profile->threads.item[i].comm),
				     0, NULL, 0) == 0;
	return matches;
}

struct found {
	uint64_t weight, samples;
};

static void put_event(const struct profile_event *event, const char *name, const char *regex,
		      const struct found *found, struct buf *ret)
{
	double share = event->weight ? (double)found->weight / (double)event->weight : 0;

	(void)buf_printf(ret, "%6.2f %%  of %s matches /%s/ (%llu of %llu samples)\n", share * 100,
			 name, regex, (unsigned long long)found->samples,
			 (unsigned long long)event->samples);
}

int answer_find(const struct profile *profile, const char *text, struct buf *ret, struct err *err)
{
	bool *stacks, *threads;
	struct found *found;
	regex_t regex;
	char why[128];
	int code = regcomp(&regex, text, REG_EXTENDED | REG_NOSUB);

	if (code) {
		(void)regerror(code, &regex, why, sizeof(why));
		return err_set(err, -EINVAL, "'%s': %s", text, why);
	}
	stacks = match_stacks(profile, &regex);
	threads = match_threads(profile, &regex);
	found = mem_zalloc((profile->events.count + 1) * sizeof(*found));
	for (size_t i = 0; i < profile->samples.count; i++) {
		const struct profile_sample *s = &profile->samples.item[i];

		if (!stacks[s->stack.v] && !threads[s->thread.v])
			continue;
		found[s->event].weight += s->weight;
		found[s->event].samples += s->count;
	}
	for (size_t i = 0; i < profile->events.count; i++)
		if (profile->events.item[i].samples)
			put_event(&profile->events.item[i],
				  profile_string(profile, profile->events.item[i].name), text,
				  &found[i], ret);
	free(found);
	free(stacks);
	free(threads);
	regfree(&regex);
	return 0;
}

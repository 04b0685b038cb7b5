/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What share of a profile a name has (see answer.h). */
#include <errno.h>
#include <regex.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/fd.h"
#include "view/text_report/text_report.h"

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

			*known = regexec(regex, text_report_frame_name(profile, f), 0, NULL, 0) == 0
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

static void put_event(const struct profile *profile, size_t index,
		      const struct text_report_query *query, const struct found *found,
		      struct buf *ret)
{
	const struct profile_event *event = &profile->events.item[index];
	double part = (double)(query->by_samples ? found->samples : found->weight);
	double all = (double)(query->by_samples ? event->samples : event->weight);

	(void)buf_printf(ret, "%6.2f %%  of %s matches /%s/ (%llu of %llu samples)\n",
			 all > 0 ? part * 100 / all : 0, profile_string(profile, event->name),
			 query->regex, (unsigned long long)found->samples,
			 (unsigned long long)event->samples);
}

/* By event: what matches of it. */
static struct found *find(const struct profile *profile, const regex_t *regex)
{
	struct found *found = mem_zalloc((profile->events.count + 1) * sizeof(*found));
	AUTO_FREE bool *stacks = match_stacks(profile, regex);
	AUTO_FREE bool *threads = match_threads(profile, regex);

	for (size_t i = 0; i < profile->samples.count; i++) {
		const struct profile_sample *s = &profile->samples.item[i];

		if (!stacks[s->stack.v] && !threads[s->thread.v])
			continue;
		found[s->event].weight += s->weight;
		found[s->event].samples += s->count;
	}
	return found;
}

static int compile(const char *text, regex_t *ret, struct err *err)
{
	char why[128];
	int code = regcomp(ret, text, REG_EXTENDED | REG_NOSUB);

	if (!code)
		return 0;
	(void)regerror(code, ret, why, sizeof(why));
	return err_set(err, -EINVAL, "'%s': %s", text, why);
}

int text_report_find_check(const char *text, struct err *err)
{
	regex_t regex;
	int r = compile(text, &regex, err);

	if (r == 0)
		regfree(&regex);
	return r;
}

int text_report_find(const struct profile *profile, const struct text_report_query *query,
		     struct buf *ret, struct err *err)
{
	AUTO_FREE bool *picked = mem_zalloc(profile->events.count + 1);
	AUTO_FREE struct found *found = NULL;
	regex_t regex;
	int r;

	if (query->event && !profile_pick_events(profile, query->event, picked))
		return err_set(err, -ENOENT, "no event '%s'", query->event);
	r = compile(query->regex, &regex, err);
	if (r)
		return r;
	found = find(profile, &regex);
	for (size_t i = 0; i < profile->events.count; i++)
		if (query->event ? picked[i] : profile->events.item[i].samples > 0)
			put_event(profile, i, query, &found[i], ret);
	regfree(&regex);
	return 0;
}

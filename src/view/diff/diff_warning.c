/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Safety of a comparison (see diff_warning.h). Only facts that both sides know are compared: folded
 * text knows next to none. */
#include "view/diff/diff_warning.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/buf.h"
#include "base/map.h"
#include "profile/call_tree.h"
#include "profile/diff/diff.h"
#include "profile/sample_weight.h"

#define PERIODS_DIFFER	 1.5 /* mean periods, of events without a fixed period */
#define DURATIONS_DIFFER 1.2
#define LOST_TOO_MANY	 0.01
#define BUILDS_TOLD	 3

struct facts {
	const struct profile *first; /* of the side */
	const char *event;	     /* the first of those compared; NULL if none */
	double duration_s, period;
	bool fixed_period;
	uint64_t samples, lost;
};

/* A text's lines are no samples. What a sample of it weighs is approximate, or unknown: 0. */
static bool period_of_text(const struct profile *p, const bool *events, double *ret)
{
	for (size_t i = 0; i < p->events.count; i++) {
		const struct profile_event *event = &p->events.item[i];

		if (!events[i] || event->sample_weight == SAMPLE_WEIGHT_COUNTED)
			continue;
		*ret = event->scale <= 1 && event->sample_weight > 0 ? event->sample_weight : 0;
		return true;
	}
	return false;
}

static bool uniform_period(const struct profile *p, const bool *events, double *ret)
{
	bool fixed = true;
	double first = 0, count = 0, weight = 0;

	if (period_of_text(p, events, ret))
		return false;
	for (size_t i = 0; i < p->samples.count; i++) {
		const struct profile_sample *s = &p->samples.item[i];
		uint32_t scale = p->events.item[s->event].scale;
		double units = (double)s->weight / (scale ? scale : 1);

		if (!events[s->event] || !s->count)
			continue;
		first = count > 0 ? first : units / (double)s->count;
		fixed = fixed && first * (double)s->count == units;
		count += (double)s->count;
		weight += units;
	}
	*ret = count > 0 ? weight / count : 0;
	return fixed;
}

static struct facts find_facts(const struct diff_input *input, int side, const char *event)
{
	struct facts facts = { .first = input->runs[side][0], .fixed_period = true };
	double period;

	for (size_t i = 0; i < input->count[side]; i++) {
		const struct profile *p = input->runs[side][i];
		bool *events = mem_zalloc(p->events.count + 1);

		(void)profile_pick_events(p, event, events);
		for (size_t e = 0; e < p->events.count && !facts.event; e++)
			facts.event = events[e] ? profile_string(p, p->events.item[e].name) : NULL;
		facts.fixed_period = uniform_period(p, events, &period) && facts.fixed_period;
		facts.period += period / (double)input->count[side];
		facts.duration_s += (double)p->meta.duration_ns / 1e9 / (double)input->count[side];
		facts.lost += p->meta.lost_samples;
		for (size_t e = 0; e < p->events.count; e++)
			facts.samples += p->events.item[e].samples;
		free(events);
	}
	return facts;
}

static void compare_words(struct buf *out, const char *what, const char *before, const char *after)
{
	if (*before && *after && strcmp(before, after) != 0)
		(void)buf_printf(out, "%s differ: %s, %s\n", what, before, after);
}

/* "cycles" and "cycles:ppp" count the same: precision moves a sample by a few instructions. */
static bool same_but_precision(const char *a, const char *b)
{
	bool modifiers = false;

	for (;;) {
		while (modifiers && *a == 'p')
			a++;
		while (modifiers && *b == 'p')
			b++;
		if (*a == ':' && !*b)
			return strspn(a + 1, "p") == strlen(a + 1);
		if (*b == ':' && !*a)
			return strspn(b + 1, "p") == strlen(b + 1);
		if (*a != *b || !*a)
			return *a == *b;
		modifiers = modifiers || *a == ':';
		a++;
		b++;
	}
}

static bool has_event(const struct profile *p, const char *name)
{
	for (size_t i = 0; i < p->events.count; i++)
		if (p->events.item[i].samples &&
		    same_but_precision(profile_string(p, p->events.item[i].name), name))
			return true;
	return false;
}

static void compare_events(struct buf *out, const struct facts facts[2])
{
	const char *before = facts[0].event, *after = facts[1].event;

	if (before && after && !same_but_precision(before, after))
		(void)buf_printf(out, "different events are compared: %s before, %s after\n",
				 before, after);
	for (int side = 0; side < 2; side++) {
		const struct profile *p = facts[side].first, *other = facts[!side].first;

		for (size_t i = 0; i < p->events.count; i++) {
			const char *name = profile_string(p, p->events.item[i].name);

			if (p->events.item[i].samples && !has_event(other, name))
				(void)buf_printf(out, "event %s exists only %s\n", name,
						 side ? "after" : "before");
		}
	}
}

static void compare_numbers(struct buf *out, const struct facts facts[2])
{
	double period = facts[1].period / facts[0].period;
	double duration = facts[1].duration_s / facts[0].duration_s;
	bool fixed = facts[0].fixed_period && facts[1].fixed_period;

	if (facts[0].period > 0 && facts[1].period > 0 &&
	    (fixed ? period != 1 : period > PERIODS_DIFFER || period < 1 / PERIODS_DIFFER))
		(void)buf_printf(out,
				 "periods differ: a sample stands for %g before, for %g after\n",
				 facts[0].period, facts[1].period);
	if (facts[0].duration_s > 0 && facts[1].duration_s > 0 &&
	    (duration > DURATIONS_DIFFER || duration < 1 / DURATIONS_DIFFER))
		(void)buf_printf(out, "durations differ: %.3g s before, %.3g s after\n",
				 facts[0].duration_s, facts[1].duration_s);
	for (int side = 0; side < 2; side++)
		if ((double)facts[side].lost > LOST_TOO_MANY * (double)facts[side].samples)
			(void)buf_printf(out, "%llu samples were lost %s\n",
					 (unsigned long long)facts[side].lost,
					 side ? "after" : "before");
}

static const char *file_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Modules of one name and other contents: names may have moved, or be others' altogether. */
static void compare_builds(struct buf *out, const struct facts facts[2])
{
	const struct profile *before = facts[0].first, *after = facts[1].first;
	struct map by_name = { 0 };
	struct buf names = { 0 };
	size_t differ = 0;

	for (size_t i = 1; i < before->modules.count; i++) {
		const char *name = file_name(profile_string(before, before->modules.item[i].path));

		if (before->modules.item[i].build_id[0])
			map_set(&by_name, hash_bytes(name, strlen(name)), i);
	}
	for (size_t i = 1; i < after->modules.count; i++) {
		const struct profile_module *module = &after->modules.item[i];
		const char *name = file_name(profile_string(after, module->path));
		uint64_t at;

		if (!module->build_id[0] ||
		    !map_get(&by_name, hash_bytes(name, strlen(name)), &at) ||
		    strcmp(before->modules.item[at].build_id, module->build_id) == 0)
			continue;
		if (differ < BUILDS_TOLD)
			(void)buf_printf(&names, "%s%s", differ ? ", " : "", name);
		differ++;
	}
	if (differ > BUILDS_TOLD)
		(void)buf_printf(&names, " and %zu more", differ - BUILDS_TOLD);
	if (differ)
		(void)buf_printf(out, "build ids differ: %s\n", names.data);
	buf_done(&names);
	map_done(&by_name);
}

/* The command with most of a side's weight. */
static const char *main_command(const struct diff_input *input, int side)
{
	const struct profile *p = input->runs[side][0];
	uint64_t *weight = mem_zalloc((strtab_count(p->strings) + 1) * sizeof(*weight)), most = 0;
	const char *ret = "";

	for (size_t i = 0; i < p->samples.count; i++) {
		string_id comm = p->threads.item[p->samples.item[i].thread.v].comm;

		weight[comm.v] += p->samples.item[i].weight;
		if (weight[comm.v] > most) {
			most = weight[comm.v];
			ret = profile_string(p, comm);
		}
	}
	free(weight);
	return ret;
}

static bool has_command(const struct diff_input *input, int side, const char *comm)
{
	for (size_t i = 0; i < input->count[side]; i++) {
		const struct profile *p = input->runs[side][i];

		for (size_t t = 0; t < p->threads.count; t++)
			if (strcmp(profile_string(p, p->threads.item[t].comm), comm) == 0)
				return true;
	}
	return false;
}

bool diff_warn_programs(const struct diff_input *input, struct buf *ret)
{
	const char *before = main_command(input, DIFF_BEFORE);
	const char *after = main_command(input, DIFF_AFTER);

	if (!*before || !*after || has_command(input, DIFF_AFTER, before) ||
	    has_command(input, DIFF_BEFORE, after))
		return false;
	(void)buf_printf(ret,
			 "programs differ: the code of %s is compared with that of %s, without "
			 "root frames for commands\n",
			 before, after);
	return true;
}

void diff_warnings(const struct diff_input *input, const char *event, struct buf *ret)
{
	struct facts facts[2] = { find_facts(input, DIFF_BEFORE, event),
				  find_facts(input, DIFF_AFTER, event) };
	const struct profile *b = facts[0].first, *a = facts[1].first;

	compare_events(ret, facts);
	compare_numbers(ret, facts);
	compare_words(ret, "CPUs", profile_string(b, b->meta.cpu_desc),
		      profile_string(a, a->meta.cpu_desc));
	if (b->meta.cpus && a->meta.cpus && b->meta.cpus != a->meta.cpus)
		(void)buf_printf(ret, "numbers of CPUs differ: %u, %u\n", b->meta.cpus,
				 a->meta.cpus);
	compare_words(ret, "architectures", profile_string(b, b->meta.arch),
		      profile_string(a, a->meta.arch));
	compare_words(ret, "kernels", profile_string(b, b->meta.os_release),
		      profile_string(a, a->meta.os_release));
	compare_words(ret, "hosts", profile_string(b, b->meta.hostname),
		      profile_string(a, a->meta.hostname));
	compare_builds(ret, facts);
}

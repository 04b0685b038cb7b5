/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sample filters (see filter.h). Syntax as in perf: comma-separated lists; --time takes
 * "start,stop" in seconds with either left out, several of them apart by spaces, "N%/K" (slice K of
 * N %), and "A%-B%", several by commas. */
#include "session/filter.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/vec.h"
#include "profile/profile.h"

struct range {
	uint64_t from, to; /* inclusive */
};

typedef VEC(struct range) range_list;

struct filter {
	char *comms; /* words, each NUL-terminated, an empty one last; NULL = all */
	range_list pids, tids, cpus, times;
};

/* Splits "a,b" in place into NUL-terminated words with an empty word at the end. */
static char *split_words(const char *list)
{
	size_t len = strlen(list);
	char *words = mem_zalloc(len + 2);

	memcpy(words, list, len);
	for (size_t i = 0; i < len; i++)
		if (words[i] == ',')
			words[i] = '\0';
	return words;
}

static bool word_match(const char *words, const char *subject)
{
	if (!words)
		return true;
	for (; *words; words += strlen(words) + 1)
		if (strcmp(words, subject) == 0)
			return true;
	return false;
}

static bool range_match(const range_list *ranges, uint64_t value)
{
	for (size_t i = 0; i < ranges->count; i++)
		if (value >= ranges->item[i].from && value <= ranges->item[i].to)
			return true;
	return ranges->count == 0;
}

/* "1,4-7" */
static int parse_numbers(const char *what, const char *list, range_list *ret, struct err *err)
{
	const char *s = list;

	while (s && *s) {
		struct range range;
		char *end;

		if (!isdigit((unsigned char)*s))
			return err_usage(err, "%s: invalid value '%s': expected a list of numbers",
					 what, list);
		range.from = range.to = strtoull(s, &end, 10);
		if (*end == '-' && isdigit((unsigned char)end[1]))
			range.to = strtoull(end + 1, &end, 10);
		if ((*end && *end != ',') || range.to < range.from)
			return err_usage(err, "%s: invalid value '%s': expected a list of numbers",
					 what, list);
		vec_push(ret, range);
		s = *end ? end + 1 : end;
	}
	return 0;
}

/* Seconds with up to nine decimals. *end is left alone when there is no number. */
static uint64_t parse_seconds(const char *s, const char **end)
{
	uint64_t ns, unit = 100000000;
	char *after;

	if (!isdigit((unsigned char)*s))
		return 0;
	ns = strtoull(s, &after, 10) * 1000000000u;
	if (*after == '.')
		for (after++; isdigit((unsigned char)*after); after++, unit /= 10)
			ns += unit * (uint64_t)(*after - '0');
	*end = after;
	return ns;
}

static int bad_time(const char *spec, struct err *err)
{
	err_usage(err, "--time: invalid time range '%s'", spec);
	return err_hint(err, "expected \"1.5,2.5\" (seconds from the start, or absolute), "
			     "\"10%%/2\" (second tenth) or \"0%%-20%%\"");
}

/* "start,stop", several apart by spaces */
static int parse_times(const char *spec, range_list *ret, struct err *err)
{
	const char *s = spec;

	while (*s) {
		struct range range = { .to = UINT64_MAX };
		const char *end = s;

		range.from = parse_seconds(s, &end);
		if (*end != ',')
			return bad_time(spec, err);
		s = end + 1;
		if (*s && *s != ' ') {
			end = s;
			range.to = parse_seconds(s, &end);
			if (end == s || (*end && *end != ' '))
				return bad_time(spec, err);
			s = end;
		}
		if (range.to < range.from)
			return bad_time(spec, err);
		vec_push(ret, range);
		while (*s == ' ')
			s++;
	}
	return 0;
}

static int parse_percent(const char *spec, struct range whole, range_list *ret, struct err *err)
{
	double length = (double)(whole.to - whole.from);
	const char *s = spec;

	while (*s) {
		char *end;
		double a = strtod(s, &end), b;

		if (end == s || *end != '%' || a < 0 || a > 100)
			return bad_time(spec, err);
		if (end[1] == '/') { /* slice number b of a percent each */
			s = end + 2;
			b = strtod(s, &end);
			if (end == s || b < 1 || a * b > 100.0 + 1e-9)
				return bad_time(spec, err);
			b *= a;
			a = b - a;
		} else if (end[1] == '-') {
			s = end + 2;
			b = strtod(s, &end);
			if (end == s || *end != '%' || b < a || b > 100)
				return bad_time(spec, err);
			end++;
		} else { /* "10%" alone is the first tenth */
			b = a;
			a = 0;
			end++;
		}
		if (*end && *end != ',')
			return bad_time(spec, err);
		vec_push(ret, ((struct range){ whole.from + (uint64_t)(length * a / 100),
					       whole.from + (uint64_t)(length * b / 100) }));
		s = *end ? end + 1 : end;
	}
	return 0;
}

static double seconds(uint64_t ns)
{
	return (double)ns / 1e9;
}

/* Times before the first sample count from it: no other meaning is left for them. */
static void make_absolute(range_list *times, struct range whole)
{
	uint64_t latest = 0;

	for (size_t i = 0; i < times->count; i++) {
		const struct range *range = &times->item[i];
		uint64_t bound = range->to < UINT64_MAX ? range->to : range->from;

		latest = bound > latest ? bound : latest;
	}
	if (latest >= whole.from)
		return;
	for (size_t i = 0; i < times->count; i++) {
		times->item[i].from += whole.from;
		if (times->item[i].to < UINT64_MAX)
			times->item[i].to += whole.from;
	}
}

static int check_overlap(const char *spec, const range_list *times, struct range whole,
			 struct err *err)
{
	for (size_t i = 0; i < times->count; i++)
		if (times->item[i].from <= whole.to && times->item[i].to >= whole.from)
			return 0;
	err_set(err, -ENODATA, "--time: %s: outside the recording", spec);
	return err_hint(err,
			"it has 0 to %.6f seconds from the start, which are the absolute times "
			"%.6f to %.6f",
			seconds(whole.to - whole.from), seconds(whole.from), seconds(whole.to));
}

static int parse_time(const char *spec, struct range whole, range_list *ret, struct err *err)
{
	bool known = whole.to > whole.from;

	if (!strchr(spec, '%')) {
		if (parse_times(spec, ret, err))
			return err->code;
		if (!known)
			return 0;
		make_absolute(ret, whole);
		return check_overlap(spec, ret, whole, err);
	}
	if (!known) {
		err_set(err, -ENODATA, "--time: %s: the recording has no start and end times",
			spec);
		return err_hint(err, "use absolute times: \"start,stop\"");
	}
	return parse_percent(spec, whole, ret, err);
}

int filter_parse(const struct filter_spec *spec, uint64_t first_ns, uint64_t last_ns,
		 struct filter **ret, struct err *err)
{
	struct filter *filter = mem_zalloc(sizeof(*filter));
	int code = parse_numbers("--pid", spec->pids, &filter->pids, err);

	if (!code)
		code = parse_numbers("--tid", spec->tids, &filter->tids, err);
	if (!code)
		code = parse_numbers("--cpu", spec->cpus, &filter->cpus, err);
	if (!code && spec->time && *spec->time)
		code = parse_time(spec->time, (struct range){ first_ns, last_ns }, &filter->times,
				  err);
	if (code) {
		filter_free(filter);
		return code;
	}
	if (spec->comms && *spec->comms)
		filter->comms = split_words(spec->comms);
	if (!filter->comms && !filter->pids.count && !filter->tids.count && !filter->cpus.count &&
	    !filter->times.count) {
		filter_free(filter);
		filter = NULL;
	}
	*ret = filter;
	return 0;
}

bool filter_match(const struct filter *filter, const struct filter_subject *subject)
{
	if (!filter)
		return true;
	return range_match(&filter->pids, subject->pid) &&
	       range_match(&filter->tids, subject->tid) &&
	       range_match(&filter->cpus, subject->cpu) &&
	       (!filter->times.count ||
		(subject->has_time && range_match(&filter->times, subject->time_ns))) &&
	       word_match(filter->comms, subject->comm);
}

void filter_window(const struct filter *filter, uint64_t *from_ns, uint64_t *to_ns)
{
	bool bounded = filter && filter->times.count;

	*from_ns = bounded ? UINT64_MAX : 0;
	*to_ns = bounded ? 0 : UINT64_MAX;
	for (size_t i = 0; bounded && i < filter->times.count; i++) {
		const struct range *range = &filter->times.item[i];

		*from_ns = range->from < *from_ns ? range->from : *from_ns;
		*to_ns = range->to > *to_ns ? range->to : *to_ns;
	}
}

void filter_free(struct filter *filter)
{
	if (!filter)
		return;
	free(filter->comms);
	vec_done(&filter->pids);
	vec_done(&filter->tids);
	vec_done(&filter->cpus);
	vec_done(&filter->times);
	free(filter);
}

static bool asks_for(const char *list)
{
	return list && *list;
}

static bool asks_for_any(const struct filter_spec *spec)
{
	return asks_for(spec->comms) || asks_for(spec->pids) || asks_for(spec->tids) ||
	       asks_for(spec->cpus) || asks_for(spec->time) || spec->event || spec->kind;
}

unsigned filter_keeps(const struct filter_spec *spec)
{
	unsigned keep = 0;

	if (asks_for_any(spec))
		keep |= PROFILE_KEEP_TIME; /* samples stay apart, so they can be taken out */
	if (asks_for(spec->cpus))
		keep |= PROFILE_KEEP_CPU;
	return keep;
}

static bool passes(const struct profile *profile, const struct filter_spec *spec,
		   const struct filter *filter, const struct profile_sample *sample)
{
	const struct profile_thread *thread = &profile->threads.item[sample->thread.v];
	const struct profile_event *event = &profile->events.item[sample->event];
	struct filter_subject subject = { .comm = profile_string(profile, thread->comm),
					  .pid = thread->pid,
					  .tid = thread->tid,
					  .cpu = sample->cpu,
					  .has_time = sample->time_ns != 0,
					  .time_ns = sample->time_ns };

	if (spec->event && strcmp(profile_string(profile, event->name), spec->event) != 0)
		return false;
	if (spec->kind && event->kind != spec->kind)
		return false;
	return filter_match(filter, &subject);
}

/* Takes out all samples and puts those back that pass, so that all sums are made anew. */
static void keep_passing(struct profile *profile, const struct filter_spec *spec,
			 const struct filter *filter)
{
	struct profile_sample *old = profile->samples.item;
	size_t count = profile->samples.count, kept = 0;

	profile->samples.item = NULL;
	profile->samples.count = profile->samples.capacity = 0;
	for (size_t i = 0; i < profile->events.count; i++) {
		struct profile_event *event = &profile->events.item[i];

		event->samples = event->weight = 0;
		event->squares = 0;
		memset(event->stop, 0, sizeof(event->stop));
	}
	for (size_t i = 0; i < count; i++)
		if (passes(profile, spec, filter, &old[i]))
			old[kept++] = old[i];
	profile_add_all(profile, old, kept);
	free(old);
}

int filter_profile(const struct filter_spec *spec, struct profile *profile, const char *path,
		   struct err *err)
{
	uint64_t samples = profile_sample_count(profile);
	struct filter *filter;

	if (!asks_for_any(spec))
		return 0;
	/* pprof has an end, but no times of samples */
	if (asks_for(spec->time) &&
	    (!profile->meta.last_ns ||
	     (!profile->meta.first_ns && samples && !profile->samples.item[0].time_ns)))
		return err_set(err, -ENODATA, "%s: the samples have no times", path);
	if (filter_parse(spec, profile->meta.first_ns, profile->meta.last_ns, &filter, err))
		return err->code;
	keep_passing(profile, spec, filter);
	filter_free(filter);
	if (!profile->samples.count)
		return err_set(err, -ENODATA, "%s: none of %llu samples matches the filters", path,
			       (unsigned long long)samples);
	return 0;
}

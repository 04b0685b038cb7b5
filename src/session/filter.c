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
			return err_set(err, -EINVAL, "%s: %s: not a list of numbers", what, list);
		range.from = range.to = strtoull(s, &end, 10);
		if (*end == '-' && isdigit((unsigned char)end[1]))
			range.to = strtoull(end + 1, &end, 10);
		if ((*end && *end != ',') || range.to < range.from)
			return err_set(err, -EINVAL, "%s: %s: not a list of numbers", what, list);
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
	err_set(err, -EINVAL, "--time: %s: not a time range", spec);
	return err_hint(err,
			"write \"1.5,2.5\" (seconds), \"10%%/2\" (second tenth) or \"0%%-20%%\"");
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

static int parse_time(const char *spec, struct range whole, range_list *ret, struct err *err)
{
	if (!strchr(spec, '%'))
		return parse_times(spec, ret, err);
	if (whole.to <= whole.from) {
		err_set(err, -ENODATA,
			"--time: %s: the recording does not say when it began and ended", spec);
		return err_hint(err, "give absolute times as \"start,stop\"");
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

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Moments as text (see time_text.h). */
#include "store/time_text.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <time.h>

#include "base/err.h"

#define SECOND_NS   ((uint64_t)1000000000)
#define MAX_SECONDS ((uint64_t)253402300799) /* the year 9999 */

static bool take_number(const char **at, size_t digits, uint64_t most, uint64_t *ret)
{
	uint64_t value = 0;
	size_t count = 0;

	while (**at >= '0' && **at <= '9' && count < digits) {
		value = value * 10 + (uint64_t)(**at - '0');
		(*at)++;
		count++;
	}
	*ret = value;
	return count && value <= most;
}

static bool take_character(const char **at, const char *any)
{
	if (!**at || !strchr(any, **at))
		return false;
	(*at)++;
	return true;
}

/* "-1h30m" */
static bool parse_before(const char *text, uint64_t now_ns, uint64_t *ret)
{
	static const char units[] = "smhdw";
	static const uint64_t seconds[] = { 1, 60, 3600, 86400, 7 * 86400 };
	uint64_t sum = 0;

	for (text++; *text;) {
		const char *unit;
		uint64_t number;

		if (!take_number(&text, 11, MAX_SECONDS, &number))
			return false;
		unit = *text ? strchr(units, *text) : NULL;
		if (!unit)
			return false;
		sum += number * seconds[unit - units];
		text++;
	}
	if (!sum || sum > now_ns / SECOND_NS)
		return false;
	*ret = now_ns - sum * SECOND_NS;
	return true;
}

static bool take_clock(const char **at, struct tm *tm)
{
	uint64_t hour, minute, second = 0;

	if (!take_number(at, 2, 23, &hour) || !take_character(at, ":") ||
	    !take_number(at, 2, 59, &minute))
		return false;
	if (take_character(at, ":") && !take_number(at, 2, 60, &second))
		return false;
	tm->tm_hour = (int)hour;
	tm->tm_min = (int)minute;
	tm->tm_sec = (int)second;
	return true;
}

static bool take_date(const char **at, struct tm *tm)
{
	uint64_t year, month, day;

	if (!take_number(at, 4, 9999, &year) || !take_character(at, "-") ||
	    !take_number(at, 2, 12, &month) || !take_character(at, "-") ||
	    !take_number(at, 2, 31, &day) || year < 1970 || !month || !day)
		return false;
	*tm = (struct tm){ .tm_year = (int)year - 1900,
			   .tm_mon = (int)month - 1,
			   .tm_mday = (int)day };
	return true;
}

/* That time of the clock in the tm, of which the rest is set. */
static bool finish(struct tm *tm, bool utc, uint64_t *ret)
{
	time_t seconds;

	tm->tm_isdst = -1;
	seconds = utc ? timegm(tm) : mktime(tm);
	if (seconds < 0)
		return false;
	*ret = (uint64_t)seconds * SECOND_NS;
	return true;
}

static bool parse_day(const char *text, uint64_t now_ns, int days, uint64_t *ret)
{
	time_t now = (time_t)(now_ns / SECOND_NS);
	bool utc;
	struct tm tm;

	if (!localtime_r(&now, &tm))
		return false;
	tm.tm_hour = tm.tm_min = tm.tm_sec = 0;
	tm.tm_mday += days;
	if (text && !take_clock(&text, &tm))
		return false;
	utc = text && take_character(&text, "Z");
	return (!text || !*text) && finish(&tm, utc, ret);
}

static bool parse_date(const char *text, uint64_t *ret)
{
	struct tm tm;

	if (!take_date(&text, &tm))
		return false;
	if (take_character(&text, " T") && !take_clock(&text, &tm))
		return false;
	return finish(&tm, take_character(&text, "Z"), ret) && !*text;
}

static bool parse(const char *text, uint64_t now_ns, uint64_t *ret)
{
	uint64_t seconds;

	if (strcmp(text, "now") == 0) {
		*ret = now_ns;
		return true;
	}
	if (strcmp(text, "today") == 0 || strcmp(text, "yesterday") == 0)
		return parse_day(NULL, now_ns, text[0] == 'y' ? -1 : 0, ret);
	if (*text == '-')
		return parse_before(text, now_ns, ret);
	if (*text == '@') {
		text++;
		*ret = 0;
		if (!take_number(&text, 12, MAX_SECONDS, &seconds) || *text)
			return false;
		*ret = seconds * SECOND_NS;
		return true;
	}
	return strlen(text) > 4 && text[4] == '-' ? parse_date(text, ret)
						  : parse_day(text, now_ns, 0, ret);
}

int time_text_parse(const char *text, uint64_t now_ns, uint64_t *ret, struct err *err)
{
	uint64_t time;

	if (!parse(text, now_ns, &time))
		return err_usage(err,
				 "invalid time '%s': expected now, -1h30m, today, 14:30, "
				 "2026-11-24, \"2026-11-24 14:30\" or @SECONDS",
				 text);
	*ret = time;
	return 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Headers by earlier ones (see perf_script_head.h). Only the layout "… [cpu] seconds.fraction:
 * [period] event:" is known here, because then nothing in front of the CPU can depend on what is
 * behind it; other headers are always taken apart. */
#include "format/perf_script/perf_script_head.h"

#include <string.h>

#include "base/map.h"

#define MAX_SECONDS 10 /* digits */
#define MAX_PERIOD  18

/* The fields of a line from the time on. */
struct tail {
	const char *event; /* behind the period */
	uint64_t time_ns, period;
};

static const char *skip_blanks(const char *at, const char *end)
{
	while (at < end && *at == ' ')
		at++;
	return at;
}

/* Reads digits; *ret_count is how many. */
static const char *read_digits(const char *at, const char *end, uint64_t *ret, size_t *ret_count)
{
	const char *first = at;
	uint64_t value = 0;

	for (; at < end && (unsigned char)(*at - '0') <= 9; at++)
		value = value * 10 + (uint64_t)(*at - '0');
	*ret = value;
	*ret_count = (size_t)(at - first);
	return at;
}

/* "seconds.fraction:"; NULL when something else is there. */
static const char *read_time(const char *at, const char *end, uint64_t *ret)
{
	uint64_t seconds, fraction;
	size_t digits;

	at = read_digits(at, end, &seconds, &digits);
	if (digits < 1 || digits > MAX_SECONDS || at == end || *at != '.')
		return NULL;
	at = read_digits(at + 1, end, &fraction, &digits);
	if (digits < 1 || digits > 9 || at == end || *at != ':')
		return NULL;
	for (; digits < 9; digits++)
		fraction *= 10;
	*ret = seconds * 1000000000 + fraction;
	return at + 1;
}

/* Where the time begins: behind "[cpu]" and blanks. */
static const char *find_time(const char *text, const char *end)
{
	const char *at;

	if (end - text > SCRIPT_PORTION)
		end = text + SCRIPT_PORTION;
	at = memchr(text, '[', (size_t)(end - text));
	at = at ? memchr(at, ']', (size_t)(end - at)) : NULL;
	return at && at + 1 < end && at[1] == ' ' ? skip_blanks(at + 1, end) : NULL;
}

/* Reads from the time on; false for a line of another layout. */
static bool read_tail(const char *time, const char *end, struct tail *ret)
{
	const char *at = read_time(time, end, &ret->time_ns), *event;
	size_t digits;

	if (!at || at == end || *at != ' ')
		return false;
	at = skip_blanks(at, end);
	event = read_digits(at, end, &ret->period, &digits);
	if (digits > MAX_PERIOD || (digits && (event == end || *event != ' ')))
		return false;
	ret->event = skip_blanks(event, end);
	return true;
}

static bool starts_with(const struct script_portion *key, const char *text, const char *end)
{
	return key->len && key->len < end - text && memcmp(key->text, text, key->len) == 0;
}

static uint16_t place_of(const char *text, const char *time)
{
	return hash_bytes(text, (size_t)(time - text)) % SCRIPT_FRONTS;
}

static const struct script_front *find_front(struct script_heads *heads, const char *text,
					     const char *end)
{
	const char *time;
	uint16_t place;

	for (size_t i = 0; i < 2; i++)
		if (starts_with(&heads->front[heads->recent[i]].key, text, end))
			return &heads->front[heads->recent[i]];
	time = find_time(text, end);
	if (!time)
		return NULL;
	place = place_of(text, time);
	if (!starts_with(&heads->front[place].key, text, end))
		return NULL;
	heads->recent[1] = heads->recent[0];
	heads->recent[0] = place;
	return &heads->front[place];
}

const char *script_head_find(struct script_heads *heads, const char *text, const char *end,
			     struct script_head *ret)
{
	const struct script_front *front = find_front(heads, text, end);
	struct tail tail;

	if (!front || !read_tail(text + front->key.len, end, &tail))
		return NULL;
	for (size_t i = 0; i < SCRIPT_EVENTS; i++) {
		const struct script_event *event = &heads->event[i];

		if (!starts_with(&event->key, tail.event, end + 1))
			continue;
		*ret = (struct script_head){ .thread = front->thread,
					     .event = event->event,
					     .cpu = front->cpu,
					     .time_ns = tail.time_ns,
					     .period = tail.period };
		return tail.event + event->key.len;
	}
	return NULL;
}

static void learn_portion(struct script_portion *key, const char *text, size_t len)
{
	key->len = (uint8_t)len;
	memcpy(key->text, text, len);
}

void script_head_learn(struct script_heads *heads, const char *text, const char *end,
		       const struct script_header *header, const struct script_head *head)
{
	const char *time = find_time(text, end), *newline;
	struct script_front *front;
	struct script_event *event;
	struct tail tail;
	size_t len;

	if (!time || !read_tail(time, end, &tail) || tail.event != header->event.s ||
	    tail.time_ns != header->time_ns || tail.period != header->period)
		return;
	newline = memchr(tail.event, '\n', (size_t)(end - tail.event));
	len = newline ? (size_t)(newline + 1 - tail.event) : SIZE_MAX;
	if (len > SCRIPT_PORTION || header->rest.len)
		return;
	front = &heads->front[place_of(text, time)];
	learn_portion(&front->key, text, (size_t)(time - text));
	front->thread = head->thread;
	front->cpu = head->cpu;
	for (size_t i = 0; i < SCRIPT_EVENTS; i++)
		if (starts_with(&heads->event[i].key, tail.event, end + 1))
			return;
	event = &heads->event[heads->next_event++ % SCRIPT_EVENTS];
	learn_portion(&event->key, tail.event, len);
	event->event = head->event;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names and texts of the stop reasons (see stop.h). */
#include "event/stop.h"

#include <assert.h>
#include <linux/perf_event.h>
#include <stdbool.h>

#include "base/err.h"

const char *stack_stop_name(enum stack_stop stop)
{
	static const char *const names[] = {
#define STACK_STOP_NAME(id, name, text, advice) name,
		STACK_STOPS(STACK_STOP_NAME)
#undef STACK_STOP_NAME
	};

	if (stop >= STACK_STOP_COUNT)
		BUG("stop reason out of range");
	return names[stop];
}

const char *stack_stop_text(enum stack_stop stop)
{
	static const char *const texts[] = {
#define STACK_STOP_TEXT(id, name, text, advice) text,
		STACK_STOPS(STACK_STOP_TEXT)
#undef STACK_STOP_TEXT
	};

	if (stop >= STACK_STOP_COUNT)
		BUG("stop reason out of range");
	return texts[stop];
}

const char *stack_stop_advice(enum stack_stop stop)
{
	static const char *const advices[] = {
#define STACK_STOP_ADVICE(id, name, text, advice) advice,
		STACK_STOPS(STACK_STOP_ADVICE)
#undef STACK_STOP_ADVICE
	};

	if (stop >= STACK_STOP_COUNT)
		BUG("stop reason out of range");
	return advices[stop];
}

size_t stack_stop_put(enum stack_stop stop, uint64_t *ret)
{
	size_t len = 0;

	static_assert(STACK_STOP_COUNT <= 1 << STACK_STOP_DIGITS, "reasons fit their digits");
	if (stop == STACK_STOP_NONE)
		return 0;
	ret[len++] = (uint64_t)PERF_CONTEXT_USER;
	if (stop == STACK_STOP_ROOT)
		return len;
	for (unsigned digit = STACK_STOP_DIGITS; digit-- > 0;)
		ret[len++] =
			(uint64_t)(stop >> digit & 1 ? PERF_CONTEXT_USER : PERF_CONTEXT_KERNEL);
	return len;
}

static bool is_marker(uint64_t word)
{
	return word == (uint64_t)PERF_CONTEXT_USER || word == (uint64_t)PERF_CONTEXT_KERNEL;
}

/* Whether the address at `at` belongs to the user's part. */
static bool in_user_part(const uint64_t *chain, size_t at)
{
	while (at > 0 && chain[at] < (uint64_t)PERF_CONTEXT_MAX)
		at--;
	return chain[at] == (uint64_t)PERF_CONTEXT_USER;
}

enum stack_stop stack_stop_get(const uint64_t *chain, size_t len)
{
	size_t end = len;
	unsigned stop = 0;

	while (end > 0 && len - end <= STACK_STOP_WORDS && is_marker(chain[end - 1]))
		end--;
	if (end == len || chain[end] != (uint64_t)PERF_CONTEXT_USER)
		return STACK_STOP_NONE;
	if (len - end == 1)
		return end && in_user_part(chain, end - 1) ? STACK_STOP_ROOT : STACK_STOP_NONE;
	if (len - end != STACK_STOP_WORDS)
		return STACK_STOP_NONE;
	for (size_t i = end + 1; i < len; i++)
		stop = stop << 1 | (chain[i] == (uint64_t)PERF_CONTEXT_USER);
	return stop < STACK_STOP_COUNT ? (enum stack_stop)stop : STACK_STOP_NONE;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names and texts of the stop reasons (see stop.h). */
#include "event/stop.h"

#include "base/err.h"

const char *stack_stop_name(enum stack_stop stop)
{
	static const char *const names[] = {
#define STACK_STOP_NAME(id, name, text) name,
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
#define STACK_STOP_TEXT(id, name, text) text,
		STACK_STOPS(STACK_STOP_TEXT)
#undef STACK_STOP_TEXT
	};

	if (stop >= STACK_STOP_COUNT)
		BUG("stop reason out of range");
	return texts[stop];
}

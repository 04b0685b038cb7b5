/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A library that unwind_life loads and unloads. It is built twice with frames of different sizes,
 * so the rules of one build are wrong for the other. */
#include <string.h>

void plugin_enter(void (*call)(double), double seconds);

void plugin_enter(void (*call)(double), double seconds)
{
	volatile char frame[PLUGIN_FRAME];

	frame[0] = 1;
	call(seconds);
	frame[PLUGIN_FRAME - 1] = frame[0];
}

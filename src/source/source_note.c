/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What sources did differently from what was asked (see source.h). */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "source/source.h"

void source_note(struct source *source, const char *fmt, ...)
{
	size_t len = strlen(source->notes);
	va_list args;

	if (len && len + 2 < sizeof(source->notes))
		source->notes[len++] = '\n';
	va_start(args, fmt);
	(void)vsnprintf(source->notes + len, sizeof(source->notes) - len, fmt, args);
	va_end(args);
}

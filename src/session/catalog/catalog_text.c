/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "session/catalog/catalog.h"

const char *catalog_text(struct catalog *catalog, const char *fmt, ...)
{
	char text[512];
	va_list args;

	va_start(args, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, args); /* cut off when longer */
	va_end(args);
	text_tidy(text, strlen(text));
	return arena_strdup(&catalog->arena, text);
}

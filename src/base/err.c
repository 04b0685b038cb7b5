/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Error values: formatting only, no printing (see err.h). */
#include "base/err.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int err_set(struct err *err, int code, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	(void)vsnprintf(err->msg, sizeof(err->msg), fmt, args); /* truncation is fine */
	va_end(args);
	err->code = code;
	err->usage = false;
	err->hint[0] = '\0';
	return code;
}

int err_usage(struct err *err, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	(void)vsnprintf(err->msg, sizeof(err->msg), fmt, args); /* truncation is fine */
	va_end(args);
	err->code = -EINVAL;
	err->usage = true;
	err->hint[0] = '\0';
	return -EINVAL;
}

int err_errno(struct err *err, const char *fmt, ...)
{
	int code = errno;
	char what[384];
	va_list args;

	va_start(args, fmt);
	(void)vsnprintf(what, sizeof(what), fmt, args); /* truncation is fine */
	va_end(args);
	return err_set(err, -code, "%s: %s", what, strerror(code));
}

int err_wrap(struct err *err, const char *fmt, ...)
{
	char what[256], old[sizeof(err->msg)];
	va_list args;

	va_start(args, fmt);
	(void)vsnprintf(what, sizeof(what), fmt, args); /* truncation is fine */
	va_end(args);
	memcpy(old, err->msg, sizeof(old));
	(void)snprintf(err->msg, sizeof(err->msg), "%.250s: %.250s", what, old);
	return err->code;
}

int err_hint(struct err *err, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	(void)vsnprintf(err->hint, sizeof(err->hint), fmt, args); /* truncation is fine */
	va_end(args);
	return err->code;
}

int err_hint_add(struct err *err, const char *text)
{
	size_t len = strlen(err->hint);

	(void)snprintf(err->hint + len, sizeof(err->hint) - len, "%s", text); /* cut off at worst */
	return err->code;
}

void bug(const char *file, int line, const char *what)
{
	(void)fprintf(stderr, "cupel: bug: %s:%d: %s\n", file, line, what);
	abort();
}

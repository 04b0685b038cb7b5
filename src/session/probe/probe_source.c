/* SPDX-License-Identifier: GPL-2.0-or-later */
/* See probe_source.h. */
#include "session/probe/probe_source.h"

#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/fd.h"

#define SOURCE_LIMIT ((size_t)64 << 20)

int probe_source_read(const char *path, const char *folder, struct buf *ret, struct err *err)
{
	struct err ignored = { 0 };
	char below[PATH_MAX];

	ret->limit = SOURCE_LIMIT;
	for (const char *part = path; folder && part; part = strchr(part + 1, '/'))
		if (snprintf(below, sizeof(below), "%s%s%s", folder, *part == '/' ? "" : "/",
			     part) < (int)sizeof(below) &&
		    !fd_read_file(below, ret, &ignored))
			return 0;
	if (fd_read_file(path, ret, err))
		return err_hint(err, "the folder of the sources: -s DIRECTORY");
	return 0;
}

static void put_without_blanks(const char *text, struct buf *ret)
{
	for (; *text && *text != '\n'; text++)
		if (!strchr(" \t\r", *text))
			(void)buf_putc(ret, *text);
}

bool probe_source_matches(const char *line, const char *glob)
{
	struct buf text = { 0 }, pattern = { 0 };
	bool matches;

	put_without_blanks(line, &text);
	put_without_blanks(glob, &pattern);
	matches = text.len && pattern.len && fnmatch(pattern.data, text.data, 0) == 0;
	buf_done(&text);
	buf_done(&pattern);
	return matches;
}

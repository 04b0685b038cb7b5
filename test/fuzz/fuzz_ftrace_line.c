/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines of ftrace's text, and their JSON: every text lies in its line. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "format/ftrace/ftrace_json.h"
#include "format/ftrace/ftrace_line.h"

static void check(struct ftrace_text text, const char *line, size_t len)
{
	if (text.len && (text.data < line || text.data + text.len > line + len))
		BUG("a text is outside its line");
}

static void check_line(const char *text, size_t len, struct ftrace_json *json, struct buf *out)
{
	char *copy = malloc(len ? len : 1); /* for the sanitizer: nothing behind the line */
	struct ftrace_line line;

	if (!copy)
		return;
	memcpy(copy, text, len);
	ftrace_line_parse(copy, len, &line);
	check(line.comm, copy, len);
	check(line.name, copy, len);
	check(line.args, copy, len);
	check(line.parent, copy, len);
	ftrace_json_add(json, &line, out);
	free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *at = (const char *)data, *end = at + size;
	struct ftrace_json json = { 0 };
	struct buf out = { 0 };

	while (at < end) {
		const char *next = memchr(at, '\n', (size_t)(end - at));

		next = next ? next : end;
		check_line(at, (size_t)(next - at), &json, &out);
		at = next + 1;
	}
	ftrace_json_end(&json, &out);
	buf_done(&out);
	return 0;
}

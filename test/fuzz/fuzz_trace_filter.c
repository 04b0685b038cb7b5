/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Conditions on traced calls: any text, applied to calls of any number, arguments and copies. The
 * text ends at the first newline; the bytes behind it are the call. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "session/trace/trace_filter.h"
#include "session/trace/trace_line.h"
#include "source/syscall/syscall_choice.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void show(const struct trace_filter *filter, const uint8_t *data, size_t size)
{
	union {
		struct syscall_line line;
		uint8_t bytes[SYSCALL_LINE_MAX];
	} call = { 0 };
	struct trace_lines lines;
	struct buf out = { 0 };

	memcpy(call.bytes, data, size < sizeof(call) ? size : sizeof(call));
	for (size_t i = 0; i < SYSCALL_ARGS; i++)
		if (call.line.copied[i] != SYSCALL_COPY_NONE)
			call.line.copied[i] %= SYSCALL_COPY_MAX + 1;
	trace_lines_init(&lines, true);
	lines.json = call.line.headless & 2;
	lines.filter = filter;
	(void)trace_lines_put(&lines, &call.line, &out);
	lines.filter = NULL;
	(void)trace_lines_put(&lines, &call.line, &out);
	trace_lines_done(&lines);
	buf_done(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct syscall_choice choice;
	const uint8_t *end = memchr(data, '\n', size);
	size_t len = end ? (size_t)(end - data) : size;
	char *text = mem_zalloc(len + 1);
	struct trace_filter *filter;
	struct err err = { 0 };

	memcpy(text, data, len);
	syscall_choice_all(&choice);
	if (trace_filter_parse(text, &filter, &err) == 0) {
		(void)trace_filter_check(filter, &choice, &err);
		if (end)
			show(filter, end + 1, size - len - 1);
		trace_filter_free(filter);
	}
	free(text);
	return 0;
}

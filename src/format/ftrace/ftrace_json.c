/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines of ftrace as JSON (see ftrace_json.h). */
#include "format/ftrace/ftrace_json.h"

#include <inttypes.h>

#include "format/ftrace/ftrace_line.h"

static void put_text(const char *name, const char *prefix, struct ftrace_text text, struct buf *out)
{
	struct buf copy = { 0 };

	if (!text.len)
		return;
	(void)buf_puts(&copy, prefix);
	(void)buf_append(&copy, text.data, text.len);
	(void)buf_printf(out, ",\"%s\":", name);
	(void)buf_put_json(out, copy.data);
	buf_done(&copy);
}

static const char *type_of(enum ftrace_line_kind kind)
{
	switch (kind) {
	case FTRACE_LINE_EVENT:
		return "event";
	case FTRACE_LINE_FUNCTION:
		return "function";
	case FTRACE_LINE_ENTRY:
		return "entry";
	case FTRACE_LINE_EXIT:
		return "exit";
	case FTRACE_LINE_LEAF:
		return "leaf";
	case FTRACE_LINE_LOST:
		return "lost";
	case FTRACE_LINE_OTHER:
	case FTRACE_LINE_STACK:
	case FTRACE_LINE_FRAME:
	case FTRACE_LINE_SWITCH:
		break;
	}
	return NULL;
}

void ftrace_json_end(struct ftrace_json *json, struct buf *out)
{
	if (json->in_stack)
		(void)buf_printf(out, "{\"cupel\":1,\"type\":\"stack\",\"frames\":[%s]}\n",
				 json->frames.data ? json->frames.data : "");
	json->in_stack = false;
	buf_done(&json->frames);
}

static void add_frame(struct ftrace_json *json, const struct ftrace_line *line)
{
	struct buf name = { 0 };

	(void)buf_append(&name, line->name.data, line->name.len);
	(void)buf_puts(&json->frames, json->frames.len ? "," : "");
	(void)buf_put_json(&json->frames, name.data ? name.data : "");
	buf_done(&name);
}

void ftrace_json_add(struct ftrace_json *json, const struct ftrace_line *line, struct buf *out)
{
	const char *type = type_of(line->kind);

	if (line->kind == FTRACE_LINE_FRAME && json->in_stack) {
		add_frame(json, line);
		return;
	}
	ftrace_json_end(json, out);
	json->in_stack = line->kind == FTRACE_LINE_STACK;
	if (!type)
		return;
	(void)buf_printf(out, "{\"cupel\":1,\"type\":\"%s\"", type);
	if (line->kind == FTRACE_LINE_LOST) {
		(void)buf_printf(out, ",\"count\":%" PRIu64 "}\n", line->count);
		return;
	}
	if (line->cpu >= 0)
		(void)buf_printf(out, ",\"cpu\":%d", line->cpu);
	put_text("comm", "", line->comm, out);
	if (line->pid >= 0)
		(void)buf_printf(out, ",\"tid\":%d", line->pid);
	if (line->has_time)
		(void)buf_printf(out, ",\"time_ns\":%" PRIu64, line->time_ns);
	if (line->kind == FTRACE_LINE_ENTRY || line->kind == FTRACE_LINE_EXIT ||
	    line->kind == FTRACE_LINE_LEAF)
		(void)buf_printf(out, ",\"depth\":%u", line->depth);
	if (line->has_duration)
		(void)buf_printf(out, ",\"duration_ns\":%" PRIu64, line->duration_ns);
	put_text("name", line->prefix, line->name, out);
	put_text("parent", "", line->parent, out);
	put_text("arguments", "", line->args, out);
	(void)buf_puts(out, "}\n");
}

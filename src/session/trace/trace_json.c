/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Traced calls as JSON (see trace_json.h). */
#include "session/trace/trace_json.h"

#include <inttypes.h>
#include <string.h>

#include "base/buf.h"
#include "session/trace/trace_argument.h"
#include "session/trace/trace_call.h"
#include "session/trace/trace_samples.h"
#include "session/trace/trace_stack.h"

static void put_string(const struct trace_argument *argument, struct buf *out)
{
	char text[SYSCALL_COPY_MAX + 1];
	size_t len;
	bool cut;

	if (!trace_argument_text(argument, &len, &cut) || len >= sizeof(text))
		return;
	memcpy(text, argument->data, len);
	text[len] = '\0';
	/* A string cannot have a zero in it; `text` has them all. */
	(void)buf_puts(out, ",\"string\":");
	(void)buf_put_json(out, text);
	if (cut)
		(void)buf_puts(out, ",\"cut\":true");
}

static void put_argument(struct trace_files *files, const struct trace_argument *argument,
			 struct buf *out)
{
	struct buf text = { 0 };

	if (argument->name_len)
		(void)buf_printf(out, "\"%.*s\":{\"raw\":", (int)argument->name_len,
				 argument->name);
	else
		(void)buf_printf(out, "\"arg%zu\":{\"raw\":", argument->nr + 1);
	if (argument->kind == ARG_LONG)
		(void)buf_printf(out, "%" PRId64, (int64_t)argument->value);
	else if (trace_argument_is_signed(argument))
		(void)buf_printf(out, "%d", (int)argument->value);
	else
		(void)buf_put_u64(out, argument->value);
	trace_put_argument(files, argument, &text);
	(void)buf_puts(out, ",\"text\":");
	(void)buf_put_json(out, text.len ? text.data : "");
	put_string(argument, out);
	(void)buf_putc(out, '}');
	buf_done(&text);
}

static void put_head(const struct syscall_line *line, struct buf *out)
{
	char comm[sizeof(line->comm) + 1] = { 0 };

	memcpy(comm, line->comm, sizeof(line->comm));
	(void)buf_printf(out, "{\"time_ns\":%" PRIu64 ",\"duration_ns\":%" PRIu64, line->start_ns,
			 line->ns);
	(void)buf_printf(out, ",\"pid\":%" PRIu32 ",\"tid\":%" PRIu32 ",\"comm\":", line->tgid,
			 line->tid);
	(void)buf_put_json(out, comm);
}

static void put_state(const struct syscall_line *line, struct buf *out)
{
	if (line->stopped)
		(void)buf_printf(out, ",\"state\":\"%s\"",
				 line->stopped == SYSCALL_STOPPED_TRACED ? "traced" : "stopped");
}

void trace_json_begin(struct trace_files *files, const struct trace_call *call,
		      const struct trace_stack *stack, struct buf *out)
{
	put_head(call->line, out);
	(void)buf_puts(out, ",\"call\":");
	(void)buf_put_json(out, call->label);
	(void)buf_puts(out, ",\"args\":{");
	for (size_t i = 0; i < call->count; i++) {
		(void)buf_puts(out, i ? "," : "");
		put_argument(files, &call->arg[i], out);
	}
	(void)buf_puts(out, "},");
	if (!stack)
		return;
	trace_stack_json(stack, out);
	(void)buf_putc(out, ',');
}

void trace_json_end(struct trace_files *files, const struct trace_call *call, struct buf *out)
{
	const struct syscall_line *line = call->line;
	const char *error;
	struct buf text = { 0 };

	if (trace_call_failed(line)) {
		error = syscall_error_name((uint32_t)-line->result);
		(void)buf_puts(out, line->result > -512 ? "\"result\":-1" : "\"result\":null");
		(void)buf_puts(out, ",\"errno\":");
		(void)buf_put_json(out, error ? error : "");
		(void)buf_printf(out, ",\"error\":%" PRId64, -line->result);
	} else if (line->returns_never) {
		(void)buf_puts(out, "\"result\":null");
	} else {
		(void)buf_printf(out, "\"result\":%" PRId64, line->result);
	}
	trace_put_result(files, call, &text);
	(void)buf_puts(out, ",\"result_text\":");
	(void)buf_put_json(out, text.len ? text.data : "");
	(void)buf_putc(out, '}');
	buf_done(&text);
}

void trace_json_open(const struct trace_call *call, struct buf *out)
{
	(void)buf_puts(out, "\"result\":null,\"open\":true");
	(void)buf_puts(out, call->line->old ? ",\"old\":true" : "");
	put_state(call->line, out);
	(void)buf_putc(out, '}');
}

void trace_json_stopped(const struct syscall_line *line, const struct trace_stack *stack,
			struct buf *out)
{
	put_head(line, out);
	put_state(line, out);
	if (stack) {
		(void)buf_putc(out, ',');
		trace_stack_json(stack, out);
	}
	(void)buf_puts(out, "}\n");
}

void trace_json_event(const struct trace_event *event, struct buf *out)
{
	(void)buf_printf(
		out, "{\"time_ns\":%" PRIu64 ",\"pid\":%" PRIu32 ",\"tid\":%" PRIu32 ",\"comm\":",
		event->time_ns, event->pid, event->tid);
	(void)buf_put_json(out, event->comm);
	(void)buf_puts(out, ",\"event\":");
	(void)buf_put_json(out, event->name);
	(void)buf_puts(out, ",\"text\":");
	(void)buf_put_json(out, event->text);
	if (event->stack) {
		(void)buf_putc(out, ',');
		trace_stack_json(event->stack, out);
	}
	(void)buf_puts(out, "}\n");
}

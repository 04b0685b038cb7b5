/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines of traced calls (see trace_line.h). */
#include "session/trace/trace_line.h"

#include <inttypes.h>
#include <string.h>

#include "base/buf.h"
#include "session/trace/trace_argument.h"
#include "session/trace/trace_call.h"
#include "session/trace/trace_filter.h"
#include "session/trace/trace_follow.h"
#include "session/trace/trace_json.h"
#include "session/trace/trace_samples.h"
#include "session/trace/trace_stack.h"
#include "session/trace/trace_value.h"
#include "source/descendants.h"
#include "source/id_list.h"

void trace_lines_init(struct trace_lines *lines, bool sees_all)
{
	*lines = (struct trace_lines){ 0 };
	trace_files_init(&lines->files, sees_all);
}

int trace_lines_meet(struct trace_lines *lines, const char *pids, struct err *err)
{
	struct id_list ids = { 0 }, below = { 0 };
	int code = id_list_parse(pids, "process", &ids, err);

	if (!code)
		descendants_add(&ids, false, &below);
	for (size_t i = 0; !code && i < ids.count; i++)
		trace_files_meet(&lines->files, (uint32_t)ids.item[i]);
	for (size_t i = 0; i < below.count; i++)
		trace_files_meet(&lines->files, (uint32_t)below.item[i]);
	vec_done(&below);
	vec_done(&ids);
	return code;
}

void trace_lines_done(struct trace_lines *lines)
{
	trace_files_done(&lines->files);
}

/* Milliseconds with three digits behind the point, in at least `width` columns. */
static void put_ms(uint64_t ns, size_t width, struct buf *out)
{
	uint64_t us = (ns + 500) / 1000, fraction = us % 1000;
	const char digits[4] = { '.', (char)('0' + fraction / 100),
				 (char)('0' + fraction / 10 % 10), (char)('0' + fraction % 10) };
	size_t len = 5;

	for (uint64_t ms = us / 1000; ms >= 10; ms /= 10)
		len++;
	(void)buf_pad(out, ' ', width > len ? width - len : 0);
	(void)buf_put_u64(out, us / 1000);
	(void)buf_append(out, digits, sizeof(digits));
}

static void put_time(struct trace_lines *lines, uint64_t time_ns, struct buf *out)
{
	uint64_t since_ns;

	if (!lines->start_ns)
		lines->start_ns = time_ns;
	since_ns = lines->full_time	       ? time_ns
		   : time_ns > lines->start_ns ? time_ns - lines->start_ns
					       : 0;
	put_ms(since_ns, 10, out);
}

static void put_thread(const struct trace_lines *lines, const char *comm, uint32_t tid,
		       struct buf *out)
{
	if (!lines->no_comm) {
		trace_put_escaped((const uint8_t *)comm, strlen(comm), out);
		(void)buf_putc(out, '/');
	}
	(void)buf_put_u64(out, tid);
	(void)buf_putc(out, ' ');
}

static const char *stop_text(uint8_t stopped)
{
	return stopped == SYSCALL_STOPPED_TRACED ? "stopped by its tracer" : "stopped by a signal";
}

/* How long a call took; of one that has not returned, how long it has taken so far. */
static void put_duration(const struct syscall_line *line, struct buf *out)
{
	if (line->open && !line->ns) {
		(void)buf_puts(out, "         ");
		return;
	}
	(void)buf_puts(out, line->old ? ">" : "");
	put_ms(line->ns, line->old ? 5 : 6, out);
	(void)buf_puts(out, " ms");
}

static void put_head(struct trace_lines *lines, const struct syscall_line *line, struct buf *out)
{
	char comm[sizeof(line->comm) + 1] = { 0 };

	if (!lines->no_times) {
		put_time(lines, line->start_ns, out);
		(void)buf_puts(out, " (");
		put_duration(line, out);
		(void)buf_puts(out, "): ");
	}
	memcpy(comm, line->comm, sizeof(line->comm));
	put_thread(lines, comm, line->tid, out);
}

/* Calls that are missing before this one; any of them may have changed descriptors. */
static void note_missing(struct trace_lines *lines, const struct syscall_line *line,
			 struct buf *out)
{
	if (line->not_followed)
		trace_files_forget(&lines->files, line->tgid, 0);
	if (!line->missing)
		return;
	if (lines->json)
		(void)buf_printf(out, "{\"tid\":%" PRIu32 ",\"missing\":%" PRIu32 "}\n", line->tid,
				 line->missing);
	else
		(void)buf_printf(out,
				 "[%" PRIu32 " calls of thread %" PRIu32
				 " are missing here: the reader was too slow]\n",
				 line->missing, line->tid);
	trace_files_forget(&lines->files, line->tgid, 0);
}

static void put_text(struct trace_lines *lines, const struct trace_call *call, struct buf *out)
{
	put_head(lines, call->line, out);
	(void)buf_puts(out, call->label);
	(void)buf_puts(out, call->line->headless ? "(..." : "(");
	for (size_t i = 0; i < call->count; i++) {
		(void)buf_puts(out, i ? ", " : "");
		trace_put_argument(&lines->files, &call->arg[i], out);
	}
	(void)buf_puts(out, call->line->open ? " <unfinished ...>" : ") = ");
}

/* What the call has changed, and its result. */
static void put_end(struct trace_lines *lines, const struct trace_call *call, bool shown,
		    struct buf *out)
{
	trace_follow(&lines->files, call, &lines->launched);
	if (shown && lines->json)
		trace_json_end(&lines->files, call, out);
	else if (shown)
		trace_put_result(&lines->files, call, out);
	trace_follow_close(&lines->files, call);
}

/* The call it is in has been written before, if it is in one. */
static void put_stopped(struct trace_lines *lines, const struct syscall_line *line, struct buf *out)
{
	if (lines->json && line->call == SYSCALL_NONE)
		trace_json_stopped(line, lines->stack, out);
	if (lines->json)
		return;
	put_head(lines, line, out);
	(void)buf_printf(out, "--- %s ---\n", stop_text(line->stopped));
}

static void put_stack(struct trace_lines *lines, struct buf *out)
{
	if (lines->stack && !lines->json)
		trace_stack_text(lines->stack, out);
	lines->stack = NULL;
}

bool trace_lines_put(struct trace_lines *lines, const struct syscall_line *line, struct buf *out)
{
	struct trace_call call;
	bool shown;

	if (line->call == SYSCALL_NONE) {
		put_stopped(lines, line, out);
		put_stack(lines, out);
		return true;
	}
	trace_call_read(line, &call);
	note_missing(lines, line, out);
	lines->files.begun_ns = line->start_ns;
	lines->files.returned_ns = line->start_ns + line->ns;
	trace_files_prove(&lines->files, line->tgid);
	shown = !line->unshown && (!lines->filter || trace_filter_accepts(lines->filter, &call));
	if (shown && lines->json)
		trace_json_begin(&lines->files, &call, lines->stack, out);
	else if (shown)
		put_text(lines, &call, out);
	if (!line->open)
		put_end(lines, &call, shown, out);
	else if (shown && lines->json)
		trace_json_open(&call, out);
	if (shown)
		(void)buf_putc(out, '\n');
	if (line->stopped)
		put_stopped(lines, line, out);
	if (shown)
		put_stack(lines, out);
	lines->stack = NULL;
	return shown;
}

void trace_lines_put_event(struct trace_lines *lines, const struct trace_event *event,
			   struct buf *out)
{
	if (lines->json) {
		trace_json_event(event, out);
		return;
	}
	if (!lines->no_times) {
		put_time(lines, event->time_ns, out);
		(void)buf_puts(out, " (         ): ");
	}
	put_thread(lines, event->comm, event->tid, out);
	(void)buf_puts(out, event->name);
	(void)buf_puts(out, event->text[0] == '(' ? "" : " ");
	(void)buf_puts(out, event->text);
	(void)buf_putc(out, '\n');
	if (event->stack)
		trace_stack_text(event->stack, out);
}

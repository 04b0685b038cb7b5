/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Events of cupel trace (see trace_events.h). */
#include "command/trace_events.h"

#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "command/option/option.h"
#include "source/event_spec/probe_text.h"
#include "source/options.h"
#include "source/syscall/syscall_choice.h"

#define FILTER_MOST 64 /* numbers in a filter */

void trace_events_add(struct source_options *source, const char *event)
{
	const struct record_selector selector = { .text = event };

	vec_push(&source->selector, selector);
}

/* Takes the tracepoints out of a list; what is left goes into *rest. */
static void split(const char *list, struct arena *words, struct source_options *source,
		  struct buf *rest)
{
	for (const char *at = list;; at++) {
		size_t len = probe_text_begins(at) ? probe_text_extent(at) : strcspn(at, ",");

		if (memchr(at, ':', len))
			trace_events_add(source, arena_strndup(words, at, len));
		else
			(void)buf_printf(rest, "%s%.*s", rest->len ? "," : "", (int)len, at);
		at += len;
		if (!*at)
			return;
	}
}

int trace_events_read(const struct option_list *lists, struct arena *words,
		      struct syscall_choice *calls, struct source_options *source, struct err *err)
{
	bool any = false;
	int code = 0;

	for (size_t i = 0; !code && i < lists->count; i++) {
		struct buf rest = { 0 };

		split(lists->item[i], words, source, &rest);
		if (rest.len || !source->selector.count) {
			any = true;
			code = syscall_choice_add(calls, rest.len ? rest.data : "", err);
		}
		buf_done(&rest);
	}
	if (lists->count && !any) {
		memset(calls->wanted, 0, sizeof(calls->wanted));
		calls->unknown = false;
	}
	return code;
}

void trace_events_between(enum trace_faults faults, bool sched, struct source_options *source)
{
	if (faults == TRACE_FAULTS_ALL || faults == TRACE_FAULTS_MAJOR)
		trace_events_add(source, "major-faults");
	if (faults == TRACE_FAULTS_ALL || faults == TRACE_FAULTS_MINOR)
		trace_events_add(source, "minor-faults");
	if (sched)
		trace_events_add(source, "sched:sched_stat_runtime");
}

/* "id == 0 || id == 257", or what is not wanted; both ABIs have numbers of their own, so this
 * lets through more than is wanted. NULL = all. */
static const char *filter_of(const struct syscall_choice *calls, struct arena *words)
{
	const char *filter;
	struct buf text = { 0 };
	size_t wanted = 0;

	for (size_t i = 0; i < SYSCALL_NUMBERS; i++)
		wanted += calls->wanted[SYSCALL_NATIVE][i] || calls->wanted[SYSCALL_COMPAT][i];
	for (size_t i = 0; i < SYSCALL_NUMBERS; i++) {
		bool is_wanted = calls->wanted[SYSCALL_NATIVE][i] ||
				 calls->wanted[SYSCALL_COMPAT][i];

		if (is_wanted == (wanted <= FILTER_MOST))
			(void)buf_printf(&text, "%s%zu",
					 text.len    ? is_wanted ? " || id == " : " && id != "
					 : is_wanted ? "id == "
						     : "id != ",
					 i);
	}
	filter = text.len && (wanted <= FILTER_MOST || SYSCALL_NUMBERS - wanted <= FILTER_MOST)
			 ? arena_strdup(words, text.data)
			 : NULL;
	buf_done(&text);
	return filter;
}

int trace_events_stacks(const struct syscall_choice *calls, struct arena *words,
			struct source_options *source, struct err *err)
{
	struct record_selector filter = { .filter = true, .text = filter_of(calls, words) };

	for (size_t i = 0; i < source->selector.count; i++)
		if (strncmp(source->selector.item[i].text, "raw_syscalls:", 13) == 0)
			return err_usage(err, "-g reads raw_syscalls itself: leave -e %s out",
					 source->selector.item[i].text);
	if (!syscall_choice_any(calls))
		return 0;
	trace_events_add(source, "raw_syscalls:sys_enter");
	if (filter.text)
		vec_push(&source->selector, filter);
	return 0;
}

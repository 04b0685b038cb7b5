/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Events in an instance of ftrace (see ftrace_event.h). */
#include "source/ftrace/ftrace_event.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/suggest.h"
#include "source/event_spec/name_list.h"
#include "source/event_spec/tracepoint.h"
#include "source/ftrace/ftrace_instance.h"
#include "source/ftrace/ftrace_setup.h"

/* What is called for each "system:name" that an event stands for. */
typedef int (*each_event)(struct ftrace_instance *instance, const struct ftrace_event *event,
			  const char *folder, void *context, struct err *err);

static int no_such_event(const char *tracefs, const char *name, struct arena *arena,
			 struct err *err)
{
	struct suggest suggest = { .word = name };
	struct name_list all = { 0 };
	struct err ignored = { 0 };
	char words[256];

	(void)tracepoint_match(tracefs, "*:*", arena, &all, &ignored); /* then: no suggestion */
	for (size_t i = 0; i < all.count; i++)
		suggest_offer(&suggest, all.item[i]);
	name_list_done(&all);
	(void)err_usage(err, "event '%s': no such tracepoint", name);
	if (suggest.count)
		return err_hint(err, "did you mean %s?",
				suggest_text(&suggest, words, sizeof(words)));
	return err_hint(err, "the names are listed by: cupel list tracepoint");
}

static int for_each(struct ftrace_instance *instance, const struct ftrace_event *event,
		    each_event each, void *context, struct err *err)
{
	const char *tracefs = ftrace_tracefs(instance);
	struct name_list names = { 0 };
	struct arena arena = { 0 };
	int code;

	if (!strchr(event->name, ':'))
		return err_usage(err, "event '%s': expected SYSTEM:NAME", event->name);
	code = tracepoint_match(tracefs, event->name, &arena, &names, err);
	if (!code && !names.count)
		code = no_such_event(tracefs, event->name, &arena, err);
	for (size_t i = 0; i < names.count && !code; i++) {
		char folder[2 * NAME_MAX + 16];

		(void)snprintf(folder, sizeof(folder), "events/%s", names.item[i]);
		*strchr(folder, ':') = '/';
		code = each(instance, event, folder, context, err);
	}
	name_list_done(&names);
	arena_done(&arena);
	return code;
}

/* The kernel says in error_log what is wrong: "… error: Field not found". */
static int refused(struct ftrace_instance *instance, const char *what, const char *value,
		   struct err *err)
{
	struct buf log = { .limit = 1 << 20 };
	struct err ignored = { 0 };
	char *reason = NULL;
	int code = err->code;

	if (ftrace_read(instance, "error_log", &log, &ignored) == 0)
		for (char *at = log.data; at && (at = strstr(at, "error: ")); at++)
			reason = at + strlen("error: ");
	if (reason)
		reason[strcspn(reason, "\n")] = '\0';
	(void)err_usage(err, "%s '%s': %s", what, value, reason ? reason : strerror(-code));
	buf_done(&log);
	return err->code;
}

/* A file without triggers lists the types: "# Available triggers:\n# traceon traceoff". */
static void hint_triggers(struct ftrace_instance *instance, const char *file, struct err *err)
{
	struct buf text = { .limit = 65536 };
	struct err ignored = { 0 };
	const char *types = NULL;

	if (ftrace_read(instance, file, &text, &ignored) == 0 && text.len)
		types = strstr(text.data, "\n# ");
	if (types)
		(void)err_hint(err, "this kernel has: %.*s", (int)strcspn(types + 3, "\n"),
			       types + 3);
	buf_done(&text);
}

static int write_setting(struct ftrace_instance *instance, const char *folder, const char *name,
			 const char *value, struct err *err)
{
	char file[2 * NAME_MAX + 32];

	(void)snprintf(file, sizeof(file), "%s/%s", folder, name);
	if (!ftrace_write(instance, file, value, err))
		return 0;
	(void)refused(instance, name, value, err);
	if (strcmp(name, "trigger") == 0)
		hint_triggers(instance, file, err);
	return err->code;
}

static int prepare(struct ftrace_instance *instance, const struct ftrace_event *event,
		   const char *folder, void *context, struct err *err)
{
	int code = 0;

	(void)context;
	if (event->filter)
		code = write_setting(instance, folder, "filter", event->filter, err);
	for (size_t i = 0; i < event->trigger.count && !code; i++)
		code = write_setting(instance, folder, "trigger", event->trigger.item[i], err);
	return code;
}

static int enable(struct ftrace_instance *instance, const struct ftrace_event *event,
		  const char *folder, void *context, struct err *err)
{
	char file[2 * NAME_MAX + 32];

	(void)event;
	(void)context;
	(void)snprintf(file, sizeof(file), "%s/enable", folder);
	return ftrace_write(instance, file, "1", err);
}

int ftrace_enable_events(struct ftrace_instance *instance, const struct ftrace_event *event,
			 size_t count, struct err *err)
{
	int code = 0;

	for (size_t i = 0; i < count && !code; i++)
		code = for_each(instance, &event[i], prepare, NULL, err);
	for (size_t i = 0; i < count && !code; i++)
		code = for_each(instance, &event[i], enable, NULL, err);
	return code;
}

static int read_histogram(struct ftrace_instance *instance, const struct ftrace_event *event,
			  const char *folder, void *context, struct err *err)
{
	char file[2 * NAME_MAX + 32];

	(void)event;
	(void)snprintf(file, sizeof(file), "%s/hist", folder);
	return ftrace_read(instance, file, context, err);
}

int ftrace_read_histograms(struct ftrace_instance *instance, const struct ftrace_event *event,
			   size_t count, struct buf *ret, struct err *err)
{
	int code = 0;

	for (size_t i = 0; i < count && !code; i++) {
		bool has = false;

		for (size_t j = 0; j < event[i].trigger.count; j++)
			has = has || strncmp(event[i].trigger.item[j], "hist:", 5) == 0;
		if (has)
			code = for_each(instance, &event[i], read_histogram, ret, err);
	}
	return code;
}

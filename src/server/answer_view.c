/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Answers as pages with the viewer, and as files. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/err.h"
#include "format/format.h"
#include "profile/diff/diff.h"
#include "profile/profile.h"
#include "profile/waits/wall_time.h"
#include "server/answer_kinds.h"
#include "server/question.h"
#include "server/reply.h"
#include "server/request.h"
#include "session/load/load.h"
#include "view/diff/diff_page.h"
#include "view/diff/diff_warning.h"
#include "view/flame/flame_graph.h"
#include "view/flame/flame_html.h"

static const struct load_options to_draw = {
	.symbol = { .symfs = "", .inlines = true, .demangle = true }, .detail = RESOLVE_NAMES
};

/* "2026-11-24 14:30:00 – 15:30:00 UTC" */
static void put_range(const struct store_input *input, char *ret, size_t size)
{
	time_t from = (time_t)(input->from_ns / 1000000000u);
	time_t to = (time_t)(input->to_ns / 1000000000u);
	struct tm begin, end;
	char first[32], last[32];

	(void)gmtime_r(&from, &begin);
	(void)gmtime_r(&to, &end);
	(void)strftime(first, sizeof(first), "%Y-%m-%d %H:%M:%S", &begin);
	(void)strftime(last, sizeof(last),
		       begin.tm_yday == end.tm_yday ? "%H:%M:%S" : "%Y-%m-%d %H:%M:%S", &end);
	(void)snprintf(ret, size, "%s \xe2\x80\x93 %s UTC", first, last);
}

/* What the title says: the selector as it was asked for. */
static const char *title_of(const struct request *request, const char *name)
{
	const char *selector = request_get(request, name);

	return selector && *selector && strcmp(selector, "{}") != 0 ? selector : "all samples";
}

int answer_flame(const struct request *request, const struct question_place *place,
		 struct reply *reply, struct err *err)
{
	struct flame_graph_options looks = { .hosted = true };
	struct load_options load = to_draw;
	struct profile *profile;
	struct question question;
	char range[128];

	if (question_make(request, place, "", &question, err))
		return err->code;
	put_range(&question.input, range, sizeof(range));
	looks.title = title_of(request, "selector");
	looks.subtitle = range;
	looks.event = question.event;
	load.event = strcmp(question.event ? question.event : "", WALL_TIME_EVENT) != 0
			     ? question.event
			     : NULL;
	if (!question_check_event(&question, err) &&
	    !question_load(&question, &load, &profile, err)) {
		(void)wall_time_add(profile);
		reply->type = REPLY_HTML;
		(void)flame_html(profile, &looks, &reply->body, err);
		profile_free(profile);
	}
	question_done(&question);
	return err->code;
}

static int compare(const struct profile *before, const struct profile *after,
		   const struct diff_page_options *looks, struct reply *reply, struct err *err)
{
	const struct diff_input input = { { &before, &after }, { 1, 1 } };
	struct diff_page_options page = *looks;
	struct diff_options options = { 0 };
	struct buf warnings = { 0 };
	struct diff diff;

	options.no_roots = diff_warn_programs(&input, &warnings);
	diff_warnings(&input, NULL, &warnings);
	if (!diff_build(&input, &options, &diff, err)) {
		if (diff.undecided.v)
			(void)buf_printf(&warnings, "no verdicts: %s\n",
					 strtab_get(diff.names, diff.undecided));
		page.warnings = warnings.data;
		reply->type = REPLY_HTML;
		(void)diff_page(&diff, &page, &reply->body, err);
		diff_done(&diff);
	}
	buf_done(&warnings);
	return err->code;
}

int answer_diff(const struct request *request, const struct question_place *place,
		struct reply *reply, struct err *err)
{
	struct load_options load = to_draw;
	struct profile *profile[2] = { NULL, NULL };
	char range[2][128];
	const struct diff_page_options looks = { .title = title_of(request, "selector"),
						 .before = range[DIFF_BEFORE],
						 .after = range[DIFF_AFTER],
						 .hosted = true };

	load.keep = PROFILE_KEEP_TIME;
	for (int side = 0; side < 2 && !err->code; side++) {
		struct question question;

		if (question_make(request, place, side == DIFF_BEFORE ? "before_" : "", &question,
				  err))
			break;
		put_range(&question.input, range[side], sizeof(range[side]));
		load.event = question.event;
		if (question_load(&question, &load, &profile[side], err))
			(void)err_wrap(err, side == DIFF_BEFORE ? "before" : "after");
		question_done(&question);
	}
	if (!err->code)
		(void)compare(profile[DIFF_BEFORE], profile[DIFF_AFTER], &looks, reply, err);
	profile_free(profile[0]);
	profile_free(profile[1]);
	return err->code;
}

/* By name only, not by the suffix of one. */
static const struct format_ops *writable(const char *name)
{
	const struct format_ops *format = name ? format_find(name) : NULL;

	return format && format->write && strcmp(format->name, name) == 0 ? format : NULL;
}

int answer_export(const struct request *request, const struct question_place *place,
		  struct reply *reply, struct err *err)
{
	const char *name = request_get(request, "format");
	const struct format_ops *format = writable(name);
	struct format_write_options options = { 0 };
	struct load_options load = to_draw;
	struct profile *profile;
	struct question question;

	if (!format)
		return err_usage(err, "format: '%s' cannot be written", name ? name : "");
	if (question_make(request, place, "", &question, err))
		return err->code;
	load.event = question.event;
	load.keep = format->keep;
	load.detail = format->places ? RESOLVE_ADDRESSES : RESOLVE_NAMES;
	load.symbol.lines = format->places;
	if (!question_load(&question, &load, &profile, err)) {
		reply->type = REPLY_BYTES;
		(void)snprintf(reply->download, sizeof(reply->download), "cupel%s",
			       format->suffix ? format->suffix : ".txt");
		options.event = question.event;
		(void)format->write(profile, &options, &reply->body, err);
		profile_free(profile);
	}
	question_done(&question);
	return err->code;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Chooses an answer (see answer.h). */
#include "server/answer.h"

#include <stddef.h>
#include <string.h>

#include "base/err.h"
#include "server/answer_kinds.h"
#include "server/reply.h"
#include "server/request.h"

static const struct {
	const char *path;
	answer_kind *answer;
} kinds[] = {
	{ "/api/labels", answer_labels },
	{ "/api/timeline", answer_timeline },
	{ "/api/functions", answer_functions },
	{ "/api/unknown", answer_unknown },
	{ "/flame", answer_flame },
	{ "/diff", answer_diff },
	{ "/export", answer_export },
};

static const char *const known[] = { "selector", "from",  "to",	    "event", "by",
				     "step",	 "total", "format", NULL };

static bool is_known(const char *name)
{
	for (size_t i = 0; known[i]; i++)
		if (strcmp(known[i], name) == 0)
			return true;
	return strncmp(name, "before_", 7) == 0 &&
	       (strcmp(name + 7, "selector") == 0 || strcmp(name + 7, "from") == 0 ||
		strcmp(name + 7, "to") == 0);
}

/* A misspelt one would show other samples than were asked for. */
static int check_parameters(const struct request *request, struct err *err)
{
	for (size_t i = 0; i < request->count; i++)
		if (!is_known(request->parameter[i].name))
			return err_usage(err, "%s: there is no such parameter",
					 request->parameter[i].name);
	return 0;
}

static answer_kind *find(const char *path)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strcmp(kinds[i].path, path) == 0)
			return kinds[i].answer;
	return NULL;
}

/* A page instead of a picture says why there is none. */
static void make_page(struct reply *reply)
{
	struct buf text = reply->body;

	reply->body = (struct buf){ 0 };
	reply->type = REPLY_HTML;
	(void)buf_puts(&reply->body,
		       "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		       "<title>Cupel</title>\n<link rel=\"stylesheet\" "
		       "href=\"asset/flame_html.css\">\n</head>\n<body>\n<p class=\"fg-notice\">");
	(void)buf_put_xml(&reply->body, text.data, text.len);
	(void)buf_puts(&reply->body, "</p>\n</body>\n</html>\n");
	buf_done(&text);
}

bool answer_knows(const char *path)
{
	return find(path) != NULL;
}

void answer(const char *target, const struct question_place *place, struct reply *reply)
{
	struct request request = { 0 };
	struct err err = { 0 };
	answer_kind *kind;

	reply->status = 200;
	if (request_parse(target, &request, &err)) {
		reply_err(reply, &err);
		return;
	}
	kind = find(request.path);
	if (!kind)
		reply_error(reply, 404, "there is no such page");
	else if (check_parameters(&request, &err) || kind(&request, place, reply, &err)) {
		reply_err(reply, &err);
		if (kind == answer_flame || kind == answer_diff)
			make_page(reply);
	}
	request_done(&request);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Targets of requests (see request.h): RFC 3986, and "+" for a space as forms send it. */
#include "server/request.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"

static int digit_of(char c)
{
	return c >= '0' && c <= '9'   ? c - '0'
	       : c >= 'a' && c <= 'f' ? c - 'a' + 10
	       : c >= 'A' && c <= 'F' ? c - 'A' + 10
				      : -1;
}

/* In place: it only gets shorter. */
static bool decode(char *text, bool form)
{
	char *to = text;

	for (const char *at = text; *at; at++) {
		if (*at == '%') {
			int high = digit_of(at[1]), low = high < 0 ? -1 : digit_of(at[2]);

			if (low < 0 || (!high && !low))
				return false;
			*to++ = (char)(high << 4 | low);
			at += 2;
		} else {
			*to++ = form && *at == '+' ? ' ' : *at;
		}
	}
	*to = '\0';
	return true;
}

static int parse_parameters(char *text, struct request *request, struct err *err)
{
	while (text) {
		char *word = strsep(&text, "&"), *value = strchr(word, '=');

		if (!*word)
			continue;
		if (request->count == REQUEST_PARAMETERS_MAX)
			return err_set(err, -E2BIG, "the request has too many parameters");
		if (value)
			*value++ = '\0';
		else
			value = word + strlen(word);
		if (!decode(word, true) || !decode(value, true))
			return err_set(err, -EINVAL, "the request has a damaged escape");
		request->parameter[request->count].name = word;
		request->parameter[request->count++].value = value;
	}
	return 0;
}

int request_parse(const char *target, struct request *ret, struct err *err)
{
	struct request request = { 0 };
	char *query;
	int code = 0;

	if (strlen(target) > REQUEST_TARGET_MAX)
		return err_set(err, -E2BIG, "the request is too long");
	request.text = mem_strdup(target);
	request.path = request.text;
	query = strchr(request.text, '?');
	if (query)
		*query++ = '\0';
	if (!decode(request.text, false))
		code = err_set(err, -EINVAL, "the request has a damaged escape");
	if (!code)
		code = parse_parameters(query, &request, err);
	if (code)
		request_done(&request);
	else
		*ret = request;
	return code;
}

const char *request_get(const struct request *request, const char *name)
{
	for (size_t i = 0; i < request->count; i++)
		if (strcmp(request->parameter[i].name, name) == 0)
			return request->parameter[i].value;
	return NULL;
}

void request_done(struct request *request)
{
	free(request->text);
	*request = (struct request){ 0 };
}

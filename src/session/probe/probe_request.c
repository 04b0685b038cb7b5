/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Definitions of probes in perf's syntax (see probe_request.h, and perf-probe(1)). */
#include "session/probe/probe_request.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "source/event_spec/probe_text.h"
#include "source/probe/probe_spec.h"

#define MAX_TEXT 4096
#define MAX_NAME 64 /* of an event of the kernel */

static bool is_name_char(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

bool probe_name_is_valid(const char *name)
{
	size_t len = 0;

	while (is_name_char(name[len]))
		len++;
	return len && !name[len] && len < MAX_NAME && !isdigit((unsigned char)name[0]);
}

static int refuse(const char *text, const char *why, struct err *err)
{
	(void)err_usage(err, "'%s': %s", text, why);
	return err_hint(err, "write [[GROUP:]EVENT=]FUNCTION[+OFFSET|%%return] [NAME=]VARIABLE..., "
			     "or FUNCTION:LINE, FILE:LINE, FILE;PATTERN or %%PROVIDER:NAME in "
			     "place of the function");
}

/* "EVENT=" or "GROUP:EVENT=" in front. */
static const char *take_name(char **text, struct probe_request *request)
{
	char *end = *text + strcspn(*text, ";=@+% \t"), *colon;

	if (*end != '=' || (end - *text >= 8 && strncmp(end - 8, "operator", 8) == 0))
		return NULL;
	*end = '\0';
	colon = strchr(*text, ':');
	request->event = *text;
	if (colon) {
		*colon = '\0';
		request->group = *text;
		request->event = colon + 1;
	}
	*text = end + 1;
	if (!probe_name_is_valid(request->event) ||
	    (request->group && !probe_name_is_valid(request->group)))
		return "the names of a group and of an event have letters, digits and _ alone";
	return NULL;
}

int probe_request_parse(const char *text, struct arena *arena, struct probe_request *ret,
			struct err *err)
{
	struct probe_request request = { .arguments = "" };
	char *copy, *end;
	const char *wrong;

	text += strspn(text, " \t");
	if (strlen(text) > MAX_TEXT)
		return refuse("...", "the definition is too long", err);
	if (!text_is_tidy(text, strlen(text)))
		return refuse("...", "the definition has control characters", err);
	copy = arena_strdup(arena, text);
	wrong = take_name(&copy, &request);
	if (wrong)
		return refuse(text, wrong, err);
	end = copy + probe_text_place(copy);
	request.place = copy;
	if (*end) {
		*end++ = '\0';
		request.arguments = end + strspn(end, " \t");
	}
	if (!*request.place)
		return refuse(text, "there is no function", err);
	if (*request.place == '%') {
		request.is_static = true;
		request.place += strncmp(request.place, "%sdt_", 5) == 0 ? 5 : 1;
	}
	request.is_glob = probe_is_glob(request.place) && !strchr(request.place, ';');
	*ret = request;
	return 0;
}

/* The program's name up to the first character that a group cannot have. */
static void put_group(const char *path, struct buf *ret)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	size_t len = 0;

	while (is_name_char(name[len]) && len < MAX_NAME - 8)
		len++;
	(void)buf_puts(ret, "probe_");
	(void)buf_append(ret, name, len);
}

/* A name of C++ or Rust has characters that an event cannot have. */
static void put_event(const char *name, size_t len, struct buf *ret)
{
	for (size_t i = 0; i < len && i < MAX_NAME - 16; i++)
		(void)buf_putc(ret, is_name_char(name[i]) ? name[i] : '_');
}

void probe_request_name(const struct probe_request *request, const char *path, const char *function,
			struct buf *ret)
{
	const char *place = request->place, *name = place, *line = strrchr(place, ':');
	bool is_static = request->is_static;
	bool returns = strstr(place, "%return") != NULL;
	size_t len;

	if (request->group)
		(void)buf_puts(ret, request->group);
	else if (is_static && line)
		(void)buf_printf(ret, "sdt_%.*s", (int)(line - place), place);
	else if (is_static)
		(void)buf_puts(ret, "sdt");
	else if (!path)
		(void)buf_puts(ret, "probe");
	else
		put_group(path, ret);
	(void)buf_putc(ret, ':');
	if (request->event) {
		(void)buf_puts(ret, request->event);
		return;
	}
	if (is_static) {
		name = line ? line + 1 : place;
		put_event(name, strlen(name), ret);
		return;
	}
	if (line && (line == place || line[-1] == ':' || !isdigit((unsigned char)line[1])))
		line = NULL;
	len = line ? (size_t)(line - place) : strcspn(place, "+%;@");
	/* a file or an address, not a function */
	if (memchr(name, '.', len) || memchr(name, '/', len) || isdigit((unsigned char)*name)) {
		line = NULL;
		name = function ? function : "place";
		name += *name == '.';
		len = strcspn(name, ".@");
	}
	put_event(name, len, ret);
	if (line)
		(void)buf_printf(ret, "_L%s", line + 1);
	if (returns)
		(void)buf_puts(ret, "__return");
}

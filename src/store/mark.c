/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Marks (see mark.h). */
#include "store/mark.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/fd.h"
#include "store/selector.h"
#include "store/time_text.h"

#define BLANKS " \t\r"

/* Cuts off and returns the first word. */
static char *take_word(char **at)
{
	char *word = *at;

	*at += strcspn(*at, BLANKS);
	if (**at)
		*(*at)++ = '\0';
	*at += strspn(*at, BLANKS);
	return word;
}

static int take_selector(char **at, struct selector **ret, struct err *err)
{
	size_t len;
	char *end, kept;
	int code;

	if (**at != '{')
		return 0;
	len = selector_len(*at);
	if (!len)
		return err_usage(err, "expected } after the selector");
	end = *at + len;
	kept = *end;
	*end = '\0';
	code = selector_parse(*at, ret, err);
	*end = kept;
	*at = end + strspn(end, BLANKS);
	return code;
}

static int parse_line(char *line, struct marks *ret, struct err *err)
{
	struct mark mark = { 0 };
	const char *time;
	size_t len;

	line += strspn(line, BLANKS);
	len = strlen(line);
	while (len && strchr(BLANKS, line[len - 1]))
		line[--len] = '\0';
	if (!*line || *line == '#')
		return 0;
	time = take_word(&line);
	if (*time != '@' && !(strlen(time) > 4 && time[4] == '-'))
		return err_usage(err, "expected @SECONDS or a date, such as 2026-11-24T14:30:00Z");
	if (time_text_parse(time, 0, &mark.time_ns, err) ||
	    take_selector(&line, &mark.selector, err))
		return err->code;
	mark.text = mem_strdup(line);
	text_tidy(mark.text, strlen(mark.text));
	vec_push(&ret->item, mark);
	return 0;
}

int marks_parse(const char *name, const char *text, struct marks *ret, struct err *err)
{
	AUTO_FREE char *copy = mem_strdup(text);
	unsigned number = 1;

	for (char *line = copy, *end; line; line = end, number++) {
		end = strchr(line, '\n');
		if (end)
			*end++ = '\0';
		if (parse_line(line, ret, err))
			return err_wrap(err, "%s:%u", name, number);
	}
	return 0;
}

int marks_read(const char *path, struct marks *ret, struct err *err)
{
	struct buf text = { .limit = MARKS_MOST_BYTES };
	int code = fd_read_file(path, &text, err);

	if (!code)
		code = marks_parse(path, text.data ? text.data : "", ret, err);
	buf_done(&text);
	return code;
}

void marks_done(struct marks *marks)
{
	for (size_t i = 0; i < marks->item.count; i++) {
		selector_free(marks->item.item[i].selector);
		free(marks->item.item[i].text);
	}
	vec_done(&marks->item);
}

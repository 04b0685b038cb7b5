/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A mark more (see watch_mark.h). */
#include "command/store/watch_mark.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/fd.h"
#include "command/command.h"
#include "command/option/option.h"
#include "store/mark.h"
#include "store/selector.h"
#include "store/time_text.h"

#define SECOND_NS ((uint64_t)1000000000)

static int make_line(const char *at, const char *selector, const struct option_words *words,
		     struct buf *ret, struct err *err)
{
	uint64_t now = clock_ns(CLOCK_REALTIME), time_ns = now;
	struct selector *parsed = NULL;

	if (at && time_text_parse(at, now, &time_ns, err))
		return err->code;
	if (selector && selector_parse(selector, &parsed, err))
		return err->code;
	selector_free(parsed);
	(void)buf_printf(ret, "@%llu", (unsigned long long)(time_ns / SECOND_NS));
	if (selector) {
		bool braces = selector[strspn(selector, " ")] == '{';

		(void)buf_printf(ret, braces ? " %s" : " {%s}", selector);
	}
	for (int i = 0; i < words->argc; i++)
		(void)buf_printf(ret, " %s", words->argv[i]);
	text_tidy(ret->data, ret->len); /* one line */
	(void)buf_putc(ret, '\n');
	return 0;
}

/* Other writers may append at the same time. */
static int append(const char *path, const struct buf *line, struct err *err)
{
	AUTO_CLOSE int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
	int code = fd < 0 ? -errno : fd_write_all(fd, line->data, line->len);

	return code ? err_set(err, code, "%s: %s", path, strerror(-code)) : 0;
}

int watch_mark_run(const char *path, const char *at, const char *selector,
		   const struct option_words *words, struct err *err)
{
	struct buf line = { 0 };
	struct marks check = { 0 };
	int code;

	if (!words->argc)
		return command_usage(err, "mark: missing TEXT");
	code = make_line(at, selector, words, &line, err);
	if (!code)
		code = marks_parse("mark", line.data, &check, err);
	if (!code)
		code = append(path, &line, err);
	marks_done(&check);
	buf_done(&line);
	return code ? -1 : EXIT_STATUS_OK;
}

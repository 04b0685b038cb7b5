/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the tools with BCC's names share (see tool.h). */
#include "command/latency/tool.h"

#include <stdio.h>
#include <sys/utsname.h>
#include <time.h>

#include "base/buf.h"
#include "base/err.h"
#include "command/command.h"
#include "command/picture_options.h"
#include "source/cgroup.h"
#include "source/id_list.h"
#include "view/latency/latency_map.h"

#define FIELD(name) OPT(tool_threads, name)

const struct option_def tool_thread_rows[] = {
	{ "pid", 'p', OPT_STR, "LIST", FIELD(pids), "only these processes" },
	{ "tid", 't', OPT_STR, "LIST", FIELD(tids), "only these threads" },
	{ "comm", 0, OPT_STR, "NAME", FIELD(comm), "only threads with this name" },
	{ "cgroup", 'c', OPT_STR, "PATH", FIELD(cgroup),
	  "only threads in this cgroup (version 2) or below it" },
	{ .type = OPT_END },
};

int tool_threads_check(const struct tool_threads *threads, struct err *err)
{
	struct id_list ids = { 0 };
	int code;

	if (threads->pids && threads->tids)
		return command_usage(err, "-p and -t cannot be combined");
	code = id_list_parse(threads->pids, "process", &ids, err);
	if (!code)
		code = id_list_parse(threads->tids, "thread", &ids, err);
	vec_done(&ids);
	return code ? EXIT_STATUS_USAGE : 0;
}

int tool_cgroup(const char *path, uint64_t *ret, struct err *err)
{
	*ret = 0;
	return path ? cgroup_id(path, ret, err) : 0;
}

int tool_interval_parse(struct option_words words, uint64_t map_ns, struct tool_interval *ret,
			struct err *err)
{
	*ret = (struct tool_interval){ 0 };
	if (words.argc > 2)
		return command_usage(err, "unexpected argument '%s'", words.argv[2]);
	if (words.argc > 0 && option_parse_number(OPT_DURATION, words.argv[0], &ret->ns, err))
		return EXIT_STATUS_USAGE;
	if (words.argc > 1 && option_parse_number(OPT_UINT, words.argv[1], &ret->left, err))
		return EXIT_STATUS_USAGE;
	ret->prints = ret->ns != 0;
	if (!ret->ns)
		ret->ns = map_ns;
	return 0;
}

bool tool_interval_ends(struct tool_interval *interval)
{
	return interval->left && !--interval->left;
}

void tool_put_time(struct buf *out)
{
	time_t now = time(NULL);
	struct tm parts;
	char text[16] = "";

	if (localtime_r(&now, &parts))
		(void)strftime(text, sizeof(text), "%H:%M:%S", &parts);
	(void)buf_puts(out, text);
}

void tool_put_head(bool timestamp, struct buf *out)
{
	(void)buf_putc(out, '\n');
	if (!timestamp)
		return;
	tool_put_time(out);
	(void)buf_putc(out, '\n');
}

void tool_announce(const char *line)
{
	(void)fputs(line, stdout);
	(void)fflush(stdout); /* a failure shows at the end */
}

int tool_write_map(const char *path, const struct latency_map *map,
		   const struct latency_map_options *options, struct err *err)
{
	struct latency_map_options view = *options;
	struct utsname host;
	struct buf out = { 0 }, about = { 0 };
	int code = 0;

	if (!path)
		return 0;
	if (uname(&host) == 0)
		(void)buf_printf(&about, "%s \xc2\xb7 Linux %s", host.nodename, host.release);
	view.about = about.data;
	if (picture_is_html(path))
		code = latency_map_html(map, &view, &out, err);
	else
		latency_map_svg(map, &view, &out);
	buf_done(&about);
	return command_end_output(code, path, &out, err);
}

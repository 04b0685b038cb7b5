/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The loop of the full-screen report, and its files (see report_browser.h). */
#include "command/browser/report_browser.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/vec.h"
#include "command/browser/browser_annotate.h"
#include "command/browser/screen.h"
#include "command/command.h"
#include "profile/profile.h"
#include "session/load/load.h"
#include "session/recording.h"
#include "session/signals.h"
#include "view/browser/browser.h"
#include "view/browser/browser_keys.h"
#include "view/browser/cells.h"
#include "view/report/report.h"

#define MOST_FILES   10000 /* of one stem */
#define MOST_LISTED  1000
#define SIGNAL_BASE  128 /* of the exit status, as in a shell */
#define RECORD_MAGIC 8

/* One recording, loaded. */
struct shown {
	char *path; /* NULL = the default one */
	struct recording *recording;
	struct profile *profile;
	struct browser *browser;
	struct browser_host host;
	struct browser_annotate *annotate;
	struct screen **screen; /* the owner's */
};

struct report_browser {
	const struct report_loading *loading;
	struct shown shown;
	struct screen *screen;
	struct signals signals;
	struct cells *lines;
	uint32_t rows, columns;
	int status; /* of the program; -1 = it goes on */
	bool stops; /* the user pressed Ctrl-Z */
};

static int host_header(void *context, struct buf *ret, struct err *err)
{
	return recording_header_text(((struct shown *)context)->recording, false, ret, err);
}

/* Messages during reading are printed above the screen. */
static int host_annotate(void *context, const struct browser_function *function,
			 struct annotation **ret, struct err *err)
{
	struct shown *shown = context;

	screen_leave(*shown->screen);
	return browser_annotate_build(shown->annotate, function, ret, err);
}

/* Under a name that does not exist yet. */
static int host_save(void *context, struct browser_file *file, struct err *err)
{
	(void)context;
	for (int i = 1; i < MOST_FILES; i++) {
		(void)snprintf(file->name, sizeof(file->name), "%s.%d%s%s", file->stem, i,
			       file->suffix ? "." : "", file->suffix ? file->suffix : "");
		if (access(file->name, F_OK))
			return command_write_bytes(file->name, file->data, err);
	}
	return err_set(err, -EEXIST, "%s.N: there are too many of them", file->stem);
}

/* Only recordings are looked for: other formats have no sign at their beginning. */
static bool is_recording(int folder, const char *name)
{
	AUTO_CLOSE int fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	char magic[RECORD_MAGIC];

	return fd >= 0 && pread(fd, magic, sizeof(magic), 0) == sizeof(magic) &&
	       (memcmp(magic, "PERFILE2", sizeof(magic)) == 0 ||
		memcmp(magic, "2ELIFREP", sizeof(magic)) == 0);
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* "FOLDER/" of a path, "" of a name. */
static char *folder_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *folder = mem_strdup(path);

	folder[slash ? slash + 1 - path : 0] = '\0';
	return folder;
}

static int host_list(void *context, struct buf *ret, struct err *err)
{
	const char *path = recording_name(((struct shown *)context)->recording);
	AUTO_FREE char *folder = folder_of(path);
	VEC(char *) names = { 0 };
	const struct dirent *entry;
	DIR *dir = opendir(*folder ? folder : ".");

	if (!dir)
		return err_errno(err, "%s", folder);
	while ((entry = readdir(dir)) && names.count < MOST_LISTED)
		if ((entry->d_type == DT_REG || entry->d_type == DT_UNKNOWN) &&
		    strcmp(entry->d_name, path + strlen(folder)) != 0 &&
		    !strchr(entry->d_name, '\n') && is_recording(dirfd(dir), entry->d_name))
			vec_push(&names, mem_strdup(entry->d_name));
	(void)closedir(dir);
	if (names.count)
		qsort(names.item, names.count, sizeof(*names.item), compare_names);
	for (size_t i = 0; i < names.count; i++) {
		(void)buf_printf(ret, "%s%s\n", folder, names.item[i]);
		free(names.item[i]);
	}
	vec_done(&names);
	return 0;
}

static void close_shown(struct shown *shown)
{
	browser_free(shown->browser);
	browser_annotate_free(shown->annotate);
	profile_free(shown->profile);
	recording_close(shown->recording);
	free(shown->path);
	*shown = (struct shown){ 0 };
}

/* On failure *shown stays as it is. */
static int open_shown(struct report_browser *b, const char *path, struct shown *shown,
		      struct err *err)
{
	const struct report_options *view;
	struct load_options load = { 0 };
	struct shown next = { .path = path ? mem_strdup(path) : NULL, .screen = &b->screen };
	int code = recording_open(next.path, &next.recording, err);

	if (!code)
		code = b->loading->load(b->loading->context, next.recording, &next.profile, &view,
					err);
	if (code) {
		close_shown(&next);
		return code;
	}
	close_shown(shown);
	*shown = next;
	b->loading->choose(b->loading->context, &load);
	shown->annotate = browser_annotate_new(shown->path, &load);
	shown->host = (struct browser_host){ .context = shown,
					     .name = recording_name(shown->recording),
					     .header = host_header,
					     .save = host_save,
					     .annotate = host_annotate,
					     .list = host_list };
	code = browser_new(shown->profile, view, &shown->host, &shown->browser, err);
	if (code)
		close_shown(shown);
	return code;
}

static void drop_lines(struct report_browser *b)
{
	for (uint32_t i = 0; i < b->rows; i++)
		cells_done(&b->lines[i]);
	free(b->lines);
	b->lines = NULL;
	b->rows = 0;
}

static void measure(struct report_browser *b)
{
	drop_lines(b);
	screen_measure(b->screen, &b->rows, &b->columns);
	b->lines = mem_zalloc(b->rows * sizeof(*b->lines));
	browser_resize(b->shown.browser, b->rows, b->columns);
}

static void draw(struct report_browser *b)
{
	browser_draw(b->shown.browser, b->lines);
	screen_draw(b->screen, b->lines, b->rows, browser_cursor(b->shown.browser));
}

/* Messages of loading are for the lines before the screen. The old one stays if that fails. */
static void switch_recording(struct report_browser *b)
{
	AUTO_FREE char *path = mem_strdup(browser_wanted(b->shown.browser));
	struct err err = { 0 };

	screen_leave(b->screen);
	if (open_shown(b, path, &b->shown, &err) && b->shown.browser)
		browser_say(b->shown.browser, "%s", err.msg);
	else if (b->shown.browser)
		browser_resize(b->shown.browser, b->rows, b->columns);
	else
		b->status = EXIT_STATUS_FAILED;
}

static void take_keys(struct report_browser *b)
{
	int key;

	while (b->status < 0 && !b->stops && (key = screen_key(b->screen)) != BROWSER_KEY_NONE) {
		enum browser_state state;

		/* the terminal makes no signals of them (raw mode) */
		b->stops = key == BROWSER_KEY_CTRL_Z;
		if (key == BROWSER_KEY_CTRL_BACKSLASH)
			b->status = SIGNAL_BASE + SIGQUIT;
		if (b->stops || b->status >= 0)
			break;
		state = browser_key(b->shown.browser, key);
		if (state == BROWSER_SWITCHES)
			switch_recording(b);
		else if (state == BROWSER_ENDED)
			b->status = EXIT_STATUS_OK;
	}
}

static void take_signals(struct report_browser *b)
{
	struct signalfd_siginfo info;

	while (signals_next(&b->signals, &info)) {
		if (info.ssi_signo == SIGWINCH)
			measure(b);
		else if (info.ssi_signo == SIGTSTP)
			b->stops = true;
		else if (info.ssi_signo == SIGCONT) {
			screen_leave(b->screen); /* the shell may have changed its modes */
			measure(b);
		} else if (info.ssi_signo == SIGTERM || info.ssi_signo == SIGHUP ||
			   info.ssi_signo == SIGINT)
			b->status = SIGNAL_BASE + (int)info.ssi_signo;
	}
}

/* Until the user continues it; the terminal may have another size then. */
static void stop(struct report_browser *b)
{
	b->stops = false;
	screen_leave(b->screen);
	signals_stop_job();
	take_signals(b); /* that it goes on */
	measure(b);
}

static void loop(struct report_browser *b)
{
	struct pollfd ready[] = { { STDIN_FILENO, POLLIN, 0 }, { b->signals.fd, POLLIN, 0 } };

	b->status = -1;
	measure(b);
	if (b->loading->code)
		browser_show_code(b->shown.browser, b->loading->function);
	while (b->status < 0) {
		draw(b);
		if (poll(ready, 2, -1) < 0 && errno != EINTR)
			break;
		if (ready[1].revents)
			take_signals(b);
		if (ready[0].revents & (POLLHUP | POLLERR))
			b->status = EXIT_STATUS_OK; /* the terminal is gone */
		else if (ready[0].revents)
			take_keys(b);
		if (b->stops)
			stop(b);
	}
}

int report_browse(const char *path, const struct report_loading *loading, struct err *err)
{
	static const int taken[] = { SIGWINCH, SIGTSTP, SIGCONT };
	struct report_browser b = { .loading = loading, .signals = { .fd = -1 } };
	int code = open_shown(&b, path, &b.shown, err);

	if (!code)
		code = signals_take(&b.signals, err);
	for (size_t i = 0; !code && i < sizeof(taken) / sizeof(taken[0]); i++)
		code = signals_add(&b.signals, taken[i], err);
	if (!code)
		code = screen_open(&b.screen, err);
	if (!code)
		loop(&b);
	screen_close(b.screen);
	drop_lines(&b);
	signals_restore(&b.signals);
	close_shown(&b.shown);
	return code ? -1 : b.status;
}

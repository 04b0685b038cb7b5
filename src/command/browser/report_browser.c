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
#include "session/run.h"
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
	struct run run;
	int key_fd;
	struct cells *lines;
	uint32_t rows, columns;
	int status; /* of the program, when the run ends by a key */
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

static void finish(struct report_browser *b, int status)
{
	b->status = status;
	run_finish(&b->run, RUN_COMMAND);
}

static bool goes_on(const struct report_browser *b)
{
	return b->run.end == RUN_GOES_ON;
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
		finish(b, EXIT_STATUS_FAILED);
}

static bool is_terminal_gone(int fd)
{
	struct pollfd item = { .fd = fd, .events = POLLIN };

	return poll(&item, 1, 0) > 0 && item.revents & (POLLHUP | POLLERR);
}

static int on_keys(void *context, struct err *err)
{
	struct report_browser *b = context;
	int key;

	(void)err;
	if (is_terminal_gone(b->key_fd))
		finish(b, EXIT_STATUS_OK);
	while (goes_on(b) && !b->stops && (key = screen_key(b->screen)) != BROWSER_KEY_NONE) {
		enum browser_state state;

		/* the terminal makes no signals of them (raw mode) */
		b->stops = key == BROWSER_KEY_CTRL_Z;
		if (key == BROWSER_KEY_CTRL_BACKSLASH)
			finish(b, SIGNAL_BASE + SIGQUIT);
		if (b->stops || !goes_on(b))
			break;
		state = browser_key(b->shown.browser, key);
		if (state == BROWSER_SWITCHES)
			switch_recording(b);
		else if (state == BROWSER_ENDED)
			finish(b, EXIT_STATUS_OK);
	}
	return 0;
}

static int on_resize(void *context, struct err *err)
{
	(void)err;
	measure(context);
	return 0;
}

static int on_stop(void *context, struct err *err)
{
	(void)err;
	((struct report_browser *)context)->stops = true;
	return 0;
}

/* The shell may have changed the modes of the terminal. */
static int on_continued(void *context, struct err *err)
{
	struct report_browser *b = context;

	(void)err;
	screen_leave(b->screen);
	measure(b);
	return 0;
}

/* A stop lasts until the user continues the job; the terminal may have another size then. */
static int on_woken(void *context, struct err *err)
{
	struct report_browser *b = context;

	(void)err;
	if (!goes_on(b))
		return 0;
	if (b->stops) {
		b->stops = false;
		screen_leave(b->screen);
		signals_stop_job();
		measure(b);
	}
	draw(b);
	return 0;
}

static int watch_terminal(struct report_browser *b, struct err *err)
{
	const struct run_signal signals[] = { { SIGWINCH, on_resize, b },
					      { SIGTSTP, on_stop, b },
					      { SIGCONT, on_continued, b } };
	int code = run_open(&b->run, err);

	for (size_t i = 0; !code && i < sizeof(signals) / sizeof(signals[0]); i++)
		code = run_add_signal(&b->run, &signals[i], err);
	if (!code)
		code = screen_open(&b->screen, err);
	if (code)
		return code;
	b->run.woken = on_woken;
	b->run.context = b;
	run_add_fd(&b->run, &b->key_fd, on_keys, b);
	measure(b);
	if (b->loading->code)
		browser_show_code(b->shown.browser, b->loading->function);
	draw(b);
	code = run_loop(&b->run, err);
	if (b->run.end == RUN_SIGNAL)
		b->status = SIGNAL_BASE + b->run.stop_signal;
	return code;
}

int report_browse(const char *path, const struct report_loading *loading, struct err *err)
{
	struct report_browser b = { .loading = loading,
				    .run.signals.fd = -1,
				    .key_fd = STDIN_FILENO };
	int code = open_shown(&b, path, &b.shown, err);

	if (!code)
		code = watch_terminal(&b, err);
	screen_close(b.screen);
	drop_lines(&b);
	run_close(&b.run);
	close_shown(&b.shown);
	return code ? -1 : b.status;
}

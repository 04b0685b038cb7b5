/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The terminal by ncurses (see screen.h). */
#include "command/browser/screen.h"

#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#define NCURSES_WIDECHAR 1
#define NCURSES_NOMACROS 1
#include <curses.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/library.h"
#include "base/memory_limit.h"
#include "view/browser/browser_keys.h"
#include "view/browser/cells.h"

/* term.h has it, and macros for words such as "columns". */
extern char *tigetstr(const char *name);
extern int setupterm(const char *type, int fd, int *ret);
extern struct term *set_curterm(struct term *terminal);
extern int del_curterm(struct term *terminal);

#define SIGNAL_BASE 128 /* of the exit status, as in a shell */
#define ESCAPE_MS   25	/* how long the rest of a key's sequence may take */

struct curses {
	typeof(newterm) *newterm;
	typeof(endwin) *endwin;
	typeof(isendwin) *isendwin;
	typeof(delscreen) *delscreen;
	typeof(raw) *raw;
	typeof(noecho) *noecho;
	typeof(nonl) *nonl;
	typeof(newwin) *newwin;
	typeof(keypad) *keypad;
	typeof(nodelay) *nodelay;
	typeof(resizeterm) *resizeterm;
	typeof(werase) *werase;
	typeof(wmove) *wmove;
	typeof(waddnstr) *waddnstr;
	typeof(waddch) *waddch;
	typeof(wattr_set) *wattr_set;
	typeof(wrefresh) *wrefresh;
	typeof(curs_set) *curs_set;
	typeof(wget_wch) *wget_wch;
	typeof(has_colors) *has_colors;
	typeof(start_color) *start_color;
	typeof(use_default_colors) *use_default_colors;
	typeof(init_pair) *init_pair;
	typeof(set_escdelay) *set_escdelay;
	typeof(getmaxx) *getmaxx;
	typeof(getmaxy) *getmaxy;
	typeof(tigetstr) *tigetstr;
	typeof(setupterm) *setupterm;
	typeof(set_curterm) *set_curterm;
	typeof(del_curterm) *del_curterm;
};

static const struct library_function functions[] = {
	LIBRARY_LINKED(struct curses, newterm),
	LIBRARY_LINKED(struct curses, endwin),
	LIBRARY_LINKED(struct curses, isendwin),
	LIBRARY_LINKED(struct curses, delscreen),
	LIBRARY_LINKED(struct curses, raw),
	LIBRARY_LINKED(struct curses, noecho),
	LIBRARY_LINKED(struct curses, nonl),
	LIBRARY_LINKED(struct curses, newwin),
	LIBRARY_LINKED(struct curses, keypad),
	LIBRARY_LINKED(struct curses, nodelay),
	LIBRARY_LINKED(struct curses, resizeterm),
	LIBRARY_LINKED(struct curses, werase),
	LIBRARY_LINKED(struct curses, wmove),
	LIBRARY_LINKED(struct curses, waddnstr),
	LIBRARY_LINKED(struct curses, waddch),
	LIBRARY_LINKED(struct curses, wattr_set),
	LIBRARY_LINKED(struct curses, wrefresh),
	LIBRARY_LINKED(struct curses, curs_set),
	LIBRARY_LINKED(struct curses, wget_wch),
	LIBRARY_LINKED(struct curses, has_colors),
	LIBRARY_LINKED(struct curses, start_color),
	LIBRARY_LINKED(struct curses, use_default_colors),
	LIBRARY_LINKED(struct curses, init_pair),
	LIBRARY_LINKED(struct curses, set_escdelay),
	LIBRARY_LINKED(struct curses, getmaxx),
	LIBRARY_LINKED(struct curses, getmaxy),
	LIBRARY_LINKED(struct curses, tigetstr),
	LIBRARY_LINKED(struct curses, setupterm),
	LIBRARY_LINKED(struct curses, set_curterm),
	LIBRARY_LINKED(struct curses, del_curterm),
};

static const struct library library = { .file = "libncursesw.so.6",
					.functions = functions,
					.function_count = sizeof(functions) / sizeof(*functions) };

struct screen {
	struct curses curses;
	SCREEN *terminal;
	WINDOW *window; /* all of it */
	bool colors;
};

/* What a handler of a crash needs, all of which exists once for a process. */
static struct {
	bool taken;
	struct termios before;
	char leave[128]; /* bytes for the terminal */
	size_t leave_len;
} terminal;

/* SIGQUIT ends at once, also while something takes long. */
static const int crashes[] = { SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGQUIT };

/* Async-signal-safe. */
static void give_back(void)
{
	ssize_t written;

	if (!terminal.taken)
		return;
	terminal.taken = false;
	written = write(STDOUT_FILENO, terminal.leave, terminal.leave_len);
	(void)written; /* there is no other way to say it */
	(void)tcsetattr(STDIN_FILENO, TCSADRAIN, &terminal.before);
}

/* Where the sandbox refuses raise(), a fault comes back at once, with its usual effect; a signal
 * that was sent does not. */
static void on_crash(int number, siginfo_t *info, void *context)
{
	(void)context;
	give_back();
	(void)signal(number, SIG_DFL);
	if (raise(number) && info->si_code == SI_USER)
		_exit(SIGNAL_BASE + number);
}

static void watch_crashes(bool watch)
{
	struct sigaction now, ours = { .sa_sigaction = on_crash, .sa_flags = SA_SIGINFO };

	for (size_t i = 0; i < sizeof(crashes) / sizeof(crashes[0]); i++) {
		if (sigaction(crashes[i], NULL, &now))
			continue;
		/* a sanitizer has its own */
		if (watch && now.sa_handler == SIG_DFL)
			(void)sigaction(crashes[i], &ours, NULL);
		if (!watch && now.sa_sigaction == on_crash)
			(void)signal(crashes[i], SIG_DFL);
	}
	memory_limit_at_end(watch ? give_back : NULL);
}

static void add_sequence(const struct curses *curses, const char *name)
{
	const char *bytes = curses->tigetstr(name);
	size_t len = bytes && bytes != (char *)-1 ? strlen(bytes) : 0;

	if (!len || terminal.leave_len + len > sizeof(terminal.leave))
		return;
	memcpy(terminal.leave + terminal.leave_len, bytes, len);
	terminal.leave_len += len;
}

static void note_terminal(const struct curses *curses)
{
	terminal.leave_len = 0;
	add_sequence(curses, "sgr0");
	add_sequence(curses, "rmkx");
	add_sequence(curses, "cnorm");
	add_sequence(curses, "rmcup");
}

bool screen_possible(void)
{
	const char *type = getenv("TERM");
	struct curses curses;
	struct err ignored = { 0 };
	int found;

	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO) || !type || !*type ||
	    strcmp(type, "dumb") == 0 || library_load(&library, &curses, &ignored) ||
	    curses.setupterm(NULL, STDOUT_FILENO, &found) != OK)
		return false;
	(void)curses.del_curterm(curses.set_curterm(NULL)); /* newterm() makes its own */
	return true;
}

/* Names are UTF-8 whatever the locale says, as in all other output. */
static void choose_locale(void)
{
	if (!setlocale(LC_CTYPE, "") || strcmp(nl_langinfo(CODESET), "UTF-8") != 0)
		(void)setlocale(LC_CTYPE, "C.UTF-8");
}

/* Text and ground; -1 = the terminal's own. Pair 0 is that of both. */
static const struct {
	short text, ground;
} colors[CELL_STYLES] = {
	[CELL_PLAIN] = { -1, -1 },
	[CELL_HOT] = { COLOR_RED, -1 },
	[CELL_WARM] = { COLOR_GREEN, -1 },
	[CELL_FAINT] = { -1, -1 },
	[CELL_TITLE] = { COLOR_WHITE, COLOR_BLUE },
	[CELL_HEADING] = { COLOR_BLACK, COLOR_CYAN },
	[CELL_FOOT] = { COLOR_WHITE, COLOR_BLUE },
	[CELL_KEY] = { COLOR_YELLOW, -1 },
	[CELL_MATCH] = { COLOR_BLACK, COLOR_YELLOW },
	[CELL_MARK] = { COLOR_CYAN, -1 },
	[CELL_ADDRESS] = { COLOR_MAGENTA, -1 },
	[CELL_SOURCE] = { COLOR_CYAN, -1 },
};

static short pair_of(enum cell_style style)
{
	return colors[style].text < 0 ? 0 : (short)style;
}

static bool choose_colors(const struct curses *curses)
{
	const char *no_color = getenv("NO_COLOR");

	if ((no_color && *no_color) || !curses->has_colors() || curses->start_color() == ERR ||
	    curses->use_default_colors() == ERR)
		return false;
	for (int i = 0; i < CELL_STYLES; i++)
		if (pair_of((enum cell_style)i))
			(void)curses->init_pair((short)i, colors[i].text, colors[i].ground);
	return true;
}

static void set_up(struct screen *screen)
{
	const struct curses *curses = &screen->curses;

	note_terminal(curses);
	terminal.taken = true;
	watch_crashes(true);
	(void)curses->raw();
	(void)curses->noecho();
	(void)curses->nonl();
	screen->window = curses->newwin(0, 0, 0, 0);
	(void)curses->keypad(screen->window, TRUE);
	(void)curses->nodelay(screen->window, TRUE);
	screen->colors = choose_colors(curses);
}

int screen_open(struct screen **ret, struct err *err)
{
	struct screen *screen = mem_zalloc(sizeof(*screen));
	int code = library_load(&library, &screen->curses, err);

	if (!code && tcgetattr(STDIN_FILENO, &terminal.before))
		code = err_errno(err, "terminal");
	if (!code) {
		choose_locale();
		(void)screen->curses.set_escdelay(ESCAPE_MS);
		screen->terminal = screen->curses.newterm(NULL, stdout, stdin);
		if (!screen->terminal)
			code = err_set(err, -ENOTTY, "terminal '%s': no description in terminfo",
				       getenv("TERM") ? getenv("TERM") : "");
	}
	if (code) {
		free(screen);
		return code;
	}
	set_up(screen);
	*ret = screen;
	return 0;
}

void screen_leave(struct screen *screen)
{
	if (!screen->curses.isendwin())
		(void)screen->curses.endwin();
	(void)fflush(stdout);
	terminal.taken = false;
}

void screen_close(struct screen *screen)
{
	if (!screen)
		return;
	screen_leave(screen);
	watch_crashes(false);
	screen->curses.delscreen(screen->terminal);
	free(screen);
}

void screen_measure(struct screen *screen, uint32_t *ret_rows, uint32_t *ret_columns)
{
	struct winsize size;

	if (!ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_row && size.ws_col)
		(void)screen->curses.resizeterm(size.ws_row, size.ws_col);
	*ret_rows = (uint32_t)screen->curses.getmaxy(screen->window);
	*ret_columns = (uint32_t)screen->curses.getmaxx(screen->window);
}

/* What the eye must find without colours. */
static attr_t look_of(const struct screen *screen, enum cell_style style)
{
	switch (style) {
	case CELL_TITLE:
	case CELL_FOOT:
		return screen->colors ? A_BOLD : A_REVERSE;
	case CELL_HEADING:
		return screen->colors ? A_NORMAL : A_UNDERLINE;
	case CELL_HOT:
	case CELL_KEY:
		return A_BOLD;
	case CELL_MATCH:
		return screen->colors ? A_NORMAL : A_STANDOUT;
	case CELL_FAINT:
		return A_DIM;
	default:
		return A_NORMAL;
	}
}

/* ground: the style of the rest of the line, which a key in the last line shares. */
static void set_style(const struct screen *screen, const struct cells *line, enum cell_style style)
{
	attr_t look = look_of(screen, style);
	bool in_foot = style == CELL_KEY && line->rest == CELL_FOOT;

	if (in_foot)
		style = CELL_FOOT;
	if (in_foot && screen->colors)
		look |= A_UNDERLINE;
	if (in_foot && !screen->colors)
		look = A_REVERSE | A_BOLD;
	if (line->selected)
		(void)screen->curses.wattr_set(screen->window, (look & A_BOLD) | A_REVERSE, 0,
					       NULL);
	else
		(void)screen->curses.wattr_set(screen->window, look,
					       screen->colors ? pair_of(style) : 0, NULL);
}

static void draw_line(const struct screen *screen, int row, const struct cells *line)
{
	int column = (int)line->used;

	(void)screen->curses.wmove(screen->window, row, 0);
	for (size_t i = 0; i < line->spans.count; i++) {
		size_t from = line->spans.item[i].from;
		size_t to = i + 1 < line->spans.count ? line->spans.item[i + 1].from
						      : line->text.len;

		set_style(screen, line, line->spans.item[i].style);
		if (to > from)
			(void)screen->curses.waddnstr(screen->window, line->text.data + from,
						      (int)(to - from));
	}
	set_style(screen, line, line->rest);
	for (; column < (int)line->columns; column++)
		(void)screen->curses.waddch(screen->window, ' ');
}

void screen_draw(struct screen *screen, const struct cells *lines, uint32_t rows, uint32_t cursor)
{
	const struct curses *curses = &screen->curses;
	int last = curses->getmaxx(screen->window) - 1;
	bool was_left = curses->isendwin();

	terminal.taken = true;
	(void)curses->werase(screen->window);
	for (uint32_t i = 0; i < rows; i++)
		draw_line(screen, (int)i, &lines[i]);
	(void)curses->curs_set(cursor == UINT32_MAX ? 0 : 1);
	if (cursor != UINT32_MAX)
		(void)curses->wmove(screen->window, (int)rows - 1,
				    (int)cursor < last ? (int)cursor : last);
	(void)curses->wrefresh(screen->window);
	if (was_left) /* else the first key would come in the form that the shell has */
		(void)curses->keypad(screen->window, TRUE);
}

static int special_key(wint_t key)
{
	static const struct {
		int curses, ours;
	} keys[] = {
		{ KEY_UP, BROWSER_KEY_UP },	    { KEY_DOWN, BROWSER_KEY_DOWN },
		{ KEY_LEFT, BROWSER_KEY_LEFT },	    { KEY_RIGHT, BROWSER_KEY_RIGHT },
		{ KEY_PPAGE, BROWSER_KEY_PAGE_UP }, { KEY_NPAGE, BROWSER_KEY_PAGE_DOWN },
		{ KEY_HOME, BROWSER_KEY_HOME },	    { KEY_END, BROWSER_KEY_END },
		{ KEY_FIND, BROWSER_KEY_HOME },	    { KEY_SELECT, BROWSER_KEY_END },
		{ KEY_BTAB, BROWSER_KEY_TAB_BACK }, { KEY_BACKSPACE, BROWSER_KEY_BACKSPACE },
		{ KEY_ENTER, BROWSER_KEY_ENTER },   { KEY_F(1), BROWSER_KEY_F1 },
	};

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (keys[i].curses == (int)key)
			return keys[i].ours;
	return BROWSER_KEY_LAST;
}

int screen_key(struct screen *screen)
{
	wint_t key;
	int kind;

	do /* screen_measure() puts its sign among the keys */
		kind = screen->curses.wget_wch(screen->window, &key);
	while (kind == KEY_CODE_YES && key == KEY_RESIZE);
	if (kind == ERR)
		return BROWSER_KEY_NONE;
	return kind == KEY_CODE_YES ? special_key(key) : (int)key;
}

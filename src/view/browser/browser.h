/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The full-screen report: panes one above the other, driven by keys, drawn as lines. It knows no
 * terminal: the owner hands in keys and the size of the screen, and draws the lines. What needs
 * files, the owner does (struct browser_host). The profile and all options are borrowed. */
#ifndef VIEW_BROWSER_BROWSER_H
#define VIEW_BROWSER_BROWSER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct annotation;
struct browser;
struct buf;
struct cells;
struct err;
struct profile;
struct report_options;

/* A new file "STEM.N" or "STEM.N.SUFFIX". */
struct browser_file {
	const char *stem, *suffix; /* suffix NULL = none */
	const struct buf *data;
	char name[64];	  /* filled when it is written */
	const char *note; /* likewise: "; what is missing in it", or NULL; the host's */
};

/* A function of the profile. */
struct browser_function {
	const char *name, *module; /* name "" = unknown; module: path; NULL = any */
	/* In the module: of some there are several with one name. Without a name an address of its
	 * code. */
	uint64_t start;
};

struct browser_host {
	void *context;
	const char *name; /* of the recording */
	/* Its header as text. */
	int (*header)(void *context, struct buf *ret, struct err *err);
	int (*save)(void *context, struct browser_file *file, struct err *err);
	/* Writes the samples as a recording, without data from here. NULL = they are one. */
	int (*record)(void *context, struct browser_file *file, struct err *err);
	/* The code of a function with its samples; the caller's. */
	int (*annotate)(void *context, const struct browser_function *function,
			struct annotation **ret, struct err *err);
	/* The other recordings of the folder, one name a line. */
	int (*list)(void *context, struct buf *ret, struct err *err);
};

enum browser_state {
	BROWSER_RUNS,
	BROWSER_ENDED,	  /* the user quits */
	BROWSER_SWITCHES, /* the user wants browser_wanted() */
};

/* -EINVAL for columns that do not exist. NULL functions of the host are things it cannot do. */
int browser_new(const struct profile *profile, const struct report_options *view,
		const struct browser_host *host, struct browser **ret, struct err *err);
void browser_free(struct browser *browser); /* NULL is fine */
void browser_resize(struct browser *browser, uint32_t rows, uint32_t columns);
enum browser_state browser_key(struct browser *browser, int key);
/* Fills one line of the screen for each row. */
void browser_draw(struct browser *browser, struct cells *lines);
/* Opens the code of a function; NULL = of the selected one. */
void browser_show_code(struct browser *browser, const char *function);
/* Where the cursor is: the column in the last line, while text is typed; UINT32_MAX = no cursor. */
uint32_t browser_cursor(const struct browser *browser);
/* The recording to switch to. */
const char *browser_wanted(const struct browser *browser);
/* Shows a message in the last line until the next key. */
void browser_say(struct browser *browser, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

#endif

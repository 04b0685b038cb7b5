/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Error values with a message. A function that can fail for reasons outside the program returns
 * 0 or -errno and takes a `struct err *` last, never NULL. The struct is untouched on success.
 * Only command/ prints messages and only main() exits. */
#ifndef BASE_ERR_H
#define BASE_ERR_H

#include <stdarg.h>
#include <stdbool.h>

struct err {
	int code;	/* -errno */
	bool usage;	/* a value on the command line is invalid */
	char msg[512];	/* "object: cause", lower case, no full stop */
	char hint[384]; /* one line that says what the user can do; may be empty */
};

/* Sets code and message; returns code, so `return err_set(err, -EINVAL, "…")` reads well. */
int err_set(struct err *err, int code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* Like err_set() with -EINVAL, for a value that the user typed: exit status 2. */
int err_usage(struct err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Like err_set() with -errno and ": strerror" appended. Returns -errno as it was on entry. */
int err_errno(struct err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Puts "context: " in front of the message; returns the code already there. */
int err_wrap(struct err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Sets the hint line; returns the code already there. */
int err_hint(struct err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Appends to the hint; returns the code already there. */
int err_hint_add(struct err *err, const char *text);

/* A broken invariant of our own: prints where and aborts. */
_Noreturn void bug(const char *file, int line, const char *what);
#define BUG(what) bug(__FILE__, __LINE__, (what))

#endif

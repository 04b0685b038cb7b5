/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cupel watch mark: a line more in the marks of a store (store/mark.h). */
#ifndef COMMAND_STORE_WATCH_MARK_H
#define COMMAND_STORE_WATCH_MARK_H

struct err;
struct option_words;

/* at: NULL = now; selector: NULL = of all series. words: the text. Returns as a command does. */
int watch_mark_run(const char *path, const char *at, const char *selector,
		   const struct option_words *words, struct err *err);

#endif

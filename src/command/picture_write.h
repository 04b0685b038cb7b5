/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writing pictures: titles, the message afterwards, and a copy if writing fails. */
#ifndef COMMAND_PICTURE_WRITE_H
#define COMMAND_PICTURE_WRITE_H

#include <stdbool.h>
#include <stddef.h>

struct buf;
struct err;
struct flame_graph_options;
struct profile;
struct redaction;

/* Appends what a picture's title shows of a command line: its first words. */
void picture_put_words(const char *const *words, size_t count, struct buf *ret);
/* What a command watched here: a program, or its targets; neither means all threads. */
struct picture_subject {
	const char *const *words;
	size_t count;
	const char *pids, *tids;     /* as the user gave them, or NULL */
	struct redaction *redaction; /* NULL = none */
};
/* Appends the title of a picture of it: its words, "process 12", "all threads". */
void picture_put_subject(const struct picture_subject *subject, struct buf *ret);
/* Appends "host · Linux release"; what is NULL is left out. */
void picture_put_machine(const char *hostname, const char *release, struct buf *ret);
/* The same of this machine, where it runs now. */
void picture_put_host(struct buf *ret);

/* Writes it to a file, with a line about samples, losses and the file on standard error, or to
 * standard output: NULL or "-". */
int picture_write(const struct profile *profile, const char *output, bool quiet,
		  struct buf *picture, struct err *err);
/* Draws a flame graph of what was recorded here, by the file's suffix, and writes it. The options
 * are without the machine. */
int picture_write_flame(const struct profile *profile, const struct flame_graph_options *options,
			const char *path, struct err *err);
/* After a failure: a recording that exists nowhere else must not be lost with its picture, which
 * goes to a new file in a folder for temporary ones. err gets a hint that names it. */
void picture_rescue(const struct buf *picture, struct err *err);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sandboxing of commands that parse untrusted files: as root, a command with `reads` set runs in a
 * sandbox (base/sandbox.h), and a small helper process, which parses nothing, opens its outputs. */
#ifndef COMMAND_READER_H
#define COMMAND_READER_H

#include <stdbool.h>
#include <stddef.h>

struct err;
struct option_words;

/* What the default output of `archive` has behind the name of its input. */
#define READER_ARCHIVE_END ".cupel.tar.gz"

/* Enters the sandbox if running as root, unless --trust or --debuginfod (network) is given. `line`
 * is the command line, which names the outputs; only with `writes` can one be opened afterwards.
 * Call it before starting threads. */
void reader_begin(const struct option_words *line, bool writes);
/* Opens an output for writing, one at a time; -errno with err set. An older file stays as it is
 * until the new one is whole (output_file.h). An input of the command is refused. */
int reader_open_output(const char *path, struct err *err);
/* Closes it and puts it in place, or, keep = false, drops it. Returns 0 or -errno with err set. */
int reader_close_output(const char *path, int fd, bool keep, struct err *err);

/* Starts a pager (pager.h) for the standard output of a command; reader_begin() does without
 * `writes`. */
void reader_page(void);
/* Data for standard output, through the pager if there is one. 0 or -errno. */
int reader_write_stdout(const char *data, size_t len);
/* Waits until the user leaves the pager. Call it before messages that belong behind the text. 0 or
 * -errno of standard output. */
int reader_end_page(void);
/* Whether the user has left the pager: the rest is not read. */
bool reader_is_left(void);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Root's power is taken from commands that parse what others wrote: as root, a command whose
 * struct has `reads` runs in a sandbox (base/sandbox.h), and a small process that parses nothing
 * opens its outputs. */
#ifndef COMMAND_READER_H
#define COMMAND_READER_H

struct err;
struct option_words;

/* Enters the sandbox when the process is root's. Options that need more prevent it: --trust, and
 * --debuginfod, which goes to the network. `line` is the command line as it was given, which names
 * the outputs. Call it before there are threads. */
void reader_begin(const struct option_words *line);
/* Opens an output for writing, empty; -errno with err set. Not through a symbolic link of another
 * user. */
int reader_open_output(const char *path, struct err *err);

#endif

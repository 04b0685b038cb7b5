/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The names that a recording keeps of the code that it hit, found at its end by a child process:
 * what it reads others wrote (ELF, DWARF, perf maps), so it has a sandbox when we are root, memory
 * and time have limits, and its failure does not harm the recording. */
#ifndef SESSION_RECORD_NAMES_H
#define SESSION_RECORD_NAMES_H

#include <stdbool.h>

struct buf;
struct err;
struct event_set;
struct keep_names_request;

/* True if the events have anything to name: places in programs or stacks. */
bool record_names_wanted(const struct event_set *events);
/* Names for the recording in `fd`, a file that is whole so far, in the form of
 * symbol/kept/kept_names.h; nothing is appended on failure. Path, lines and unpacked sections of
 * the request are not used: without memory for source lines and inlined functions (*ret_lines:
 * whether there was) only the functions of symbol tables are named. */
int record_names_find(int fd, const struct keep_names_request *request, struct buf *ret,
		      bool *ret_lines, struct err *err);

#endif

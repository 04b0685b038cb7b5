/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One line of /proc/PID/maps. Format: Documentation/filesystems/proc.rst. */
#ifndef PROC_MAPS_LINE_H
#define PROC_MAPS_LINE_H

#include <stdbool.h>

struct event_mmap;

/* Parses a line (without its newline, NUL-terminated) in place; ret->path points into it, with
 * "\012" converted to a newline. Returns false if the line is invalid. ino_generation and build_id
 * are 0. */
bool maps_line_parse(char *line, struct event_mmap *ret);
/* Whether it can be that of an executable mapping; most are not, and need no parsing then. */
bool maps_line_executable(const char *line);

#endif

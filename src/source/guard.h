/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A process that undoes what this one changes in the kernel's files, as soon as this one asks or
 * has ended in any way, SIGKILL included. It is in a session of its own, ignores signals that end
 * programs, and holds no file of its parent. Each change is announced before it is made; they are
 * undone in reverse order. A second one of the kind waits to do it when the first was killed, and
 * this process does it itself when both were. */
#ifndef SOURCE_GUARD_H
#define SOURCE_GUARD_H

#include <stdbool.h>
#include <stddef.h>

struct err;
struct guard;

/* keep_fd, unless it is -1, stays open in it until all is undone: a lock on it is held as long. */
int guard_start(int keep_fd, struct guard **ret, struct err *err);
/* At the end this file or empty folder is removed; repeated for a while if a folder is busy. */
int guard_remove(struct guard *guard, const char *path, struct err *err);
/* At the end the file is truncated, and each line of text is written to it by its own write(2). */
int guard_restore(struct guard *guard, const char *path, const char *text, struct err *err);
/* At the end this line is appended to the file, again and again while that fails with EBUSY. */
int guard_write(struct guard *guard, const char *path, const char *line, struct err *err);
/* Undoes everything, and waits for that at most wait_ms: then the guard goes on alone. True if it
 * is done. Frees the guard; NULL is fine. */
bool guard_end(struct guard *guard, int wait_ms);

#endif

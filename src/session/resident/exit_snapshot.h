/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The pages of a program when it ends: a process of our own traces the program's first thread, and
 * looks at the memory while the kernel holds the thread at the beginning of its end. The program
 * gets its signals as before. If this process is killed, the program goes on. */
#ifndef SESSION_RESIDENT_EXIT_SNAPSHOT_H
#define SESSION_RESIDENT_EXIT_SNAPSHOT_H

#include <sys/types.h>

struct buf;
struct err;
struct exit_snapshot;

/* Call it before starting threads. */
int exit_snapshot_open(struct exit_snapshot **ret, struct err *err);
/* The program, before its exec. */
int exit_snapshot_watch(struct exit_snapshot *snapshot, pid_t pid, struct err *err);
/* After its end: appends what proc/page_snapshot.h parses. */
int exit_snapshot_take(struct exit_snapshot *snapshot, struct buf *ret, struct err *err);
void exit_snapshot_close(struct exit_snapshot *snapshot); /* NULL is fine */

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What tracepoints mean, in a line each; the kernel itself has only names and fields. */
#ifndef SESSION_CATALOG_MEANINGS_H
#define SESSION_CATALOG_MEANINGS_H

struct catalog;

/* "syscalls:sys_enter_read", "sched:sched_switch". NULL = not written here. */
const char *catalog_tracepoint_meaning(const char *name, struct catalog *catalog);
/* In place of it, for any other tracepoint: its subsystem, the words of its name and its fields,
 * which claims no more than the kernel says: "XFS files: inode alloc; fields dev, ino". `fields` is
 * as catalog_tracepoint_fields() returns it. */
const char *catalog_tracepoint_words(const char *name, const char *fields, struct catalog *catalog);
/* The fields of a tracepoint's format, separated by blanks: "prev_comm prev_pid". "" = it has none,
 * NULL = the format cannot be read. */
const char *catalog_tracepoint_fields(const char *tracefs, const char *name,
				      struct catalog *catalog);

#endif

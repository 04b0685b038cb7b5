/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What tracepoints mean, in a line each; the kernel itself has only names and fields. */
#ifndef SESSION_CATALOG_MEANINGS_H
#define SESSION_CATALOG_MEANINGS_H

struct catalog;

/* "syscalls:sys_enter_read", "sched:sched_switch". NULL = not known here. */
const char *catalog_tracepoint_meaning(struct catalog *catalog, const char *name);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The processes and threads of a recording as a tree, in the layout of perf report --tasks; with
 * `mmaps` each process has its executable mappings below it, as with --mmaps. */
#ifndef COMMAND_REPORT_TASKS_H
#define COMMAND_REPORT_TASKS_H

#include <stdbool.h>

struct buf;
struct err;
struct recording;

int report_tasks(struct recording *recording, bool mmaps, struct buf *ret, struct err *err);

#endif

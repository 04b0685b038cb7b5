/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The pages of a process, from /proc/PID/smaps and /proc/PID/pagemap. Reading makes bytes that
 * another process may parse. Formats: Documentation/filesystems/proc.rst,
 * Documentation/admin-guide/mm/pagemap.rst. */
#ifndef PROC_PAGE_SNAPSHOT_H
#define PROC_PAGE_SNAPSHOT_H

#include <stddef.h>
#include <sys/types.h>

struct buf;
struct err;
struct page_map;

/* Appends. The process should not run meanwhile, or what it changes is seen half. */
int page_snapshot_read(pid_t pid, struct buf *ret, struct err *err);
/* Of bytes that page_snapshot_read() made. page_map_done() in either case. */
int page_snapshot_parse(const void *data, size_t len, struct page_map *ret, struct err *err);

#endif

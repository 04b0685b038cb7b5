/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Requests for I/O as text and as JSON. */
#ifndef VIEW_IO_IO_VIEW_H
#define VIEW_IO_IO_VIEW_H

#include <stddef.h>
#include <stdint.h>

struct buf;
struct io_one;
struct io_sum;
struct io_table;
struct profile;

struct io_view {
	const struct profile *profile;
	const struct io_table *table;
	uint64_t rows, stacks; /* of tables, of the table of stacks; 0 = all */
	uint64_t duration_ns, lost, slower_ns;
	const char *const *words; /* the command, for JSON */
	size_t word_count;
};

void io_text(const struct io_view *view, struct buf *out);
/* "fsync 14.1 ms = journal 9.8 + device 3.8 + running 0.5": the layers, longest first. */
void io_put_layers(const char *what, const struct io_sum *sum, struct buf *out);
/* What held it up most, in a sentence; nothing if nothing waited. */
void io_put_bottleneck(const struct io_view *view, struct buf *out);
/* { "cupel": 1, "command", "duration_ns", "lost", "total": SUM, "files", "processes", "disks",
 * "operations", "stacks": [ { …, SUM } ], "slow": [ … ] }; SUM: "time_ns", "requests", "bytes",
 * "errors", "max_ns", "p50_ns", "p90_ns", "p99_ns", "sequential", "cache_hits", "read_pages",
 * "disk_requests", "disk_read_bytes", "disk_written_bytes", "layers_ns": { … }. */
void io_json(const struct io_view *view, struct buf *out);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared cache lines in the layout of perf c2c report --stdio, and as JSON. */
#ifndef VIEW_C2C_C2C_VIEW_H
#define VIEW_C2C_C2C_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;
struct c2c;
struct profile;

#define C2C_NO_NODE UINT32_MAX

struct c2c_view {
	const struct profile *profile;
	const struct c2c *c2c;
	const uint32_t *node_of; /* by CPU; C2C_NO_NODE = unknown */
	size_t cpu_count;	 /* of node_of */
	unsigned node_detail;	 /* of each entry: 0 = nodes, 1 = with shares, 2 = with CPUs */
	bool stats_only, no_source, full_symbols;
	uint64_t lost;
	const char *const *words; /* of the command line, for JSON */
	size_t word_count;
};

void c2c_text(const struct c2c_view *view, struct buf *out);
/* {"cupel":1,"command":[…],"lost":n,"all":{…},"shared":{…},"lines":[{"address","object","offset",
 * "module","counts":{…},"entries":[{"offset","pid","tid","command","address","function","module",
 * "file","line","counts":{…},"cycles":{"remote_hitm","local_hitm","load"},"cpus":[n]}]}]}. The
 * counts are those of c2c.h that are not 0. */
void c2c_json(const struct c2c_view *view, struct buf *out);

#endif

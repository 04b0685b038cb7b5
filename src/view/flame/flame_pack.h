/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A flame_tree as text that a page can carry: base64 of zlib of the bytes below. flame_data.js is
 * the reader; what it makes of them has the same shape as the tree here.
 *
 * Numbers are LEB128 unless said otherwise. First come the length of a JSON object and the object:
 * {"cupel":1, "strings", "labels", "edges", "nodes": counts, "scale", "total": numbers,
 * "other", "inOrder": booleans, "columns": [names], and what `info` adds}. Then sections, each
 * after its length in bytes:
 *
 *   strings  sorted bytewise: bytes in common with the one before, further bytes, these bytes
 *   labels   sorted by name: columns of name, module, file (indexes of strings), first line, last
 *            minus first line, kind | inlined << 4, then 3 bytes red, green, blue each
 *   edges    calls: per label the number of labels below it, then these in rising order,
 *            each as its distance from the one before
 *   kids     per node in pre-order: how many children it has
 *   calls    per node but the root: its label, as the index among the edges of its parent's label
 *            minus that of the sibling before minus 1; zigzag
 *   leaves   weight of each node without children itself
 *   inner    the same of each node with children
 *   leaves, inner   again, of the second profile, when "other"
 *   smaller  per node with the label of kind FLAME_SMALLER: how many frames it stands for
 *   columns  per column: per node a 32-bit IEEE float, little-endian
 *   parts    when the JSON object has "parts" (flame_parts.h): per event and thread the number of
 *            nodes, and of each its distance from the one before, and its weight
 *   lines    when it has "lines", the weight of all: per function with lines its label and their
 *            number, and of each the file (index of strings), line, weight itself, and of its
 *            stacks
 *   source   when it has "source": per file with text its index of strings and the number of lines,
 *            and of each its distance from the one before, length in bytes and text
 *
 * Few functions have many callees, so most of `calls` are zeros: a node takes about a byte. */
#ifndef VIEW_FLAME_FLAME_PACK_H
#define VIEW_FLAME_FLAME_PACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "view/flame/flame_color.h"

struct buf;
struct err;
struct flame_tree;

/* A number per node, for special views (the intervals of a comparison). */
struct flame_column {
	const char *name;
	const float *values;
};

struct flame_pack {
	const struct flame_tree *tree;
	const rgb *colors; /* by label */
	/* Further members of the JSON object: ",\"title\":\"x\""; NULL = none. Members that the
	 * viewer knows are in flame_view.js. */
	const char *info;
	const struct flame_column *columns;
	size_t column_count;
	bool quick; /* packed in a quarter of the time, a fifth larger */
};

/* Appends the text. -E2BIG when the tree is larger than can be packed. */
int flame_pack_write(const struct flame_pack *pack, struct buf *ret, struct err *err);

/* Appends base64 of zlib of both, one after the other: for data of other views, which
 * flameData.inflate() takes. */
int flame_pack_bytes(const struct buf *head, const struct buf *body, struct buf *ret,
		     struct err *err);

#endif

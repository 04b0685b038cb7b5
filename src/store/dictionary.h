/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What rows of samples (rows.h) refer to, in a part of a store or an answer of one: strings,
 * modules, frames, the tree of stacks, leaves, events and series, in tables that only grow. A
 * writer interns; what is new since a mark is written as bytes, and read back by dictionary_read(),
 * also more than once.
 *
 * A leaf is a stack with the reason why it ends; leaf 0 stands for lost samples. Item 0 of the
 * other tables is the empty string, the unknown module, no frame, the empty stack.
 *
 * Format of the bytes: for each table, in the order of enum dictionary_table: number of its first
 * item, number of items, items; all numbers LEB128. Items: a string: length, bytes. A module: path,
 * build id (strings). A frame: module, function, file, line, kind * 4 + inlined * 2 + caller,
 * binding, offset; symbol start and length if the function is not 0. A node: own number less
 * parent's, frame. A leaf: node, stop. An event: name, unit, kind, unit type, flags, scale, its
 * sample weight (the bits of a double). A series: event, number of labels, name and value of each.
 *
 * Bytes may be hostile: references point to items before; what is damaged is an error, memory is
 * bounded by the limits below. */
#ifndef STORE_DICTIONARY_H
#define STORE_DICTIONARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/vec.h"
#include "event/kind.h"
#include "store/label_set.h"

struct buf;
struct err;

enum dictionary_table {
	DICTIONARY_STRINGS,
	DICTIONARY_MODULES,
	DICTIONARY_FRAMES,
	DICTIONARY_NODES,
	DICTIONARY_LEAVES,
	DICTIONARY_EVENTS,
	DICTIONARY_SERIES,
	DICTIONARY_TABLES,
};

/* A part with that much in a table is full. */
#define DICTIONARY_MAX_NODES  ((size_t)4 << 20)
#define DICTIONARY_MAX_SERIES ((size_t)1 << 16)
#define DICTIONARY_MAX_EVENTS 4096
#define DICTIONARY_MAX_STRING ((size_t)64 << 10) /* bytes; longer ones are cut */
#define DICTIONARY_LEAF_LOST  0u

struct dictionary_string {
	const char *text;
	uint32_t len;
};

struct dictionary_module {
	uint32_t path, build_id;
};

struct dictionary_frame {
	uint32_t module, function, file, line;
	uint8_t kind; /* enum frame_kind */
	bool inlined, caller;
	char binding;
	uint64_t offset, symbol_start, symbol_end;
};

struct dictionary_node {
	uint32_t parent, frame;
};

struct dictionary_leaf {
	uint32_t node;
	uint8_t stop;
};

struct dictionary_event {
	uint32_t name, unit;
	uint8_t kind, unit_type;
	bool measured, precise, exact;
	uint32_t scale;
	double sample_weight;
};

struct dictionary_series {
	uint32_t event;
	struct label_set labels; /* with `event` */
};

/* Item numbers of one table, by content. */
struct dictionary_index {
	uint32_t *slot;
	size_t capacity;
};

struct dictionary {
	struct arena arena; /* strings */
	VEC(struct dictionary_string) strings;
	VEC(struct dictionary_module) modules;
	VEC(struct dictionary_frame) frames;
	VEC(struct dictionary_node) nodes;
	VEC(struct dictionary_leaf) leaves;
	VEC(struct dictionary_event) events;
	VEC(struct dictionary_series) series;
	struct dictionary_index index[DICTIONARY_TABLES]; /* of writers */
	bool indexed;
};

/* How much there was. */
struct dictionary_mark {
	uint32_t count[DICTIONARY_TABLES];
};

void dictionary_init(struct dictionary *dict); /* *dict is zeroed */
void dictionary_done(struct dictionary *dict);

/* Interning, by value; references are to items of the same dictionary. */
uint32_t dictionary_string(struct dictionary *dict, const char *text, size_t len);
uint32_t dictionary_module(struct dictionary *dict, const struct dictionary_module *module);
uint32_t dictionary_frame(struct dictionary *dict, const struct dictionary_frame *frame);
uint32_t dictionary_node(struct dictionary *dict, const struct dictionary_node *node);
uint32_t dictionary_leaf(struct dictionary *dict, const struct dictionary_leaf *leaf);
uint32_t dictionary_event(struct dictionary *dict, const struct dictionary_event *event);
/* `labels` without `event`, which is added. */
uint32_t dictionary_series(struct dictionary *dict, uint32_t event, const struct label_set *labels);

/* Whether a batch should rather begin another part. */
bool dictionary_is_full(const struct dictionary *dict);
struct dictionary_mark dictionary_mark(const struct dictionary *dict);
bool dictionary_has_new(const struct dictionary *dict, const struct dictionary_mark *since);
/* What is new since the mark. */
void dictionary_write(const struct dictionary *dict, const struct dictionary_mark *since,
		      struct buf *ret);
/* Adds what is not there yet. -EBADMSG when the bytes are damaged, or other bytes must come before;
 * then nothing of the tables after the damage was added. */
int dictionary_read(struct dictionary *dict, const uint8_t *data, size_t len, struct err *err);

#endif

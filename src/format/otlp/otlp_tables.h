/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The dictionary of an OTLP message: tables that profiles refer to by index. An index past the end
 * is the same as 0, which means nothing. */
#ifndef FORMAT_OTLP_OTLP_TABLES_H
#define FORMAT_OTLP_OTLP_TABLES_H

#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "format/pprof/pprof_wire.h"

struct buf;

struct otlp_text {
	const char *s;
	size_t len;
};

struct otlp_mapping {
	uint64_t start, offset;
	uint32_t path, build_id; /* a string; an attribute, 0 = none */
};

struct otlp_location {
	uint64_t address;
	uint32_t mapping, frame_type; /* an attribute */
	struct wire message;	      /* with its lines */
};

struct otlp_function {
	uint32_t name, file; /* strings */
};

/* Key and value, the value as a message AnyValue. */
struct otlp_pair {
	struct otlp_text key;
	struct wire value;
};

struct otlp_tables {
	VEC(struct otlp_text) strings;
	VEC(struct otlp_mapping) mappings;
	VEC(struct otlp_location) locations;
	VEC(struct otlp_function) functions;
	VEC(struct otlp_pair) attributes;
	VEC(struct wire) stacks;
};

/* Borrows the bytes. */
void otlp_tables_read(struct wire dictionary, struct otlp_tables *ret);
void otlp_tables_done(struct otlp_tables *tables);
struct otlp_text otlp_string(const struct otlp_tables *tables, uint64_t index);
/* Appends a value as text: strings and numbers, nothing for others. */
void otlp_put_value(const struct otlp_tables *tables, struct wire value, struct buf *ret);
/* A whole number, 0 for others. */
uint64_t otlp_number(struct wire value);
/* Of a message KeyValue: its key may be a string of the tables. */
struct otlp_pair otlp_key_value(const struct otlp_tables *tables, struct wire message);

#endif

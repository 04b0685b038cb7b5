/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The fields of a tracepoint's record, as its format in tracefs describes them. */
#ifndef SESSION_PROBE_TRACEPOINT_FIELDS_H
#define SESSION_PROBE_TRACEPOINT_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

struct arena;
struct err;

enum tracepoint_field_kind {
	FIELD_NUMBER,
	FIELD_POINTER,	/* to a text */
	FIELD_TEXT,	/* in the record */
	FIELD_ELSEWHERE /* a text or an array; the record has the number of its place */
};

struct tracepoint_field {
	const char *name;
	enum tracepoint_field_kind kind;
	bool is_signed;
	bool is_text;	  /* of FIELD_ELSEWHERE */
	bool is_relative; /* its place counts from the field's end, not from the record's start */
	uint32_t offset, size;
};

struct tracepoint_fields {
	VEC(struct tracepoint_field) item;
};

/* The format's text is changed, and names point into it. What is not in shape is left out. The list
 * must be freed. */
void tracepoint_fields_parse(char *format, struct tracepoint_fields *ret);
/* Of a tracepoint of this machine; names are in the arena. */
int tracepoint_fields_read(const char *category, const char *name, struct arena *arena,
			   struct tracepoint_fields *ret, struct err *err);
/* NULL = there is none of that name. */
const struct tracepoint_field *tracepoint_fields_find(const struct tracepoint_fields *fields,
						      const char *name);
void tracepoint_fields_done(struct tracepoint_fields *fields);

#endif

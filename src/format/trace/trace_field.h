/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Single fields of tracepoint payloads, found once per event (trace_print_field()) and then read
 * without making text of them. */
#ifndef FORMAT_TRACE_FIELD_H
#define FORMAT_TRACE_FIELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Borrowed from the sample. */
struct trace_payload {
	const uint8_t *bytes; /* NULL = none */
	uint32_t len;
};

/* Where a field lies in the payload. */
struct trace_field {
	uint32_t offset, size;
	bool is_signed;
	bool located; /* a string kept elsewhere: the field holds its offset and length */
	bool swapped; /* in the other byte order */
};

/* trace_field_number() for all sizes and byte orders. */
bool trace_field_any_number(const struct trace_field *field, struct trace_payload payload,
			    int64_t *ret);

/* A number, sign-extended; a field that the payload does not hold in full is 0 and false. */
static inline bool trace_field_number(const struct trace_field *field, struct trace_payload payload,
				      int64_t *ret)
{
	int64_t whole;
	int32_t half;

	if (field->swapped || payload.len < field->size ||
	    field->offset > payload.len - field->size)
		return trace_field_any_number(field, payload, ret);
	if (field->size == sizeof(half)) {
		memcpy(&half, payload.bytes + field->offset, sizeof(half));
		*ret = field->is_signed ? half : (int64_t)(uint32_t)half;
		return true;
	}
	if (field->size != sizeof(whole))
		return trace_field_any_number(field, payload, ret);
	memcpy(&whole, payload.bytes + field->offset, sizeof(whole));
	*ret = whole;
	return true;
}

/* A string, bounded by the payload; not NUL-terminated. */
bool trace_field_text(const struct trace_field *field, struct trace_payload payload,
		      const char **ret, size_t *ret_len);

#endif

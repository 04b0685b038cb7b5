/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Single fields of tracepoint payloads, found once per event (trace_print_field()) and then read
 * without making text of them. */
#ifndef FORMAT_TRACE_FIELD_H
#define FORMAT_TRACE_FIELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct event;

/* Where a field lies in the payload. */
struct trace_field {
	uint32_t offset, size;
	bool is_signed;
	bool located; /* a string kept elsewhere: the field holds its offset and length */
	bool swapped; /* in the other byte order */
};

/* A number, sign-extended; a field that the payload does not hold in full is 0 and false. */
bool trace_field_number(const struct trace_field *field, const struct event *event, int64_t *ret);
/* A string, bounded by the payload; not NUL-terminated. */
bool trace_field_text(const struct trace_field *field, const struct event *event, const char **ret,
		      size_t *ret_len);

#endif

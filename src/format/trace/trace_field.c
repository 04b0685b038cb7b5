/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fields of tracepoint payloads (see trace_field.h). Payloads are untrusted: one may be shorter
 * than its description. */
#include "format/trace/trace_field.h"

static const uint8_t *bytes_of(struct trace_payload payload, uint64_t offset, uint64_t size)
{
	if (!payload.bytes || offset > payload.len || size > payload.len - offset)
		return NULL;
	return payload.bytes + offset;
}

static uint64_t load(const uint8_t *bytes, uint32_t size, bool swapped)
{
	bool big = swapped != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	uint64_t value = 0;

	for (uint32_t i = 0; i < size; i++)
		value = value << 8 | bytes[big ? i : size - 1 - i];
	return value;
}

bool trace_field_any_number(const struct trace_field *field, struct trace_payload payload,
			    int64_t *ret)
{
	const uint8_t *bytes = bytes_of(payload, field->offset, field->size);
	unsigned unused;
	uint64_t value;

	*ret = 0;
	if (!bytes || !field->size || field->size > sizeof(value))
		return false;
	unused = 64 - 8 * field->size;
	value = load(bytes, field->size, field->swapped) << unused;
	*ret = field->is_signed ? (int64_t)value >> unused : (int64_t)(value >> unused);
	return true;
}

bool trace_field_text(const struct trace_field *field, struct trace_payload payload,
		      const char **ret, size_t *ret_len)
{
	const uint8_t *bytes = bytes_of(payload, field->offset, field->size);
	uint64_t size = field->size;

	/* Offset in the lower half, length in the upper one. */
	if (bytes && field->located && size == 4) {
		uint64_t where = load(bytes, 4, field->swapped);

		size = where >> 16;
		bytes = bytes_of(payload, where & 0xffff, size);
	}
	if (!bytes)
		return false;
	*ret = (const char *)bytes;
	*ret_len = strnlen(*ret, size);
	return true;
}

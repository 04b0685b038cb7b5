/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Protocol buffers (see pprof_wire.h). */
#include "format/pprof/pprof_wire.h"

#include <string.h>

#include "base/buf.h"

bool wire_varint(struct wire *wire, uint64_t *ret)
{
	uint64_t value = 0;

	if (wire->bad || wire->at == wire->end)
		return false;
	for (unsigned shift = 0; wire->at < wire->end && shift < 64; shift += 7) {
		uint8_t byte = *wire->at++;

		value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80)) {
			*ret = value;
			return true;
		}
	}
	wire->bad = true;
	return false;
}

static bool take(struct wire *wire, uint64_t len, struct wire *ret)
{
	if (len > (uint64_t)(wire->end - wire->at)) {
		wire->bad = true;
		return false;
	}
	*ret = (struct wire){ .at = wire->at, .end = wire->at + len };
	wire->at += len;
	return true;
}

bool wire_next(struct wire *wire, struct wire_field *ret)
{
	struct wire_field field = { 0 };
	uint64_t key, len;

	if (!wire_varint(wire, &key))
		return false;
	field.number = key >> 3 < UINT32_MAX ? (uint32_t)(key >> 3) : UINT32_MAX;
	switch (key & 7) {
	case 0:
		if (!wire_varint(wire, &field.value)) {
			wire->bad = true;
			return false;
		}
		break;
	case 1:
	case 5:
		len = (key & 7) == 1 ? 8 : 4;
		if (!take(wire, len, &field.bytes))
			return false;
		memcpy(&field.value, field.bytes.at, len); /* not used here */
		break;
	case 2:
		field.is_bytes = true;
		if (!wire_varint(wire, &len) || !take(wire, len, &field.bytes)) {
			wire->bad = true;
			return false;
		}
		break;
	default: /* groups are from before profile.proto */
		wire->bad = true;
		return false;
	}
	*ret = field;
	return true;
}

bool wire_number(struct wire_field *field, uint64_t *ret)
{
	if (field->is_bytes)
		return wire_varint(&field->bytes, ret);
	if (field->bytes.bad)
		return false;
	*ret = field->value;
	field->bytes.bad = true; /* given once */
	return true;
}

/* Skips a varint; false: it is longer than these bytes, and valid so far. */
static bool skip_varint(struct wire *wire, uint64_t *ret, bool *ret_bad)
{
	size_t left = (size_t)(wire->end - wire->at);

	*ret_bad = !wire_varint(wire, ret) && left >= 10;
	return !*ret_bad && !wire->bad && left > 0;
}

bool wire_is_short(struct wire wire)
{
	uint64_t key, len;
	bool bad;

	if (!skip_varint(&wire, &key, &bad))
		return !bad;
	switch (key & 7) {
	case 0:
		return !skip_varint(&wire, &len, &bad) && !bad;
	case 1:
	case 5:
		return (size_t)(wire.end - wire.at) < ((key & 7) == 1 ? 8 : 4);
	case 2:
		if (!skip_varint(&wire, &len, &bad))
			return !bad;
		return len > (uint64_t)(wire.end - wire.at);
	default:
		return false;
	}
}

void wire_put_varint(struct buf *out, uint64_t value)
{
	(void)buf_put_varint(out, value);
}

void wire_put_number(struct buf *out, uint32_t field, uint64_t value)
{
	if (!value)
		return;
	wire_put_varint(out, (uint64_t)field << 3);
	wire_put_varint(out, value);
}

void wire_put_fixed(struct buf *out, uint32_t field, uint64_t value)
{
	wire_put_varint(out, (uint64_t)field << 3 | 1);
	for (int i = 0; i < 8; i++)
		(void)buf_putc(out, (char)(value >> 8 * i));
}

void wire_put_bytes(struct buf *out, uint32_t field, const void *data, size_t len)
{
	wire_put_varint(out, (uint64_t)field << 3 | 2);
	wire_put_varint(out, len);
	(void)buf_append(out, data ? data : "", len);
}

void wire_put_message(struct buf *out, uint32_t field, struct buf *message)
{
	wire_put_bytes(out, field, message->data, message->len);
	buf_clear(message);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Structs by their tables (see trace_struct.h). */
#include "session/trace/trace_struct.h"

#include <inttypes.h>
#include <signal.h>
#include <string.h>

#include "base/buf.h"
#include "session/trace/trace_value.h"

#define SIGNALS	    64
#define FIRST_RT    32 /* of the kernel; libc keeps some for itself */
#define MOSTLY_FULL (SIGNALS * 2 / 3)

static void put_signal_name(int number, struct buf *out)
{
	const char *name = number < FIRST_RT ? sigabbrev_np(number) : NULL;

	if (name)
		(void)buf_puts(out, name);
	else if (number == FIRST_RT)
		(void)buf_puts(out, "RTMIN");
	else if (number > FIRST_RT)
		(void)buf_printf(out, "RT_%d", number - FIRST_RT);
	else
		(void)buf_printf(out, "%d", number);
}

void trace_put_signals(uint64_t set, struct buf *out)
{
	bool first = true;

	if (__builtin_popcountll(set) >= MOSTLY_FULL) {
		(void)buf_putc(out, '~');
		set = ~set;
	}
	(void)buf_putc(out, '[');
	for (int number = 1; number <= SIGNALS; number++) {
		if (!(set >> (number - 1) & 1))
			continue;
		(void)buf_puts(out, first ? "" : " ");
		put_signal_name(number, out);
		first = false;
	}
	(void)buf_putc(out, ']');
}

void trace_put_numbers(const uint8_t *set, size_t bytes, size_t limit, struct buf *out)
{
	bool first = true;

	(void)buf_putc(out, '[');
	for (size_t i = 0; i < bytes * 8 && i < limit; i++) {
		if (!(set[i / 8] >> i % 8 & 1))
			continue;
		(void)buf_printf(out, first ? "%zu" : " %zu", i);
		first = false;
	}
	(void)buf_putc(out, ']');
}

/* Little-endian, as all machines with a table of numbers are. */
static uint64_t number_of(const struct syscall_field *field, const uint8_t *data)
{
	uint64_t value = 0;

	if (field->size <= sizeof(value))
		memcpy(&value, data + field->offset, field->size);
	return value;
}

static int64_t sign_extend(uint64_t value, size_t size)
{
	unsigned shift = size < 8 ? 64 - 8 * (unsigned)size : 0;

	return (int64_t)(value << shift) >> shift;
}

static void put_kind(const struct syscall_field *field, const uint8_t *data, struct buf *out)
{
	enum syscall_arg kind = (enum syscall_arg)field->kind;

	if (kind == ARG_SIGNAL)
		trace_put_signal((int)number_of(field, data), out);
	else if (kind >= ARG_FLAGS)
		trace_put_flags(syscall_flags(kind), number_of(field, data), out);
	else
		(void)trace_put_fields(kind, data + field->offset, field->size, out);
}

static void put_field(const struct syscall_field *field, const uint8_t *data, struct buf *out)
{
	uint64_t value = number_of(field, data);
	const char *text = (const char *)data + field->offset;

	switch ((enum syscall_format)field->format) {
	case FORMAT_INT:
		(void)buf_printf(out, "%" PRId64, sign_extend(value, field->size));
		break;
	case FORMAT_UINT:
		(void)buf_put_u64(out, value);
		break;
	case FORMAT_HEX:
		(void)buf_printf(out, value ? "0x%" PRIx64 : "%" PRIx64, value);
		break;
	case FORMAT_POINTER:
	case FORMAT_RESTORER:
		(void)buf_printf(out, value ? "0x%" PRIx64 : "NULL", value);
		break;
	case FORMAT_OCTAL:
		(void)buf_printf(out, value ? "0%" PRIo64 : "%" PRIo64, value);
		break;
	case FORMAT_MODE:
		trace_put_mode((unsigned)value, out);
		break;
	case FORMAT_HANDLER:
		if (value > 1)
			(void)buf_printf(out, "0x%" PRIx64, value);
		else
			(void)buf_puts(out, value ? "SIG_IGN" : "SIG_DFL");
		break;
	case FORMAT_TEXT:
		trace_put_string((const uint8_t *)text, strnlen(text, field->size), field->size,
				 false, out);
		break;
	case FORMAT_LIMIT:
		trace_put_limit(value, field->size, out);
		break;
	case FORMAT_KIND:
		put_kind(field, data, out);
		break;
	}
}

static bool is_left_out(const struct syscall_field *field, const uint8_t *data)
{
	return (field->format == FORMAT_OCTAL || field->format == FORMAT_RESTORER) &&
	       !number_of(field, data);
}

bool trace_put_fields(enum syscall_arg kind, const uint8_t *data, size_t len, struct buf *out)
{
	const struct syscall_struct *table = syscall_struct(kind);
	uint64_t set;
	bool array;

	if (kind == ARG_SIGSET && len >= sizeof(set)) {
		memcpy(&set, data, sizeof(set));
		trace_put_signals(set, out);
		return true;
	}
	if (kind == ARG_FD_SET || kind == ARG_CPU_SET) {
		trace_put_numbers(data, len, len * 8, out);
		return true;
	}
	if (!table || len < table->size)
		return false;
	array = !table->field[0].name;
	(void)buf_putc(out, array ? '[' : '{');
	for (size_t i = 0; i < table->count; i++) {
		if (is_left_out(&table->field[i], data))
			continue;
		(void)buf_puts(out, i ? ", " : "");
		if (!array)
			(void)buf_printf(out, "%s=", table->field[i].name);
		put_field(&table->field[i], data, out);
	}
	(void)buf_puts(out, table->more ? ", ..." : "");
	(void)buf_putc(out, array ? ']' : '}');
	return true;
}

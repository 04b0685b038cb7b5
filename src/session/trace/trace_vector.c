/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parts of data (see trace_vector.h). */
#include "session/trace/trace_vector.h"

#include <inttypes.h>
#include <string.h>

#include "base/buf.h"
#include "session/trace/trace_call.h"
#include "session/trace/trace_value.h"

/* *left: bytes that the call has moved and that no part before has. */
static void put_part(const struct syscall_vector *vector, size_t nr, uint64_t *left,
		     struct buf *out)
{
	uint64_t len = vector->part[nr].len, moved = len < *left ? len : *left;
	size_t shown = moved < SYSCALL_PART_BYTES ? (size_t)moved : SYSCALL_PART_BYTES;

	*left -= moved;
	(void)buf_puts(out, nr ? ", {iov_base=" : "{iov_base=");
	trace_put_string(vector->data[nr], shown, SYSCALL_PART_BYTES, shown < moved, out);
	(void)buf_printf(out, ", iov_len=%" PRIu64 "}", len);
}

static void put_parts(const struct syscall_vector *vector, uint64_t count, uint64_t moved,
		      struct buf *out)
{
	(void)buf_putc(out, '[');
	for (size_t i = 0; i < count && i < SYSCALL_PARTS; i++)
		put_part(vector, i, &moved, out);
	(void)buf_puts(out, count > SYSCALL_PARTS ? ", ...]" : "]");
}

static void put_address(const char *name, uint64_t address, struct buf *out)
{
	(void)buf_printf(out, address ? "%s=0x%" PRIx64 : "%s=NULL", name, address);
}

static void put_message(const struct syscall_vector *vector, uint64_t moved, struct buf *out)
{
	const struct syscall_message *message = &vector->message;

	put_address("{msg_name", message->name, out);
	(void)buf_printf(out, ", msg_namelen=%" PRIu32 ", msg_iov=", message->name_len);
	put_parts(vector, message->part_count, moved, out);
	(void)buf_printf(out, ", msg_iovlen=%" PRIu64, message->part_count);
	if (message->control_len)
		put_address(", msg_control", message->control, out);
	(void)buf_printf(out, ", msg_controllen=%" PRIu64 ", msg_flags=", message->control_len);
	trace_put_flags(syscall_flags(ARG_MSG), message->flags, out);
	(void)buf_putc(out, '}');
}

bool trace_put_vector(const struct trace_argument *argument, struct buf *out)
{
	const struct syscall_line *line = argument->line;
	struct syscall_vector vector;
	uint64_t moved = UINT64_MAX;

	if ((argument->kind != ARG_VECTOR && argument->kind != ARG_MESSAGE) ||
	    argument->len < sizeof(vector))
		return false;
	memcpy(&vector, argument->data, sizeof(vector));
	if (argument->written)
		moved = line->result > 0 ? (uint64_t)line->result : 0;
	if (argument->kind == ARG_MESSAGE)
		put_message(&vector, moved, out);
	else
		put_parts(&vector, line->arg[argument->nr + 1], moved, out);
	return true;
}

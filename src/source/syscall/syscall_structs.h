/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What structs in arguments of system calls consist of: a table of fields for each. */
#ifndef SOURCE_SYSCALL_STRUCTS_H
#define SOURCE_SYSCALL_STRUCTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "source/syscall/syscall_args.h"

enum syscall_format {
	FORMAT_INT, /* with a sign */
	FORMAT_UINT,
	FORMAT_HEX,
	FORMAT_POINTER,
	FORMAT_RESTORER, /* a pointer that is left out if NULL */
	FORMAT_OCTAL,	 /* left out if 0 */
	FORMAT_MODE,	 /* of a file, with its type */
	FORMAT_HANDLER,	 /* of a signal */
	FORMAT_TEXT,	 /* an array of char */
	FORMAT_LIMIT,	 /* of a resource */
	FORMAT_KIND,	 /* of the field's kind */
};

struct syscall_field {
	const char *name; /* NULL = none: an array */
	uint16_t offset, size;
	uint8_t format, kind;
};

struct syscall_struct {
	const struct syscall_field *field;
	size_t count;
	uint16_t size; /* bytes that are copied */
	bool more;     /* there are other fields */
};

/* Of an argument from ARG_STRUCTS on, but for sets; NULL = others. */
const struct syscall_struct *syscall_struct(enum syscall_arg arg);
/* Of those from ARG_COMPAT on. */
const struct syscall_struct *syscall_compat_struct(enum syscall_arg arg);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A traced call with its arguments: what each is, its name, value and copy. */
#ifndef SESSION_TRACE_CALL_H
#define SESSION_TRACE_CALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event/syscall.h"
#include "source/syscall/syscall_args.h"
#include "source/syscall/syscall_table.h"

struct trace_argument {
	const struct syscall_line *line;
	size_t nr;
	enum syscall_arg kind;
	uint64_t value;
	const uint8_t *data; /* NULL = nothing was copied */
	size_t len;
	bool written;	  /* by the kernel */
	const char *name; /* not terminated; name_len 0 = not known */
	size_t name_len;
};

struct trace_call {
	const struct syscall_line *line;
	const char *name;		     /* without its ABI; NULL = not known */
	char label[SYSCALL_NAME_SIZE];	     /* as it is shown */
	const struct syscall_signature *row; /* NULL = not known */
	struct trace_argument arg[SYSCALL_ARGS];
	size_t count;
};

/* `line` has its copies behind it, and is borrowed. */
void trace_call_read(const struct syscall_line *line, struct trace_call *ret);
bool trace_call_failed(const struct syscall_line *line);
/* The first argument of a kind; NULL = there is none. */
const struct trace_argument *trace_call_find(const struct trace_call *call, enum syscall_arg kind);
/* Of the first path, as copied; NULL = not known. */
const char *trace_call_path(const struct trace_call *call);
/* A copied text without its NUL; false = it is none. *cut: it goes on. */
bool trace_argument_text(const struct trace_argument *argument, size_t *len, bool *cut);
/* The value as a signed number, where that is what it is. */
bool trace_argument_is_signed(const struct trace_argument *argument);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parts of readv(2), writev(2) and of messages as strace writes them. Pure functions. */
#ifndef SESSION_TRACE_VECTOR_H
#define SESSION_TRACE_VECTOR_H

#include <stdbool.h>

struct buf;
struct trace_argument;

/* False: nothing was written, because the argument is another, or was not copied. */
bool trace_put_vector(const struct trace_argument *argument, struct buf *out);

#endif

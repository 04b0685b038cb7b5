/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Values of system calls as strace writes them: constants, strings, structs. Pure functions. */
#ifndef SESSION_TRACE_VALUE_H
#define SESSION_TRACE_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "source/syscall/syscall_args.h"

struct buf;

/* "O_RDONLY|O_CLOEXEC|0x4"; 0 without a name is "0". */
void trace_put_flags(const struct syscall_flag_set *set, uint64_t value, struct buf *out);
/* "text\n", with quotes and escapes; "..." behind one that is cut, which shows `most` bytes. */
void trace_put_string(const uint8_t *text, size_t len, size_t most, bool cut, struct buf *out);
/* The same without quotes. */
void trace_put_escaped(const uint8_t *text, size_t len, struct buf *out);
/* Of a resource, of `size` bytes. */
void trace_put_limit(uint64_t value, size_t size, struct buf *out);
void trace_put_signal(int number, struct buf *out);
/* Of a file: "S_IFREG|0644". */
void trace_put_mode(unsigned mode, struct buf *out);
/* A copied struct or array of them. False: nothing was written, because too little was copied. */
bool trace_put_struct(enum syscall_arg arg, const uint8_t *data, size_t len, struct buf *out);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Base64, as RFC 4648 has it; the padding may be missing. */
#ifndef BASE_BASE64_H
#define BASE_BASE64_H

#include <stdbool.h>
#include <stddef.h>

struct buf;

/* Appends the bytes. False for other characters, and past the buffer's limit. */
bool base64_decode(const char *text, size_t len, struct buf *ret);
/* Appends the text, with padding. */
void base64_encode(const void *data, size_t len, struct buf *ret);

#endif

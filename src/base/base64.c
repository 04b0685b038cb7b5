/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Base64 to bytes (see base64.h). */
#include "base/base64.h"

#include <stdint.h>

#include "base/buf.h"

static int value_of(char c)
{
	return c >= 'A' && c <= 'Z'   ? c - 'A'
	       : c >= 'a' && c <= 'z' ? c - 'a' + 26
	       : c >= '0' && c <= '9' ? c - '0' + 52
	       : c == '+'	      ? 62
	       : c == '/'	      ? 63
				      : -1;
}

bool base64_decode(const char *text, size_t len, struct buf *ret)
{
	uint32_t bits = 0;
	unsigned count = 0;

	while (len && text[len - 1] == '=')
		len--;
	if (len % 4 == 1)
		return false;
	for (size_t i = 0; i < len; i++) {
		int value = value_of(text[i]);

		if (value < 0)
			return false;
		bits = bits << 6 | (uint32_t)value;
		count += 6;
		if (count < 8)
			continue;
		count -= 8;
		if (buf_putc(ret, (char)(bits >> count)))
			return false;
	}
	return true;
}

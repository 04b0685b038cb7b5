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

void base64_encode(const void *data, size_t len, struct buf *ret)
{
	static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				    "0123456789+/";
	const uint8_t *at = data;

	for (size_t i = 0; i < len; i += 3) {
		size_t have = len - i < 3 ? len - i : 3;
		uint32_t bits = (uint32_t)at[i] << 16;
		char text[4];

		bits |= have > 1 ? (uint32_t)at[i + 1] << 8 : 0;
		bits |= have > 2 ? at[i + 2] : 0;
		for (size_t c = 0; c < sizeof(text); c++)
			text[c] = c <= have ? digit[bits >> (18 - 6 * c) & 63] : '=';
		(void)buf_append(ret, text, sizeof(text));
	}
}

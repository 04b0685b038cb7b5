/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The second half of demangling Rust (see rust_name.h). */
#include "format/perf_script/rust_name.h"

#include <string.h>

#include "base/buf.h"

#define HASH_LEN 19 /* "::h" and 16 digits */

static int hex_value(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool has_hash(const char *name, size_t len)
{
	if (len <= HASH_LEN || memcmp(name + len - HASH_LEN, "::h", 3) != 0)
		return false;
	for (size_t i = len - 16; i < len; i++)
		if (hex_value(name[i]) < 0)
			return false;
	return true;
}

/* The escape at s, "$LT$" for example; returns its length, or 0 when it is none. */
static size_t escape(const char *s, size_t len, char *ret)
{
	static const struct {
		const char *text;
		char c;
	} known[] = {
		{ "$SP$", '@' }, { "$BP$", '*' }, { "$RF$", '&' }, { "$LT$", '<' },
		{ "$GT$", '>' }, { "$LP$", '(' }, { "$RP$", ')' }, { "$C$", ',' },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		size_t n = strlen(known[i].text);

		if (len >= n && memcmp(s, known[i].text, n) == 0) {
			*ret = known[i].c;
			return n;
		}
	}
	if (len < 5 || s[1] != 'u' || s[4] != '$' || hex_value(s[2]) < 2 || hex_value(s[2]) > 7 ||
	    hex_value(s[3]) < 0)
		return 0;
	*ret = (char)(hex_value(s[2]) << 4 | hex_value(s[3]));
	return 5;
}

bool rust_name_finish(const char *name, size_t len, struct buf *ret)
{
	if (!has_hash(name, len))
		return false;
	len -= HASH_LEN;
	for (size_t i = 0; i < len;) {
		char c;
		size_t n = name[i] == '$' ? escape(name + i, len - i, &c) : 0;

		if (n) {
			(void)buf_putc(ret, c);
			i += n;
		} else if (name[i] == '.' && i + 1 < len && name[i + 1] == '.') {
			(void)buf_puts(ret, "::");
			i += 2;
		} else {
			(void)buf_putc(ret, name[i++]);
		}
	}
	return true;
}

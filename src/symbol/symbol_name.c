/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From a name in a string table to one that is shown (see symbol_name.h). */
#include "symbol/symbol_name.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "symbol/demangle.h"

#define MAX_NAME ((size_t)64 << 10)

static const char cut_mark[] = "…";

/* Bytes of the name proper: foo@@VERSION and foo@VERSION end before the '@'. */
static size_t base_len(const char *raw, size_t len)
{
	const char *at = len ? memchr(raw + 1, '@', len - 1) : NULL;

	return at && strncmp(at, "@plt", 4) ? (size_t)(at - raw) : len;
}

/* LLVM makes the name of a static function that it exports from its unit unique by a hash,
 * foo.llvm.1234, which is another in every build: it is no part of the name. */
static void remove_llvm_hash(char *name)
{
	char *hash = strstr(name, ".llvm."), *end;

	if (!hash || hash == name)
		return;
	end = hash + strlen(".llvm.");
	end += strspn(end, "0123456789");
	if (*end == '\0' || *end == '.')
		memmove(hash, end, strlen(end) + 1);
}

char *symbol_name_present(const char *raw, const char *suffix, bool with_demangling)
{
	size_t whole = strnlen(raw, MAX_NAME + 1);
	bool cut = whole > MAX_NAME;
	size_t len = base_len(raw, cut ? MAX_NAME : whole), suffix_len = strlen(suffix);
	char *name = mem_alloc(len + sizeof(cut_mark) + suffix_len);
	char *plain;

	memcpy(name, raw, len);
	memcpy(name + len, cut ? cut_mark : "", cut ? sizeof(cut_mark) : 1);
	if (with_demangling)
		remove_llvm_hash(name);
	plain = with_demangling && !cut ? demangle(name) : NULL;
	if (plain) {
		free(name);
		len = strlen(plain);
		name = mem_realloc(plain, len + suffix_len + 1);
	}
	memcpy(name + strlen(name), suffix, suffix_len + 1);
	for (char *p = name; *p; p++)
		if ((unsigned char)*p < 0x20 || *p == 0x7f)
			*p = '?';
	return name;
}

bool symbol_name_is_clone(const char *name, const char *wanted)
{
	size_t len = strlen(wanted);

	if (strncmp(name, wanted, len) != 0)
		return false;
	name += len;
	return !*name || *name == '.' || strncmp(name, " [clone .", strlen(" [clone .")) == 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the dynamic linker's list (see library_cache.h). It is of this machine's byte order. */
#include "proc/library_cache.h"

#include <string.h>

#define OLD_MAGIC   "ld.so-1.7.0"
#define MAGIC	    "glibc-ld.so.cache1.1"
#define OLD_HEADER  16 /* with the count in its last word */
#define OLD_ENTRY   12
#define HEADER	    48
#define ENTRY	    24
#define ENTRY_KEY   4
#define ENTRY_VALUE 8

static uint32_t word(const uint8_t *at)
{
	uint32_t value;

	memcpy(&value, at, sizeof(value));
	return value;
}

bool library_cache_parse(const uint8_t *data, size_t len, struct library_cache *ret)
{
	if (len >= OLD_HEADER && memcmp(data, OLD_MAGIC, strlen(OLD_MAGIC)) == 0) {
		uint64_t skip = OLD_HEADER + (uint64_t)word(data + 12) * OLD_ENTRY;

		skip = (skip + 7) & ~(uint64_t)7;
		if (skip >= len)
			return false;
		data += skip;
		len -= skip;
	}
	if (len < HEADER || memcmp(data, MAGIC, strlen(MAGIC)) != 0)
		return false;
	*ret = (struct library_cache){ data, len, word(data + strlen(MAGIC)) };
	if (ret->count > (len - HEADER) / ENTRY)
		ret->count = (uint32_t)((len - HEADER) / ENTRY);
	return true;
}

static const char *string_at(const struct library_cache *cache, uint32_t offset)
{
	if (offset >= cache->len || !memchr(cache->data + offset, '\0', cache->len - offset))
		return NULL;
	return (const char *)cache->data + offset;
}

static bool ends_name(const char *rest)
{
	return !*rest || strcmp(rest, ".so") == 0 || strncmp(rest, ".so.", 4) == 0;
}

bool library_is_named(const char *file, const char *name)
{
	size_t len = strlen(name);

	if (!len)
		return false;
	if (strncmp(file, name, len) == 0 && ends_name(file + len))
		return true;
	return strncmp(file, "lib", 3) == 0 && strncmp(file + 3, name, len) == 0 &&
	       ends_name(file + 3 + len);
}

const char *library_cache_next(const struct library_cache *cache, const char *name, uint32_t *at)
{
	while (*at < cache->count) {
		const uint8_t *entry = cache->data + HEADER + (size_t)(*at)++ * ENTRY;
		const char *key = string_at(cache, word(entry + ENTRY_KEY));
		const char *path = string_at(cache, word(entry + ENTRY_VALUE));

		if (key && path && library_is_named(key, name))
			return path;
	}
	return NULL;
}

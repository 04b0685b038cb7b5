/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How recordings represent Python functions: each as a mapping of its own file, with the function's
 * name as its path, at addresses without memory. The offset in it is a line number. So every reader
 * of perf.data puts the frames in the right place and shows at least the path. */
#ifndef SYMBOL_PYTHON_PYTHON_PLACE_H
#define SYMBOL_PYTHON_PYTHON_PLACE_H

#include <stdbool.h>
#include <stdint.h>

struct buf;

#define PYTHON_PLACE_PREFIX "[python] " /* NAME (FILE) follows */
#define PYTHON_PLACE_BITS   24		/* addresses of a function: two for each line */
#define PYTHON_PLACE_FIRST  (1ull << 62)
#define PYTHON_PLACE_COUNT  (1u << 31)

static inline uint64_t python_place_start(uint32_t function)
{
	return PYTHON_PLACE_FIRST + ((uint64_t)function << PYTHON_PLACE_BITS);
}

/* Readers look up callers at the byte before the recorded address. */
static inline uint64_t python_place_address(uint32_t function, uint32_t line)
{
	return python_place_start(function) +
	       ((line & ((1u << (PYTHON_PLACE_BITS - 1)) - 1)) * 2 + 1);
}

static inline uint32_t python_place_line(uint64_t offset)
{
	return (uint32_t)(offset / 2);
}

/* Appends the path of a function; name and file are cleaned of what would confuse readers. */
void python_place_put(const char *name, const char *file, struct buf *ret);
bool python_place_is(const char *path);
/* The reverse: lengths of both, which begin at path + the result's offsets. */
struct python_place_name {
	const char *name, *file;
	int name_len, file_len;
};
bool python_place_parse(const char *path, struct python_place_name *ret);

#endif

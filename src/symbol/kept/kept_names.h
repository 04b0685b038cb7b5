/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names that a recording keeps of the code that it hit, for the day when the files they came from
 * are gone or others: a program built anew at the same path has another layout. Of each module what
 * identifies it, and of its places what a symbolizer said: functions, inlined ones, source lines.
 *
 * Format: a byte 1 (version), then LEB128 numbers. Strings: their number, then length and bytes of
 * each; number 0 is the empty one and not among them. Modules: their number, then of each: kind;
 * path; major, minor, inode; length and bytes of the build id; size and mtime (ns) of the file, 0 =
 * not a file; number of places. A place: offset less that of the place before; offset less start of
 * the function; its length, 0 = unknown; binding; number of frames, innermost first. A frame: name;
 * file; line * 2 + inlined. A place of one frame without a file begins its function and stands for
 * all of it. */
#ifndef SYMBOL_KEPT_NAMES_H
#define SYMBOL_KEPT_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event/event.h"
#include "symbol/symbolizer.h"

struct buf;
struct err;
struct kept_names;
struct kept_names_writer;
struct module;

struct kept_place {
	uint64_t offset;     /* in the module */
	uint64_t start, end; /* of the function; end 0 = unknown */
	uint32_t first, count;
	char binding;
};

struct kept_module {
	uint32_t kind; /* enum module_kind */
	const char *path;
	uint32_t maj, min;
	uint64_t ino;
	struct build_id build_id;
	uint64_t file_bytes, file_mtime_ns; /* of its file at the end of recording; 0 = not known */
	size_t place_count;
	struct kept_place *place; /* by offset */
	const struct kept_names *names;
};

/* Copies what it needs. -EBADMSG when the bytes are damaged, -ENOTSUP for another version. */
int kept_names_parse(const uint8_t *data, size_t len, struct kept_names **ret, struct err *err);
void kept_names_free(struct kept_names *names); /* NULL is fine */
/* By build id where both have one, else by all that identifies a module. NULL = nothing was kept;
 * `names` may be NULL. */
const struct kept_module *kept_names_find(const struct kept_names *names,
					  const struct module *module);
/* Whether the file is as it was at the end of recording, by size and time. */
bool kept_module_is_file(const struct kept_module *module, const char *path);
/* The place that answers for an offset: that very one, else one of the same function. */
const struct kept_place *kept_module_place(const struct kept_module *module, uint64_t offset);
/* Its frames; only that of the whole function when it is not that very place. */
void kept_module_symbol(const struct kept_module *module, const struct kept_place *place,
			uint64_t offset, struct symbol *ret);

struct kept_names_writer *kept_names_writer_new(void);
void kept_names_writer_free(struct kept_names_writer *writer);
/* Places in any order, also twice. Modules that a later reader could not identify are left out. */
void kept_names_add(struct kept_names_writer *writer, const struct module *module, uint64_t offset,
		    const struct symbol *symbol);
/* Everything added so far, in the form of kept_names_parse(). Nothing when there is nothing. */
void kept_names_write(struct kept_names_writer *writer, struct buf *ret);

/* Whether the kept names of one module are those of another. */
bool kept_is_same(const struct kept_module *kept, const struct module *module);

#endif

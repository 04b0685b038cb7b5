/* SPDX-License-Identifier: GPL-2.0-or-later */
/* jitdump files: the code that a runtime generated, with names, moves and source lines. Read
 * directly, so that no `perf inject --jit` is needed. Later records win where addresses are used
 * again; times are not looked at. Format: tools/perf/Documentation/jitdump-specification.txt in
 * Linux. */
#ifndef SYMBOL_JITDUMP_H
#define SYMBOL_JITDUMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/vec.h"
#include "symbol/range_table.h"

struct err;
struct module;
struct symbol_options;

struct jit_line {
	uint64_t addr;
	uint32_t line;
	uint32_t file; /* offset in the text */
};

struct jit_function {
	uint64_t start, end;
	uint64_t time;	    /* of the load or move, in the runtime's clock */
	uint64_t loaded_at; /* address in its line records, before moves */
	uint64_t code;	    /* where its machine code is in the file; 0 = not there */
	uint32_t first_line, lines;
	uint32_t name; /* offset in the text */
};

struct jitdump {
	struct range_table ranges; /* tag: function */
	struct buf text;	   /* names and files, NUL-terminated */
	VEC(struct jit_function) functions;
	VEC(struct jit_line) lines;
	uint16_t machine; /* EM_* */
	bool cpu_time;	  /* times are the CPU's counter, not a clock of the kernel */
	bool truncated;	  /* the file ends inside a record */
	size_t malformed; /* records that were skipped */
};

/* The jitdump of a process, which `module` is generated code of: a descriptor, or -ENOENT. */
int jitdump_open(const struct module *module, const struct symbol_options *options,
		 struct err *err);
/* Returns -EINVAL if it is not a jitdump. The data is not needed afterwards. */
int jitdump_parse(const uint8_t *data, size_t len, struct jitdump *ret, struct err *err);
/* Source file and line of an address in one of the ranges, or NULL. */
const char *jitdump_line(const struct jitdump *dump, const struct range *range, uint64_t address,
			 uint32_t *line);
void jitdump_done(struct jitdump *dump);

#endif

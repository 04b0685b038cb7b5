/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The ELF file of one generated function: its code, name, build id and source lines. */
#ifndef SESSION_JIT_ELF_H
#define SESSION_JIT_ELF_H

#include <stddef.h>
#include <stdint.h>

#include "event/event.h"

#define JIT_ELF_TEXT 128 /* offset and address of the code, behind the headers */

struct buf;
struct jit_function;
struct jitdump;

struct jit_code {
	const char *name;
	const uint8_t *bytes;
	size_t len;
	const struct jit_function *function; /* of the jitdump */
	struct build_id id;
};

void jit_elf_make(const struct jit_code *code, const struct jitdump *dump, struct buf *ret);

#endif

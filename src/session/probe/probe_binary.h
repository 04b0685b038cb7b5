/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A program or library in which places are probed, by path or by a short name. */
#ifndef SESSION_PROBE_PROBE_BINARY_H
#define SESSION_PROBE_PROBE_BINARY_H

#include <stdbool.h>
#include <stddef.h>

#include "source/probe/probe_jumps.h"
#include "symbol/elf/elf_functions.h"

struct elf_file;
struct err;
struct probe_code;
struct unwind_table;

struct probe_binary {
	char *path;			/* as this process sees it */
	struct elf_file *elf, *debug;	/* debug: NULL = none */
	struct elf_functions functions; /* of both */
	bool is_go;
	bool may_throw;		    /* exceptions: it is of C++, Rust, or the like, or a library */
	struct unwind_table *table; /* NULL = not yet */
	struct probe_jumps jumps;   /* of the section that was asked for last */
};

/* "c", "libc.so.6", "bash", "./a.out", "/usr/bin/ls". Names without a slash are libraries, else
 * programs in PATH. pid: of a process; its libraries come first, and its paths are meant; 0 = none.
 * -ENOENT if there is none. */
int probe_binary_find(const char *name, int pid, char **ret_path, struct err *err);
int probe_binary_open(const char *name, int pid, struct probe_binary **ret, struct err *err);
void probe_binary_close(struct probe_binary *binary); /* NULL is fine */
/* Whether a process runs a file that was replaced by this one: probes do not reach it. Its mapping.
 */
bool probe_binary_replaced(const struct probe_binary *binary, int pid, uint64_t ret_mapping[2]);
/* The function's code, as far as it is in the file; empty if it is not. */
void probe_binary_code(const struct probe_binary *binary, const struct elf_function *function,
		       struct probe_code *ret);
/* The piece of code that an address is in: of a function with a name or, from there on, of one with
 * unwind information. False: there is none. */
bool probe_binary_code_at(struct probe_binary *binary, uint64_t address, struct probe_code *ret);
const struct unwind_table *probe_binary_unwind(struct probe_binary *binary);
/* Whether code of the same section leads to an address in (after, last], or may do so: it is too
 * much to be read. */
bool probe_binary_jumps_between(struct probe_binary *binary, uint64_t after, uint64_t last);
/* The function with code at that address. NULL and err: there is none. */
const struct elf_function *probe_binary_function_at(const struct probe_binary *binary,
						    uint64_t address, struct err *err);

#endif

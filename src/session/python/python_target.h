/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Processes with a CPython runtime, for python_names.c: what the BPF program knows about them, and
 * the functions read from their memory. */
#ifndef SESSION_PYTHON_PYTHON_TARGET_H
#define SESSION_PYTHON_PYTHON_TARGET_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/map.h"
#include "base/vec.h"
#include "bpf/python/python.h"
#include "symbol/python/python_code.h"
#include "symbol/python/python_layout.h"

struct python_binary;
struct python_finder;

/* Gives the number of a place for a function's name and file. */
struct python_places {
	struct map by_path;
	VEC(char *) path;
};

uint32_t python_places_add(struct python_places *places, const char *name, const char *file);
void python_places_done(struct python_places *places);

struct python_known {
	struct python_function function;
	uint32_t place;
	uint64_t since_ns, checked_ns; /* when it was there first, and last */
};

struct python_target {
	uint32_t pid;
	uint64_t since_ns; /* when it got its runtime, in the recording's time; 0 = before */
	struct python_layout layout;
	struct python_process kernel;
	VEC(struct python_known) known;
	struct map by_code;   /* code object → index in known + 1 */
	struct map line_of;   /* word and index → line + 1 */
	struct map announced; /* place → file in which it was */
};

/* bias: the difference between addresses in memory and as linked. */
struct python_target *python_target_new(uint32_t pid, const struct python_binary *binary,
					uint64_t bias);
/* The same runtime in a forked process. */
struct python_target *python_target_fork(const struct python_target *parent, uint32_t pid);
void python_target_free(struct python_target *target); /* NULL is fine */

struct python_where {
	uint32_t place, line;
};

struct python_target_look {
	const struct python_finder *finder; /* takes functions apart */
	struct python_places *places;
	uint64_t now_ns; /* of a clock: what is stored of code objects is verified now and then */
};

/* The function and line of a word; false: not read. */
bool python_target_place(struct python_target *target, const struct python_target_look *look,
			 uint64_t word, struct python_where *ret);

#endif

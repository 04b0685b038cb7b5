/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Specifications of argdist → places, fetch programs, and how their values are shown. */
#ifndef SESSION_PROBE_ARGUMENT_SET_H
#define SESSION_PROBE_ARGUMENT_SET_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/vec.h"
#include "session/probe/argument_spec.h"
#include "session/probe/probe_set.h"
#include "source/probe/probe_value_choice.h"

struct elf_file;
struct err;

/* Where values are counted together. */
struct argument_collection {
	struct argument_spec spec; /* with what it points to in an arena that lasts */
	bool histogram;
	/* Of the last place; those of others differ in nothing that is shown. */
	struct fetch_output output[FETCH_VALUES];
	/* Of a histogram: its slots (bpf/probe_values.h). */
	uint64_t unit, from, step;
	struct probe_set set;
};

struct argument_set {
	VEC(struct argument_collection *) collections;
	struct probe_values values; /* for the source; */
	/* private */
	VEC(struct fetch_program) programs;
	VEC(struct probe_values_way) ways;
	VEC(struct debug_info *) infos;
	struct arena arena;
	uint32_t string_bytes; /* with the NUL; 0 = FETCH_STRING_MAX */
};

/* Fills the set, an empty one, by what collections count: their specifications, and how. A
 * histogram may have more expressions than one: it is one for each value of these. The set must be
 * freed also after failures. Binaries are read by a child where this process may not
 * (base/confined.h): call it before starting threads. */
int argument_set_find(struct argument_set *set, const struct argument_collection *wanted,
		      size_t count, const struct probe_set_options *options, struct err *err);
/* The part of it that reads binaries; adds one. Private. */
int argument_set_add(struct argument_set *set, const struct argument_collection *wanted,
		     const struct probe_set_options *options, struct err *err);
/* The arguments of the static probe at an offset of the file, in the arena; "" without. */
const char *argument_set_usdt(const struct elf_file *elf, uint64_t offset, struct arena *arena);
void argument_set_done(struct argument_set *set);

#endif

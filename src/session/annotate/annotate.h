/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The code of a sampled function as rows of instructions with their samples: finds the machine code
 * (symbol/code/), disassembles the function alone, and asks the symbolizers for the source line of
 * each instruction, the functions inlined there and the names of what it refers to.
 *
 *	load_options: .detail = RESOLVE_ADDRESSES, .capture = &capture
 *	annotate_index_find(profile, &index);
 *	n = annotate_index_search(&index, "hot", NULL, 0);
 *	annotator_build(annotator, &index, n, &annotation, &err); */
#ifndef SESSION_ANNOTATE_H
#define SESSION_ANNOTATE_H

#include <stdbool.h>
#include <stddef.h>

#include "session/annotate/annotate_index.h"
#include "symbol/symbolizer.h"

struct annotation;
struct capture;
struct err;

struct annotate_options {
	struct symbol_options symbol;
	const struct capture *capture; /* of the recording; NULL = files are found by path */
	bool intel;		       /* Intel's syntax */
	bool lines;		       /* source lines, inlined functions */
	bool source;		       /* with them the text of the lines */
};

struct annotator;

/* What the options point to is borrowed. */
struct annotator *annotator_new(const struct annotate_options *options);
void annotator_free(struct annotator *annotator); /* NULL is fine */
/* Function number `function` of the index. Functions of one module one after the other are fast.
 * Fails with the reason and a hint: the code is missing or of another CPU.
 * The index still has the function's samples then. */
int annotator_build(struct annotator *annotator, const struct annotate_index *index,
		    size_t function, struct annotation **ret, struct err *err);

#endif

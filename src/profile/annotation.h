/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The code of one function with the samples of each instruction: rows of instructions, the source
 * lines and inlined functions they come from, loops. Filled by session/annotate/annotate.h; views
 * are pure functions of it. Immutable once filled. All memory is the arena's. */
#ifndef PROFILE_ANNOTATION_H
#define PROFILE_ANNOTATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/vec.h"

#define ANNOTATION_NONE UINT32_MAX

struct annotation_count {
	uint64_t samples, weight;
};

struct annotation_event {
	const char *name;
	bool precise;			 /* else the instruction before is a suspect too */
	struct annotation_count all;	 /* of the profile */
	struct annotation_count samples; /* in this function */
};

enum annotation_kind {
	ANNOTATION_PLAIN,
	ANNOTATION_JUMP,
	ANNOTATION_CALL,
	ANNOTATION_RETURN,
	ANNOTATION_UNKNOWN, /* no instruction that the disassembler knows */
};

/* One function at an instruction: the function itself or one that was inlined. */
struct annotation_frame {
	const char *function; /* "" = unknown */
	const char *file;     /* path; NULL = unknown */
	uint32_t source;      /* of annotation.sources; ANNOTATION_NONE = file unknown */
	uint32_t line;	      /* 0 = unknown */
};

/* An instruction. */
struct annotation_row {
	uint64_t address; /* as objdump has it */
	const uint8_t *bytes;
	uint8_t len;
	enum annotation_kind kind;
	bool interrupted;     /* by a sample inside it: the code is not what ran */
	const char *mnemonic; /* "jne" */
	const char *operands; /* "11b0 <hot+0x10>", with names of targets and of data */
	const char *callee;   /* of a call or jump out of the function; NULL = none, unknown */
	uint32_t target;      /* row that it jumps to, or ANNOTATION_NONE */
	uint32_t loop;	      /* the innermost loop around it, or ANNOTATION_NONE */
	/* annotation.frames[frame..frame+frames): innermost first, the last is the function itself.
	 * Neighbours from the same place have the same numbers. */
	uint32_t frame, frames;
};

/* Rows first..last, where last jumps back to first. */
struct annotation_loop {
	uint32_t first, last;
	uint32_t outer; /* loop around it, or ANNOTATION_NONE */
	uint32_t depth; /* 1 = outermost */
};

/* A source file that code of the function comes from. */
struct annotation_source {
	const char *path;
	const char *problem;  /* the reason without text, or NULL */
	uint32_t first, last; /* lines that the function has code of */
	uint32_t text_first;  /* line of text[0] */
	uint32_t text_count;  /* 0 = no text */
	const char **text;    /* without newlines */
};

struct annotation {
	struct arena arena;
	const char *function, *module; /* module: path */
	const char *problem;	       /* what may be wrong with the code, or NULL */
	VEC(struct annotation_event) events;
	VEC(struct annotation_row) rows;
	VEC(struct annotation_count) counts; /* row × events.count + event */
	VEC(struct annotation_frame) frames;
	VEC(struct annotation_loop) loops; /* by first row; of one row the largest first */
	VEC(struct annotation_source) sources;
};

/* What the percentages of an instruction are of. */
enum annotation_percent {
	ANNOTATION_LOCAL_PERIOD, /* of the function's weight */
	ANNOTATION_LOCAL_HITS,	 /* of the function's samples */
	ANNOTATION_GLOBAL_PERIOD,
	ANNOTATION_GLOBAL_HITS,
};

struct annotation *annotation_new(void);
void annotation_free(struct annotation *annotation); /* NULL is fine */

/* Finds loops among the targets of jumps, and the loop of each row. Call once, when rows are in. */
void annotation_find_loops(struct annotation *annotation);
/* The row at an address, or ANNOTATION_NONE if none starts there. */
uint32_t annotation_find_row(const struct annotation *annotation, uint64_t address);
const struct annotation_count *annotation_count(const struct annotation *annotation, uint32_t row,
						size_t event);
double annotation_share(const struct annotation *annotation, size_t event,
			const struct annotation_count *count, enum annotation_percent percent);
/* The innermost place of a row, or NULL. */
const struct annotation_frame *annotation_place(const struct annotation *annotation,
						const struct annotation_row *row);
/* The text of a line of a source, or NULL. */
const char *annotation_text(const struct annotation *annotation, uint32_t source, uint32_t line);

/* A source line with samples. */
struct annotation_line {
	uint32_t source, line;
	const struct annotation_count *count; /* per event */
};

/* The samples of all lines that have instructions, by source, then line. The list is the caller's,
 * its counts are in the arena. */
struct annotation_lines {
	VEC(struct annotation_line) list;
	struct arena arena;
};

void annotation_lines_find(const struct annotation *annotation, struct annotation_lines *ret);
void annotation_lines_done(struct annotation_lines *lines);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Moments that a person or a script marked, such as deploys, for `cupel watch`. A text file,
 * `marks` in the folder of the store or another, a mark a line:
 *
 *     TIME [{SELECTOR}] TEXT
 *
 * TIME is one word that time_text.h knows and that is no matter of now: @SECONDS,
 * 2026-11-24T14:30:00Z. Lines with # and empty ones say nothing. */
#ifndef STORE_MARK_H
#define STORE_MARK_H

#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

struct err;
struct label_set;
struct selector;

#define MARKS_FILE	 "marks"
#define MARKS_MOST_BYTES ((size_t)16 << 20)

struct mark {
	uint64_t time_ns;
	struct selector *selector; /* NULL = of all series */
	char *text;
};

/* Zero-initialise. */
struct marks {
	VEC(struct mark) item;
};

/* Adds those of the text. A line that is none is an error with its number; `name` is the file's. */
int marks_parse(const char *name, const char *text, struct marks *ret, struct err *err);
/* The same of a file. */
int marks_read(const char *path, struct marks *ret, struct err *err);
void marks_done(struct marks *marks);

#endif

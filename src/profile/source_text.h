/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Source text for a profile with line numbers: selects lines and cuts them out of a file's bytes.
 * Keeps only lines around hot ones, limited to what a picture can carry. The caller finds the files
 * (session/load/source_files.h). */
#ifndef PROFILE_SOURCE_TEXT_H
#define PROFILE_SOURCE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strtab.h"
#include "base/vec.h"

struct profile;

#define SOURCE_AROUND 3 /* lines kept on both sides of one with samples */

/* A line with samples. */
struct source_spot {
	string_id file; /* of the profile */
	uint32_t line;
	uint32_t module;  /* of one frame there */
	uint64_t samples; /* with it anywhere on the stack */
};

struct source_spots {
	VEC(struct source_spot) list; /* by file, then line */
};

/* The lines with most samples, as many as source_text_add() has room for. */
void source_spots_find(const struct profile *profile, struct source_spots *ret);
void source_spots_done(struct source_spots *spots);

/* Stores the lines around `count` spots of one file with these bytes in profile->source; tabs
 * become spaces. Returns false without storing if the bytes cannot be that file's: they are not
 * text, or have too few lines. Files must come in the order of the spots. */
bool source_text_add(struct profile *profile, const struct source_spot *spots, size_t count,
		     const char *text, size_t len);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the source files of a profile's hot lines and keeps their text around those lines in
 * profile->source. A file is taken when it is called like source code, is a regular file of a
 * plausible size, is not newer than the program made of it (where that is here), and has all the
 * lines. */
#ifndef SESSION_SOURCE_FILES_H
#define SESSION_SOURCE_FILES_H

#include <stddef.h>

struct profile;

struct source_tally {
	size_t files;	/* with hot lines */
	size_t taken;	/* of them */
	size_t newer;	/* changed after the program was made */
	size_t foreign; /* no text, or too short to have the lines */
};

/* symfs: prefix for files, "" or NULL = none. */
void source_files_keep(struct profile *profile, const char *symfs, struct source_tally *ret);

#endif

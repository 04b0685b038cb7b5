/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names for the frames of a profile that was loaded without symbols. Symbol tables are read one
 * after the other, and each is freed before the next, so that memory is that of the largest. */
#ifndef SESSION_ANNOTATE_NAMES_H
#define SESSION_ANNOTATE_NAMES_H

struct capture;
struct profile;
struct symbol_options;
struct symbol_shared;

struct annotate_names_options {
	const struct capture *capture;
	const struct symbol_options *symbol;
	/* Names or paths with commas between them; other modules keep nameless frames. NULL = all.
	 */
	const char *modules;
	/* Kernel code has names only if no other has a frame in this function. NULL = any. */
	const char *function;
};

/* Fills the frames' function and symbol range, and the modules' problem. Returns the tables of the
 * first module that has the function, for the annotator; symbol_shared_free() them. NULL = none. */
struct symbol_shared *annotate_name_frames(struct profile *profile,
					   const struct annotate_names_options *options);

#endif

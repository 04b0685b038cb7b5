/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names for the frames of a profile that was loaded without symbols. Symbol tables are read one
 * after the other, and each is freed before the next, so that memory is that of the largest. */
#ifndef SESSION_ANNOTATE_NAMES_H
#define SESSION_ANNOTATE_NAMES_H

struct capture;
struct profile;
struct symbol_options;

/* Fills the frames' function and symbol range, and the modules' problem. modules: names or paths
 * with commas between them; other modules keep nameless frames. NULL = all. */
void annotate_name_frames(struct profile *profile, const struct capture *capture,
			  const struct symbol_options *symbol, const char *modules);

#endif

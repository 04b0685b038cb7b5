/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What `cupel top` shows at one moment, as a recording in a temporary file: for code with its
 * samples, and to be kept as perf.data.N. */
#ifndef COMMAND_TOP_TOP_RECORDING_H
#define COMMAND_TOP_TOP_RECORDING_H

struct annotation;
struct browser_file;
struct browser_function;
struct buf;
struct err;
struct live;
struct symbol_options;
struct top_recording;

/* The options are copied; what they point to is borrowed. */
int top_recording_take(struct live *live, const struct symbol_options *symbol,
		       struct top_recording **ret, struct err *err);
void top_recording_free(struct top_recording *recording); /* NULL is fine */

/* Writes it, with build ids, under a name that does not exist yet; file->name is filled. */
int top_recording_write(const struct top_recording *recording, struct browser_file *file,
			struct err *err);
int top_recording_header(const struct top_recording *recording, struct buf *ret, struct err *err);
int top_recording_annotate(struct top_recording *recording, const struct browser_function *function,
			   struct annotation **ret, struct err *err);

#endif

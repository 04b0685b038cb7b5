/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Code for the browser: the recording is read once more, with addresses, when the first function is
 * asked for. */
#ifndef COMMAND_BROWSER_BROWSER_ANNOTATE_H
#define COMMAND_BROWSER_BROWSER_ANNOTATE_H

struct annotation;
struct browser_annotate;
struct browser_function;
struct err;
struct load_options;

/* path as recording_open() has it. The options, which are borrowed, have the filters and symbols of
 * the report. */
struct browser_annotate *browser_annotate_new(const char *path, const struct load_options *load);
int browser_annotate_build(struct browser_annotate *annotate,
			   const struct browser_function *function, struct annotation **ret,
			   struct err *err);
void browser_annotate_free(struct browser_annotate *annotate); /* NULL is fine */

#endif

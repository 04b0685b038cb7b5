/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Answers in text, for terminals, tickets and CI: the call tree, a summary in Markdown, and what
 * share of a profile a name has. Pure functions of the profile. */
#ifndef VIEW_TEXT_REPORT_H
#define VIEW_TEXT_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "profile/call_tree.h"
#include "profile/profile.h"

struct buf;
struct err;

struct text_report_options {
	const char *event;    /* NULL = the first that has samples */
	double percent_limit; /* branches and functions below it are gathered; 0 = 0.5 */
	bool ascii;	      /* branches drawn with |, + and - */
};

/* One line per function on the way from the root, with all it cost and its own share. */
int text_report_tree(const struct profile *profile, const struct text_report_options *options,
		     struct buf *ret, struct err *err);
/* A summary of the recording and its costs on one screen. */
int text_report_markdown(const struct profile *profile, const struct text_report_options *options,
			 struct buf *ret, struct err *err);
/* What share of each event has a frame or command that matches. */
struct text_report_query {
	const char *regex; /* POSIX extended */
	const char *event; /* NULL = each that has samples */
	bool by_samples;   /* shares are of numbers of samples, not of their weight */
};

/* Each stack counts once, regardless of the number of matches: "12.34 %  …". Returns -EINVAL for an
 * invalid expression, -ENOENT for an unknown event. */
int text_report_find(const struct profile *profile, const struct text_report_query *query,
		     struct buf *ret, struct err *err);

/* -EINVAL when the expression is none. */
int text_report_find_check(const char *regex, struct err *err);

/* A call tree with names: labels of nodes are ids of strings. */
struct text_report_names {
	const struct profile *profile;
	struct strtab *names;
	uint32_t *label; /* by frame */
	bool *picked;	 /* by event: is it in the tree? */
	struct call_tree tree;
};

/* Returns -ENOENT for an unknown event. */
int text_report_tree_build(const struct profile *profile, const char *event,
			   struct text_report_names *ret, struct err *err);
void text_report_names_done(struct text_report_names *names);
/* The frame's function, "[module]" or "[unknown]". */
const char *text_report_frame_name(const struct profile *profile, const struct frame *frame);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What pages and pictures of a comparison hold besides the tree: verdicts as columns of the packed
 * tree, and words. */
#ifndef VIEW_DIFF_FACTS_H
#define VIEW_DIFF_FACTS_H

#include "view/flame/flame_pack.h"

struct buf;
struct diff;
struct diff_page_options;
struct diff_tree;

#define DIFF_COLUMNS 8

struct diff_columns {
	float *values[DIFF_COLUMNS];
	struct flame_column column[DIFF_COLUMNS];
};

void diff_columns_make(const struct diff *diff, const struct diff_tree *tree,
		       struct diff_columns *ret);
void diff_columns_done(struct diff_columns *columns);

const char *diff_title(const struct diff_page_options *options);
const char *diff_count_name(const struct diff *diff);
/* Each appends one line: the compared sides, the result, the warnings. */
void diff_facts_sides(const struct diff *diff, const struct diff_page_options *options,
		      struct buf *out);
void diff_facts_found(const struct diff *diff, struct buf *out);
void diff_facts_warnings(const struct diff_page_options *options, struct buf *out);
/* All of it and what diff_hooks.js needs, as members of the packed tree's object. */
void diff_facts_info(const struct diff *diff, const struct diff_page_options *options,
		     struct buf *out);

#endif

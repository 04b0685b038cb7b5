/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel's small objects, as text in perf kmem's layout and as JSON. */
#ifndef VIEW_SLAB_SLAB_VIEW_H
#define VIEW_SLAB_SLAB_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;
struct profile;
struct slab;

struct slab_view {
	const struct profile *profile;
	const struct slab *slab;  /* sorted */
	uint64_t lines;		  /* of a table; 0 = all */
	bool pages;		  /* they are pages, not small objects */
	bool stacks;		  /* rows are stacks, not places */
	bool objects;		  /* rows are objects, not stacks or places */
	bool live;		  /* bytes that are not freed instead of those allocated */
	bool raw_ip;		  /* addresses without names */
	const char *const *words; /* of the command line, for JSON */
	size_t word_count;
};

/* The tables of pages (slab_page.c): order, type and GFP flags of each row, and their numbers. */
void slab_page_rows(const struct slab_view *view, struct buf *out);
void slab_page_orders(const struct slab *slab, struct buf *out);

void slab_text(const struct slab_view *view, struct buf *out);
/* {"cupel":1,"command":[…],"requested":n,"allocated":n,"freed":n,"hits":n,"live":n,"live_hits":n,
 * "other_cpu":n,"unknown_frees":n,"pages":true (of
 * pages),"rows":[{"hits","requested","allocated","live","live_hits",
 * "other_cpu","pointer":n (of objects),"order":n,"type":s,"flags":s (of pages),
 * "stack":[{"function","module","inlined"}]}]} */
void slab_json(const struct slab_view *view, struct buf *out);

#endif

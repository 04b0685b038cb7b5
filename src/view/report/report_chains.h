/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Call chains below the rows of a table, merged. One trie for all rows: a node is (parent node,
 * symbol), and each row has its own root. Chains go towards the callers or the callees, as
 * options->caller says. Node ids stay valid, pointers to nodes do not. */
#ifndef VIEW_REPORT_CHAINS_H
#define VIEW_REPORT_CHAINS_H

#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "base/vec.h"

struct buf;
struct report_row;
struct report_table;

struct report_chain {
	uint32_t symbol;      /* UINT32_MAX for a row's root */
	uint32_t child, next; /* node indexes, 0 = none */
	uint64_t total, self; /* weight */
	uint64_t total_count, self_count;
};

/* What was left out because it would be too much: samples, from some graphs or all, and the graphs
 * of rows. */
struct report_chains_cut {
	uint64_t samples, graphs;
};

struct report_chains {
	const struct report_table *table;
	VEC(struct report_chain) nodes; /* item 0 is unused */
	struct map child_of;		/* (node, symbol) → node */
	VEC(uint32_t) path;		/* scratch */
	double threshold;		/* share of the whole, 0…1 */
	size_t max_nodes, max_text;
	uint64_t steps; /* left: frames of chains looked at */
	size_t drawn;	/* bytes */
	struct report_chains_cut cut;
};

typedef VEC(uint32_t) report_chain_list;

/* Collects the chains of all rows that reach options->percent_limit. Call before
 * report_table_sort(). */
struct report_chains *report_chains_new(struct report_table *table);
/* Without any; rows get theirs one by one. */
struct report_chains *report_chains_open(struct report_table *table);
/* Collects the chains of one row and returns their root, 0 = there are none. Also after sorting. */
uint32_t report_chains_add_row(struct report_chains *chains, struct report_row *row);
void report_chains_free(struct report_chains *chains);				/* NULL is fine */
struct report_chains_cut report_chains_cut(const struct report_chains *chains); /* NULL is fine */

/* Appends the children with a share of the whole above the threshold, biggest first. */
void report_chains_children(const struct report_chains *chains, uint32_t parent, uint64_t whole,
			    report_chain_list *ret);
/* The only child when nothing branches off and nothing ends here; 0 otherwise. */
uint32_t report_chains_straight_on(const struct report_chains *chains, uint32_t node);
void report_chains_put_name(const struct report_chains *chains, uint32_t node, struct buf *ret);

#endif

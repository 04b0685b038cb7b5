/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The words around a flame graph: title, what counts are counts of, and all of them as members of
 * the JSON object that packed data begin with (flame_pack.h). */
#ifndef VIEW_FLAME_FLAME_INFO_H
#define VIEW_FLAME_FLAME_INFO_H

struct buf;
struct flame_facts;
struct flame_graph_options;
struct flame_tree;
struct profile;

void flame_info_put(const struct profile *profile, const struct flame_tree *tree,
		    const struct flame_graph_options *options, const struct flame_facts *facts,
		    struct buf *ret);

#endif

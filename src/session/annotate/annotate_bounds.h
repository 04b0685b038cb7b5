/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions of stripped files: the call frame information says where each begins and ends, so its
 * code can be shown without a name. */
#ifndef SESSION_ANNOTATE_BOUNDS_H
#define SESSION_ANNOTATE_BOUNDS_H

struct annotate_names_options;
struct profile;

/* Frames of files that have no function get one named by its address, "0x1149", as objdump counts.
 * What the call frame information does not know stays without. */
void annotate_bound_frames(struct profile *profile, const struct annotate_names_options *options);

#endif

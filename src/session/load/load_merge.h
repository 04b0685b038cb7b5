/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Samples that were kept apart, for what is made of them, become one again. */
#ifndef SESSION_LOAD_MERGE_H
#define SESSION_LOAD_MERGE_H

struct profile;

/* `keep` is what they keep from now on. */
void load_merge(struct profile *profile, unsigned keep);

#endif

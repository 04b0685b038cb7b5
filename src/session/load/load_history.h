/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stacks with the branches that a CPU took before a sample (LBR), as perf's --branch-history: below
 * the sampled address the target and the source of each, the last one first, then the callers,
 * without the calls that are among the branches. */
#ifndef SESSION_LOAD_LOAD_HISTORY_H
#define SESSION_LOAD_LOAD_HISTORY_H

struct event;
struct load_history;

struct load_history *load_history_new(void);
void load_history_free(struct load_history *history); /* NULL is fine */
/* A copy of a sample with such a chain, valid until the next call. All its addresses are of
 * instructions, none is a return address. A copied stack is left out. */
void load_history_set(struct load_history *history, const struct event *event, struct event *ret);

#endif

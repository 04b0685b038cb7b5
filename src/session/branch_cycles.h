/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The cycles that the CPU recorded with branches (LBR), by block of code. */
#ifndef SESSION_BRANCH_CYCLES_H
#define SESSION_BRANCH_CYCLES_H

struct block_cycles;
struct err;
struct load_options;
struct recording;

/* Of the samples that the options' filters let through, sorted. -ENODATA: no branch has cycles. */
int branch_cycles_read(struct recording *recording, const struct load_options *options,
		       struct block_cycles *ret, struct err *err);

#endif

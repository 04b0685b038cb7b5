/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Summaries of system calls: the table of `perf trace -s` with more columns, and JSON. Pure
 * functions. */
#ifndef VIEW_SYSCALL_SUMMARY_H
#define VIEW_SYSCALL_SUMMARY_H

#include "profile/syscall_sums.h"

struct buf;

struct syscall_summary_options {
	enum syscall_group_by by;
	const char *const *words; /* of the command line, for JSON */
	size_t word_count;
};

void syscall_summary_text(const struct syscall_sums *sums,
			  const struct syscall_summary_options *options, struct buf *out);
void syscall_summary_json(const struct syscall_sums *sums,
			  const struct syscall_summary_options *options, struct buf *out);

#endif

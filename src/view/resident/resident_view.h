/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the resident memory of a process is made of, as text and as JSON. Pure functions of a
 * profile that resident_sum_up() has made. */
#ifndef VIEW_RESIDENT_RESIDENT_VIEW_H
#define VIEW_RESIDENT_RESIDENT_VIEW_H

#include <stddef.h>
#include <stdint.h>

struct buf;
struct profile;
struct resident;

struct resident_view {
	const struct profile *profile;
	const struct resident *resident;
	uint32_t pid;
	uint64_t lost;		  /* samples */
	size_t rows;		  /* of each table of the text; 0 = all */
	const char *const *words; /* of the command line, for JSON */
	size_t word_count;
};

void resident_text(const struct resident_view *view, struct buf *out);
/* {"cupel":1,"command":[…],"pid":n,"resident":n,"kernel_counters":n,"faults":n,"lost":n,
 * "swapped":n,"swapped_with_stack":n,"hugetlb":n,"kinds":{"anonymous":n,…},
 * "mappings":[{"kind","path","bytes"}],"stacks":[{"bytes","kind","tid","stopped",
 * "stack":[{"function","module","inlined"}]}]}. Innermost functions first. The kinds together are
 * the resident bytes; those without a stack are the mappings. */
void resident_json(const struct resident_view *view, struct buf *out);

#endif

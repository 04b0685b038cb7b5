/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a program did with memory, as text and as JSON. Pure functions of a profile that
 * heap_sum_up() has made. */
#ifndef VIEW_HEAP_HEAP_VIEW_H
#define VIEW_HEAP_HEAP_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/heap/heap.h"

struct buf;
struct profile;

#define HEAP_VIEW_PARTS 60 /* of the time, for which live bytes are shown */

struct heap_view {
	const struct profile *profile;
	const struct heap_summary *summary;
	const struct heap_memory *memory; /* resident at the peak; NULL = unknown */
	const struct heap_oom_kill *oom;  /* that ended the run; NULL = none */
	uint64_t lost;			  /* samples */
	bool maps;			  /* memory from the kernel (profile/heap/heap_maps.h) */
	bool producer;			  /* another profiler has picked the blocks */
	size_t rows;			  /* of each table of the text; 0 = all */
	uint32_t pid;			  /* of a process that was running before; 0 = a program */
	uint64_t stopped_ns;		  /* how long it stood still for that */
	const char *const *words;	  /* of the command line, for JSON */
	size_t word_count;
};

/* Whether there is anything to say about live bytes. */
static inline bool heap_view_knows_live(const struct heap_view *view)
{
	return !view->pid || view->summary->samples;
}

void heap_text(const struct heap_view *view, struct buf *out);
/* {"cupel":1,"command":[…],"rate":n,"samples":n,"lost":n,"processes":n,"unfollowed":n,
 * "maps":true (of --maps),"producer":true (of --usdt),
 * "attached":{"pid","stopped_ns"} (of a process that was running before),
 * "oom":{"cgroup","kills","limit","most","spared"} (of --oom; 0: unknown; spared: the watched
 * process, if it was not killed),
 * "allocated":E,"allocations":E,"live":E,"peak":E,"peak_ns":n,"peak_pid":n,
 * "resident_at_peak":{"anonymous","file","shared","swapped","after_peak_ns"} (where known),
 * "lifetimes":[{"below_ns","bytes"}],"timeline":{"length_ns","live":[n]},
 * "held":[{"bytes","blocks","growth_per_s":E,"ages":[n],S}],
 * "grown":[{"calls","moved","moved_bytes","largest","grows":"step"|"factor"|"varies","amount",S}],
 * "stacks":[{"allocated","allocations","live","peak","temporary",S}]};
 * S is "stopped","stack":[{"function","module","file","line","inlined"}]; an estimate E
 * is {"value","low","high"}, the interval of 95 %, or null if samples were lost; live and peak are
 * null if they are unknown: of a process that was running before and had no sample since. Innermost
 * functions first. */
void heap_json(const struct heap_view *view, struct buf *out);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading resident memory (see heap_resident.h). */
#include "session/heap/heap_resident.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/fd.h"

#define INTERVAL_NS 20000000u
#define MOST	    65536 /* readings that are kept */

/* "RssAnon:	    1234 kB" */
static bool take(const char *status, const char *name, uint64_t *ret)
{
	const char *line = strstr(status, name);
	unsigned long long kb;

	if (!line || sscanf(line + strlen(name), "%llu kB", &kb) != 1)
		return false;
	*ret = (uint64_t)kb << 10;
	return true;
}

bool heap_memory_parse(const char *status, struct heap_memory *ret)
{
	struct heap_memory memory = { 0 };

	if (!take(status, "\nRssAnon:", &memory.anonymous) ||
	    !take(status, "\nRssFile:", &memory.file) ||
	    !take(status, "\nRssShmem:", &memory.shared))
		return false;
	(void)take(status, "\nVmSwap:", &memory.swapped); /* not built into every kernel */
	*ret = memory;
	return true;
}

static uint64_t now_ns(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now); /* cannot fail */
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Every second reading, when there are too many. */
static void thin_out(struct heap_resident *resident)
{
	size_t kept = 0;

	for (size_t i = 0; i < resident->item.count; i += 2)
		resident->item.item[kept++] = resident->item.item[i];
	resident->item.count = kept;
	resident->skip = resident->skip * 2 + 1;
}

/* A process that is gone has no memory. */
static int read_memory(void *context, struct err *err)
{
	struct heap_resident *resident = context;
	struct err ignored = { 0 };
	struct heap_memory memory;
	struct buf text = { .limit = 16384 };
	char path[32];

	(void)err;
	if (resident->turn++ % (resident->skip + 1))
		return 0;
	(void)snprintf(path, sizeof(path), "/proc/%d/status", resident->pid);
	if (!fd_read_file(path, &text, &ignored) && text.data &&
	    heap_memory_parse(text.data, &memory)) {
		memory.time_ns = now_ns();
		vec_push(&resident->item, memory);
	}
	buf_done(&text);
	if (resident->item.count >= MOST)
		thin_out(resident);
	return 0;
}

int heap_resident_attend(void *context, struct run *run, struct err *err)
{
	struct heap_resident *resident = context;

	(void)err;
	if (!resident->pid)
		resident->pid = (int)run->program.pid;
	resident->timer = (struct run_timer){ .interval_ns = INTERVAL_NS,
					      .due = read_memory,
					      .context = resident };
	run_add_timer(run, &resident->timer);
	return 0;
}

static uint64_t first_ns(const struct heap_lives *lives)
{
	uint64_t first = UINT64_MAX;

	for (size_t i = 0; i < lives->process.count; i++)
		if (lives->process.item[i].first_ns < first)
			first = lives->process.item[i].first_ns;
	return first;
}

bool heap_resident_at_peak(const struct heap_resident *resident, const struct heap_summary *summary,
			   struct heap_memory *ret)
{
	uint64_t first = first_ns(&summary->lives), peak, best = UINT64_MAX;

	if (first == UINT64_MAX || summary->peak_ns == UINT64_MAX ||
	    summary->peak_pid != (uint32_t)resident->pid)
		return false;
	peak = first + summary->peak_ns;
	for (size_t i = 0; i < resident->item.count; i++) {
		const struct heap_memory *memory = &resident->item.item[i];
		uint64_t far = memory->time_ns > peak ? memory->time_ns - peak
						      : peak - memory->time_ns;

		if (far >= best)
			continue;
		best = far;
		*ret = *memory;
		ret->after_peak_ns = (int64_t)(memory->time_ns - peak);
	}
	return best != UINT64_MAX;
}

void heap_resident_done(struct heap_resident *resident)
{
	vec_done(&resident->item);
}

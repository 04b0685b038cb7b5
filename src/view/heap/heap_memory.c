/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a heap's size does not say: resident memory at its peak, and what runtimes keep in memory
 * that they map themselves. */
#include "view/heap/heap_memory.h"

#include <inttypes.h>
#include <string.h>

#include "base/buf.h"
#include "profile/heap/heap.h"
#include "profile/profile.h"
#include "view/heap/heap_view.h"
#include "view/stack_line.h"

static void put_part(uint64_t bytes, const char *what, struct buf *out)
{
	if (!bytes)
		return;
	(void)buf_puts(out, "   ");
	bytes_put((double)bytes, 15, out);
	(void)buf_printf(out, "   %s\n", what);
}

void heap_memory_text(const struct heap_view *view, struct buf *out)
{
	const struct heap_memory *memory = view->memory;
	uint64_t resident, live;

	if (!memory)
		return;
	resident = memory->anonymous + memory->file + memory->shared;
	live = view->summary->peak.value < (double)memory->anonymous
		       ? (uint64_t)view->summary->peak.value
		       : memory->anonymous;
	(void)buf_printf(out, " %-18s", "resident then");
	bytes_put((double)resident, 9, out);
	(void)buf_printf(out, "   read %.0f ms %s the peak\n",
			 (double)(memory->after_peak_ns < 0 ? -memory->after_peak_ns
							    : memory->after_peak_ns) /
				 1e6,
			 memory->after_peak_ns < 0 ? "before" : "after");
	put_part(live,
		 view->maps ? "mapped by these calls, if all of its pages were touched"
			    : "live blocks, if all of their pages were touched",
		 out);
	put_part(memory->anonymous - live,
		 view->maps ? "other anonymous memory: the main stack, changed data of the program "
			      "and of libraries, what was there before"
			    : "other anonymous memory: freed and kept by the allocator, gaps "
			      "between blocks, mmap, stacks, changed data of libraries",
		 out);
	put_part(memory->file, "pages of mapped files, the program and its libraries", out);
	put_part(memory->shared, "shared memory", out);
	put_part(memory->swapped, "in swap, besides", out);
	if (view->summary->peak.value > (double)memory->anonymous)
		(void)buf_printf(out, "                     %s: not all of it was touched\n",
				 view->maps ? "more is mapped" : "the heap is larger");
}

/* Programs and libraries, by the beginning of their names. */
static const struct {
	const char *module, *text;
} runtimes[] = {
	{ "python3",
	  "Python keeps objects of up to 512 bytes in arenas, which it maps itself: they "
	  "are not here (PYTHONMALLOC=malloc puts them here)" },
	{ "libpython3", "Python keeps objects of up to 512 bytes in arenas, which it maps itself: "
			"they are not here (PYTHONMALLOC=malloc puts them here)" },
	{ "node", "Node's JavaScript objects are in a heap that V8 maps itself: here are buffers "
		  "and what native code allocates" },
	{ "libjvm.so", "Java's objects are in a heap that the JVM maps itself: here is what the "
		       "JVM and native libraries allocate" },
	{ "php", "PHP keeps values in chunks of 2 MiB, which it maps itself: they are not here "
		 "(USE_ZEND_ALLOC=0 puts them here)" },
	{ "libcoreclr.so", ".NET's objects are in a heap that the runtime maps itself: here is "
			   "what native code allocates" },
	{ "libgo.so", "Go's objects are in a heap that its runtime maps itself" },
};

static const char *const go_text =
	"Go's objects are in a heap that its runtime maps itself: here is "
	"what C code allocates";

static bool has_module(const struct profile *profile, const char *name)
{
	for (size_t i = 0; i < profile->modules.count; i++)
		if (strncmp(profile_string(profile, profile->modules.item[i].name), name,
			    strlen(name)) == 0)
			return true;
	return false;
}

/* Go is a part of each program. */
static bool has_cgo(const struct profile *profile)
{
	for (size_t i = 0; i < profile->frames.count; i++)
		if (strcmp(profile_string(profile, profile->frames.item[i].function),
			   "runtime.cgocall") == 0)
			return true;
	return false;
}

void heap_runtimes_text(const struct heap_view *view, struct buf *out)
{
	const char *last = NULL;

	for (size_t i = 0; i < sizeof(runtimes) / sizeof(runtimes[0]); i++) {
		if ((last && strncmp(last, runtimes[i].text, 6) == 0) ||
		    !has_module(view->profile, runtimes[i].module))
			continue;
		last = runtimes[i].text;
		(void)buf_printf(out, "\n %s\n", last);
	}
	if (has_cgo(view->profile))
		(void)buf_printf(out, "\n %s\n", go_text);
}

void heap_memory_json(const struct heap_view *view, struct buf *out)
{
	const struct heap_memory *memory = view->memory;

	if (memory)
		(void)buf_printf(out,
				 ", \"resident_at_peak\": { \"anonymous\": %" PRIu64
				 ", \"file\": %" PRIu64 ", \"shared\": %" PRIu64
				 ", \"swapped\": %" PRIu64 ", \"after_peak_ns\": %" PRId64 " }",
				 memory->anonymous, memory->file, memory->shared, memory->swapped,
				 memory->after_peak_ns);
}

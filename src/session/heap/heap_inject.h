/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The library of heap/injected.h in a running process: how it gets there, without a file in the
 * process's folders and without its loader, and how its functions are called. For one thread, which
 * traces the process during a call. */
#ifndef SESSION_HEAP_HEAP_INJECT_H
#define SESSION_HEAP_HEAP_INJECT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct err;

struct heap_injected {
	pid_t pid;
	uint64_t rate, token; /* set by the caller; rate 0 = every block */
	uint64_t owner;	      /* a process, while which lives no other may do the same */
	uint64_t start, end;  /* of the library's code, as a name of /proc/PID/map_files */
	uint64_t base;	      /* where the library is */
	uint64_t headers, header_count; /* of the program */
	uint64_t loader, objects;	/* what it has loaded */
	uint64_t slots;			/* places where the allocator is called by its address */
	uint64_t own_malloc;		/* the program has a malloc of its own */
	uint64_t stopped_ns;		/* how long the process stood still, the longest time */
};

/* Puts it there, or finds the one of an earlier run, and lets calls of the allocator go through it.
 * If that fails nothing stays. */
int heap_inject_begin(struct heap_injected *injected, struct err *err);
/* Whether the process loaded or unloaded objects since the last call of this and the others. */
bool heap_inject_changed(struct heap_injected *injected);
/* The same for objects that were loaded since. */
int heap_inject_repeat(struct heap_injected *injected, struct err *err);
/* Calls go to the allocator again. The library stays, because threads may be in it. */
int heap_inject_end(struct heap_injected *injected, struct err *err);

#endif

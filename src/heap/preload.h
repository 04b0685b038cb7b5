/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The interface between the preloaded library (heap/preload.c) and the profiler: the environment
 * that it starts with, and the functions that do nothing, where bpf/heap.bpf.c watches. */
#ifndef HEAP_PRELOAD_H
#define HEAP_PRELOAD_H

/* "RATE,TOKEN,ALONE" in hexadecimal digits: a sample is due after RATE bytes on average, and 0
 * samples each allocation; TOKEN is of this run of the profiler. ALONE is 1 if programs that the
 * program starts are not to load the library. It and LD_PRELOAD, of which the first name is the
 * library's, are removed before the program begins. */
#define HEAP_VARIABLE "CUPEL_HEAP"

/* Its file, in a folder of each run. */
#define HEAP_LIBRARY "libcupel_heap.so"

/* Third argument of all of them: the token. */
#define HEAP_ALLOC_PROBE                                                                           \
	"cupel_heap_alloc"		   /* address (0 = its end will not be seen), size, token, \
					      and the bytes that it stands for */
#define HEAP_FREE_PROBE	 "cupel_heap_free" /* address */
#define HEAP_START_PROBE "cupel_heap_start" /* HEAP_START_OWN_… or a size, HEAP_START_… */

#endif

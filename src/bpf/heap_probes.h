/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The interface between bpf/heap.bpf.c and source/heap/heap_source.c, besides the records of
 * bpf/cpu.h. */
#ifndef BPF_HEAP_PROBES_H
#define BPF_HEAP_PROBES_H

/* Cookies of the probes. */
enum heap_probe { HEAP_AT_ALLOC, HEAP_AT_FREE, HEAP_AT_START, HEAP_PROBES };

#define HEAP_PROGRAMS 1024 /* that did not load the library, listed by name */

struct heap_program_name {
	char text[128];
};

#endif

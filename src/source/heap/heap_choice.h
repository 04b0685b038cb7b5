/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which blocks of memory the source "heap" samples. */
#ifndef SOURCE_HEAP_HEAP_CHOICE_H
#define SOURCE_HEAP_HEAP_CHOICE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct heap_choice {
	const char *object; /* path of the preloaded library */
	uint64_t rate;	    /* bytes from sample to sample on average; 0 = every block */
	uint64_t token;	    /* that the library got */
	bool alone;	    /* programs that the program starts have no library */
	pid_t pid;	    /* a running process that got it; 0 = programs load it */
};

/* The bytes that a sampled block of that size stands for. */
uint64_t heap_weight(uint64_t size, uint64_t rate);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The interface between the library that is put into a running process (heap/injected.c) and what
 * puts it there. Functions of the library are called while all threads of the process are stopped,
 * at any place: they use no other code of it and no locks. */
#ifndef HEAP_INJECTED_H
#define HEAP_INJECTED_H

#include <stdint.h>

/* /proc/PID/maps has it as "/memfd:NAME (deleted)". */
#define HEAP_INJECT_NAME "libcupel_heap_attach.so"

/* Jumped to, with a request, 0, 0, and the function to call in place of a function's first four
 * arguments, and a stack. At its end it makes the system call -1, with what the function returned
 * as its first argument. */
#define HEAP_INJECT_ENTER "cupel_heap_enter"
/* uint64_t (struct heap_inject *): enum heap_inject_result. */
#define HEAP_INJECT_BEGIN  "cupel_heap_begin"  /* calls of the allocator go through the library */
#define HEAP_INJECT_REPEAT "cupel_heap_repeat" /* also those of objects loaded since */
#define HEAP_INJECT_END	   "cupel_heap_end"    /* they do not any more */
/* uint64_t: the process that called HEAP_INJECT_BEGIN; 0 after HEAP_INJECT_END. */
#define HEAP_INJECT_OWNER "cupel_heap_owner"

enum heap_inject_result {
	HEAP_INJECT_DONE,
	HEAP_INJECT_STATIC, /* no loader, so no tables of addresses */
	HEAP_INJECT_BUSY,   /* the loader is at work: try again */
	HEAP_INJECT_NO_MALLOC,
	HEAP_INJECT_NO_SLOT, /* nothing calls the allocator through a table */
};

struct heap_inject {
	uint64_t headers, header_count; /* AT_PHDR, AT_PHNUM */
	uint64_t rate;			/* 0 = every block */
	uint64_t token, seed, owner;
	/* Set by the call. */
	uint64_t loader;     /* address of the loader's struct r_debug */
	uint64_t objects;    /* that are loaded */
	uint64_t slots;	     /* addresses that were replaced */
	uint64_t own_malloc; /* the program has a malloc of its own */
};

#endif

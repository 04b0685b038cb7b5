/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The bytes of the library of heap/injected.h, and how they get into a stopped process: as a file
 * in memory that the process makes itself, so that it needs no folder. Its own loader does not know
 * of it. */
#ifndef SESSION_HEAP_INJECT_IMAGE_H
#define SESSION_HEAP_INJECT_IMAGE_H

#include <stdbool.h>
#include <stdint.h>

struct err;
struct heap_injected;
struct remote;

/* Whether the process can be stopped and take the library; sets pid, headers and header_count. */
int inject_image_check(struct heap_injected *injected, struct err *err);
/* Sets base, start and end. scratch: a page of the process to write to. *fresh: it was not there
 * already. */
int inject_image_place(struct remote *remote, struct heap_injected *injected, uint64_t scratch,
		       bool *fresh, struct err *err);
/* Only if no thread has been in it. */
void inject_image_remove(struct remote *remote, const struct heap_injected *injected);
/* Relative to the base. */
uint64_t inject_image_symbol(const char *name);

#endif

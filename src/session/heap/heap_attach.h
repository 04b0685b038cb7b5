/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Watching the allocator of a running process: a process of our own puts the library there, follows
 * what the process loads, and restores it when this one asks or has ended in any way, SIGKILL
 * included. */
#ifndef SESSION_HEAP_HEAP_ATTACH_H
#define SESSION_HEAP_HEAP_ATTACH_H

#include <limits.h>

#include "session/heap/heap_inject.h"
#include "source/heap/heap_choice.h"

struct err;

struct heap_attach {
	struct heap_choice choice;
	struct heap_injected injected; /* as it was when it was put there */
	char object[64];	       /* its code, as a file */
	pid_t watcher;
	int socket;
};

/* Call it before starting threads. rate 0 = every block. A refusal says why. */
int heap_attach_begin(struct heap_attach *attach, pid_t pid, uint64_t rate, struct err *err);
/* Restores the process. Harmless after a failure. */
void heap_attach_end(struct heap_attach *attach);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Text that is longer than the terminal, through a pager: CUPEL_PAGER, else PERF_PAGER, else PAGER,
 * else less. Each may be empty or "cat": none. `cupel --no-pager COMMAND`: none either. */
#ifndef COMMAND_PAGER_H
#define COMMAND_PAGER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/buf.h"

/* A process that becomes the pager when there is text for it. All zero: there is none. */
struct pager {
	pid_t pid;	 /* 0 = none */
	int fd;		 /* the end of a pipe to it */
	size_t rows;	 /* of the terminal */
	size_t lines;	 /* of the text in `held` */
	struct buf held; /* less than a screen, so far */
	bool shown;	 /* it runs */
	bool left;	 /* and has been left before the end of the text */
};

/* Starts the process, if standard output is a terminal that wants a pager. */
void pager_start(struct pager *pager);
/* Requires pager->pid. Nothing is written once the pager has been left. */
void pager_write(struct pager *pager, const char *data, size_t len);
/* Waits until the user leaves the pager; less than a screen is written to the terminal. 0 or
 * -errno of that. */
int pager_end(struct pager *pager);

/* True if text of so many lines, with the terminal's `rows`, goes through this pager. */
bool pager_is_wanted(const char *pager, const char *term, size_t lines, size_t rows);

#endif

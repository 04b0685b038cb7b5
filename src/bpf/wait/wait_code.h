/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What user space finds in binaries for the code that a wait on a condition is in: whether a
 * runtime waits for a lock there. A process is known by its entry for pc 0. */
#ifndef BPF_WAIT_CODE_H
#define BPF_WAIT_CODE_H

#include <linux/types.h>

#include "unwind/rule.h"

enum wait_verdict {
	WAIT_CODE_ASKED,  /* user space knows that it is to be found */
	WAIT_CODE_CALLER, /* its caller decides; of a process: it has such a runtime */
	WAIT_CODE_LOCK,	  /* a lock */
	WAIT_CODE_OTHER,  /* no lock, or not known; of a process: it has none */
};

#define WAIT_CODE_MOST	 8192 /* entries */
#define WAIT_CODE_FRAMES 8    /* that are looked at */

struct wait_code_key {
	__u64 pc; /* of a frame: a return address */
	__u32 tgid, unused;
};

struct wait_code {
	struct unwind_rule rule; /* WAIT_CODE_CALLER: the way to it */
	__u32 verdict, unused;
};

#endif

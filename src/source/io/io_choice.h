/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the source "io" watches. All zero is the default. */
#ifndef SOURCE_IO_CHOICE_H
#define SOURCE_IO_CHOICE_H

#include <stdint.h>

#include "event/io_request.h"
#include "event/syscall.h"

struct io_choice {
	uint64_t slower_ns; /* requests that take this long also come one by one; 0 = none */
	uint64_t cgroup_id; /* 0 = any */
};

/* What native system calls are, by number. */
void io_roles(struct io_role ret[SYSCALL_NUMBERS]);

#endif

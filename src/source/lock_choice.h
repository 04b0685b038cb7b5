/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which waits for locks the source "lock" sums up. */
#ifndef SOURCE_LOCK_LOCK_CHOICE_H
#define SOURCE_LOCK_LOCK_CHOICE_H

#include <stdbool.h>
#include <stdint.h>

struct probe_choice;

struct lock_choice {
	bool user, kernel;		 /* locks of programs, of the kernel */
	uint64_t least_ns;		 /* shorter waits are left out */
	uint64_t address;		 /* of the one lock that is meant; 0 = all */
	const struct probe_choice *hold; /* functions that take and let go; NULL = no hold times */
	bool kernel_hold;		 /* hold times of the kernel's locks, where it has probes */
	bool no_user_stacks;		 /* stacks have their part in the kernel alone */
	uint64_t cgroup_id; /* inode number of a folder of cgroups version 2; 0 = any */
};

#endif

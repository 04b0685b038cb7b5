/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Branches as samples: the bits of profile_sample.addr. */
#ifndef PROFILE_BRANCH_H
#define PROFILE_BRANCH_H

/* A branch is a sample with the source as its stack and, as its caller, the target.
 */
enum profile_branch {
	PROFILE_BRANCH_SWAPPED =
		1, /* source and target are swapped: from user space into the kernel */
	PROFILE_BRANCH_MISPREDICTED = 2,
	PROFILE_BRANCH_PREDICTED = 4,
	PROFILE_BRANCH_IN_TRANSACTION = 8,
	PROFILE_BRANCH_ABORT = 16,
	PROFILE_BRANCH_CYCLES_SHIFT = 16, /* cycles since the branch before are above */
};

#endif

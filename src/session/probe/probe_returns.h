/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How the returns of a function are probed. The kernel's way is to replace the return address. That
 * is cheap, but no exception passes it: the program dies, no matter in which file the function is.
 * And the kernel follows 64 of them of a thread. So it is taken for functions that nothing unknown
 * is called by, and not they themselves. Of others, the instructions that return are probed, also
 * those of functions that they jump to at their end. */
#ifndef SESSION_PROBE_PROBE_RETURNS_H
#define SESSION_PROBE_PROBE_RETURNS_H

#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

struct probe_binary;
struct probe_code;

enum probe_returns_way {
	PROBE_RETURNS_ADDRESS, /* at the return address */
	PROBE_RETURNS_EXITS,   /* at the exits */
	PROBE_RETURNS_SHARED,  /* likewise; other functions have some of the exits, too */
	PROBE_RETURNS_JUMPS,   /* likewise, but it also ends at these jumps to anywhere */
	PROBE_RETURNS_UNSURE,  /* its code is not clear */
};

struct probe_returns {
	enum probe_returns_way way;
	VEC(uint64_t) exits, jumps; /* addresses */
};

/* part[0] is the function, the others are pieces of it. To be freed in any case. */
void probe_returns_find(struct probe_binary *binary, const struct probe_code *part, size_t parts,
			struct probe_returns *ret);
void probe_returns_done(struct probe_returns *returns);

#endif

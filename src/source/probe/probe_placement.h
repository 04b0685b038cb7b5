/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where in a function a probe costs least. The kernel replaces an instruction by a trap; some
 * instructions it emulates, others it executes elsewhere in single steps, which takes ten times as
 * long. So the probe moves past instructions that change nothing it shows: the registers of the
 * arguments, the stack pointer and memory are the same, and every call comes by exactly once.
 * Reads untrusted bytes.
 * No probe is at a nop of five bytes: Linux 6.18 replaces it by a call to a page that children of
 * fork() do not have, so they crash (tried; not with any other instruction). */
#ifndef SOURCE_PROBE_PROBE_PLACEMENT_H
#define SOURCE_PROBE_PROBE_PLACEMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct probe_code {
	uint64_t address;
	const uint8_t *code;
	size_t len;
};

enum probe_cost {
	PROBE_COST_EMULATED, /* a trap */
	PROBE_COST_STEPPED,  /* two traps */
	PROBE_COST_UNKNOWN,
	PROBE_COST_REFUSED, /* the kernel does not probe it, or the program would be harmed */
};

struct probe_placement {
	uint32_t offset; /* behind the function's first byte */
	enum probe_cost cost;
	const char *instruction; /* at the place: "push", "nop" */
	const char *stays;	 /* why a dear place was kept; NULL = no reason */
};

/* part[0] is the function; the others are pieces of it that lie elsewhere (NAME.cold). */
void probe_place(const struct probe_code *part, size_t count, struct probe_placement *ret);
/* Whether an instruction starts at that offset of the function. Else ret: the starts of the nearest
 * ones, below and above; the second is below, too, when its code cannot be decoded. */
bool probe_is_start(const struct probe_code *function, uint64_t offset, uint64_t ret[2]);
/* Without moving. */
enum probe_cost probe_cost(const uint8_t *code, size_t len, const char **ret_instruction);
const char *probe_cost_name(enum probe_cost cost);

#endif

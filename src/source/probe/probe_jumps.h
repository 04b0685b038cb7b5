/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where code jumps to or calls: whether a place inside a function is reached from outside of it, as
 * in functions written in assembly. Reads untrusted bytes. */
#ifndef SOURCE_PROBE_PROBE_JUMPS_H
#define SOURCE_PROBE_PROBE_JUMPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct probe_code;

/* One bit for each byte of the code that was added. */
struct probe_jumps {
	uint64_t address;
	size_t len;
	uint8_t *targets;
};

/* Decodes the code from its start, and anew from each of the ascending starts of functions. */
void probe_jumps_read(const struct probe_code *code, const uint64_t *start, size_t count,
		      struct probe_jumps *ret);
/* Whether anything leads to a byte in (after, last]. */
bool probe_jumps_between(const struct probe_jumps *jumps, uint64_t after, uint64_t last);
void probe_jumps_done(struct probe_jumps *jumps);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* See probe_jumps.h. */
#include "source/probe/probe_jumps.h"

#include <stdlib.h>

#include "base/arena.h"
#include "source/probe/probe_placement.h"
#include "unwind/arch/instruction.h"

static void note(struct probe_jumps *jumps, uint64_t target)
{
	uint64_t at = target - jumps->address;

	if (at < jumps->len)
		jumps->targets[at / 8] |= (uint8_t)(1u << at % 8);
}

void probe_jumps_read(const struct probe_code *code, const uint64_t *start, size_t count,
		      struct probe_jumps *ret)
{
	size_t next = 0;

	*ret = (struct probe_jumps){ .address = code->address,
				     .len = code->len,
				     .targets = mem_zalloc(code->len / 8 + 1) };
	for (size_t at = 0; at < code->len;) {
		struct instruction decoded;
		size_t len = 1;

		if (instruction_decode(code->code + at, code->len - at, &decoded)) {
			len = decoded.len;
			if (decoded.has_target)
				note(ret, code->address + at + (uint64_t)decoded.target);
		}
		while (next < count && start[next] <= code->address + at)
			next++;
		at += len;
		if (next < count && start[next] < code->address + at)
			at = (size_t)(start[next] - code->address);
	}
}

bool probe_jumps_between(const struct probe_jumps *jumps, uint64_t after, uint64_t last)
{
	for (uint64_t address = after + 1; address <= last; address++) {
		uint64_t at = address - jumps->address;

		if (at < jumps->len && jumps->targets[at / 8] & 1u << at % 8)
			return true;
	}
	return false;
}

void probe_jumps_done(struct probe_jumps *jumps)
{
	free(jumps->targets);
	*jumps = (struct probe_jumps){ 0 };
}

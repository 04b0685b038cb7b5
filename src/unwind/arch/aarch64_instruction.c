/* SPDX-License-Identifier: GPL-2.0-or-later */
/* arm64: no instruction is decoded, so code without a table has no derived rules: frame pointers
 * and the sequences in aarch64.c remain. */
#include "unwind/arch/instruction.h"

bool instruction_decode(const uint8_t *at, size_t len, struct instruction *ret)
{
	(void)at;
	(void)len;
	(void)ret;
	return false;
}

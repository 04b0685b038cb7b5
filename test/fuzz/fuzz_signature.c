/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Symbols of a binary against a function that was asked for: two lines of text. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "session/probe/probe_signature.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *symbol = mem_alloc(size + 1), *wanted;

	if (size)
		memcpy(symbol, data, size);
	symbol[size] = '\0';
	wanted = strchr(symbol, '\n');
	if (wanted)
		*wanted++ = '\0';
	else
		wanted = symbol;
	(void)probe_name_matches(symbol, wanted, true);
	(void)probe_signature_matches(symbol, wanted);
	free(probe_signature(symbol));
	free(symbol);
	return 0;
}

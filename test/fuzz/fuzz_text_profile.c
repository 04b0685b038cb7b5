/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reports in plain text and callgrind's files: any bytes to the reader that the first byte picks,
 * and what came of them written and read back. */
#include "round_trip.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const names[] = { "callgrind", "dtrace",  "sample",	    "call-csv",
					     "ghcprof",	  "xctrace", "instruments", "perf-sched" };

	if (size) /* the digit of its place */
		round_trip_bytes(format_find(names[data[0] % 8]), data + 1, size - 1);
	return 0;
}

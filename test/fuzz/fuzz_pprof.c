/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pprof profiles, the old kinds too: any bytes, and what came of them written and read back. */
#include "round_trip.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	round_trip_bytes(format_find("pprof"), data, size);
	round_trip_bytes(format_find("gperftools"), data, size);
	return 0;
}

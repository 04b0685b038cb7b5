/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pprof profiles: any bytes, and what came of them written and read back. */
#include <unistd.h>

#include "format/pprof/pprof.h"
#include "round_trip.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct profile *profile = profile_new(size & 1 ? PROFILE_KEEP_TIME : 0);
	struct input *input = input_memory(data, size);
	struct err err = { 0 };

	(void)pprof_sniff(data, size);
	if (!pprof_read(input, profile, &err)) {
		round_trip(profile, "pprof");
		round_trip(profile, "speedscope");
		round_trip(profile, "firefox");
		round_trip(profile, "chrome-trace");
	}
	input_close(input);
	profile_free(profile);
	return 0;
}

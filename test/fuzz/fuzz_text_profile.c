/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reports in plain text and callgrind's files: any bytes to the reader that the first byte picks,
 * and what came of them written and read back. */
#include <unistd.h>

#include "round_trip.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const names[] = { "dtrace",	"sample",      "call-csv", "ghcprof",
					     "xctrace", "instruments", "callgrind" };
	const struct format_ops *format;
	struct profile *profile;
	struct input *input;
	struct err err = { 0 };

	if (!size)
		return 0;
	format = format_find(names[data[0] % (sizeof(names) / sizeof(names[0]))]);
	profile = profile_new(0);
	input = input_memory(data + 1, size - 1);
	(void)format->sniff(data + 1, size - 1);
	if (!format->read(input, profile, &err)) {
		struct fold_options fold = { .all_events = true };
		struct buf out = { .limit = 64 << 20 };

		round_trip(profile, "speedscope");
		(void)format_find("callgrind")->write(profile, &fold, &out, &err);
		buf_done(&out);
	}
	input_close(input);
	profile_free(profile);
	return 0;
}

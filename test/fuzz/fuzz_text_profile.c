/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reports in plain text and callgrind's files: any bytes to the format that recognises them, else
 * to the one that the first byte picks, and what came of them written and read back. */
#include "round_trip.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct format_ops *format = format_sniff(data, size);
	size_t count = 0;

	while (format_all()[count])
		count++;
	if (!format && size)
		format = format_all()[data[0] % count];
	if (format && format->sniff && format->read)
		round_trip_bytes(format, data, size);
	return 0;
}

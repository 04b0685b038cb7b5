/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files of trace-cmd: their parts, their events, and the recording made from them. */
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include "base/err.h"
#include "format/ftrace/trace_dat.h"
#include "session/ftrace/trace_dat_load.h"

static void read_all(const struct trace_dat *dat)
{
	for (size_t i = 0; i < dat->cpus.count; i++) {
		struct trace_dat_reader reader;
		struct trace_dat_event event;
		volatile uint8_t sum = 0;

		trace_dat_reader_init(&reader, dat, &dat->cpus.item[i]);
		while (trace_dat_next(&reader, &event))
			for (uint32_t j = 0; j < event.len; j++)
				sum = (uint8_t)(sum + event.data[j]);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct trace_dat *dat;
	struct err err = { 0 };
	int fd;

	if (trace_dat_open(data, size, &dat, &err) == 0) {
		read_all(dat);
		trace_dat_free(dat);
	}
	fd = trace_dat_load(data, size, &err);
	if (fd >= 0)
		(void)close(fd);
	return 0;
}

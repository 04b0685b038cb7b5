/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ftrace's text: whether it is some, its fields, and the recording made from it. */
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include "base/err.h"
#include "format/ftrace/trace_text.h"
#include "session/ftrace/trace_text_load.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct err err = { 0 };
	int fd;

	(void)trace_text_is(data, size);
	fd = trace_text_load(data, size, &err);
	if (fd >= 0)
		(void)close(fd);
	return 0;
}

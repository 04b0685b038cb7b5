/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The CPU's identity on arm64: the main ID register, as the kernel shows it in sysfs. */
#include "format/perf_data/perf_data_write_feature.h"

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/fd.h"

bool perf_feature_cpu_id(char *ret, size_t size)
{
	struct buf text = { .limit = 64 };
	struct err ignored;
	bool found;

	found = fd_read_file("/sys/devices/system/cpu/cpu0/regs/identification/midr_el1", &text,
			     &ignored) == 0 &&
		text.len > 1;
	if (found)
		(void)snprintf(ret, size, "%.*s", (int)strcspn(text.data, "\n"), text.data);
	buf_done(&text);
	return found;
}

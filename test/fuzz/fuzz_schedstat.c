/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Readings of /proc/schedstat, their difference and their tables. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "format/schedstat_read.h"
#include "profile/sched/schedstat.h"
#include "view/sched/schedstat_table.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = mem_alloc(size); /* no NUL: nothing may look past the end */
	const char *at = text;
	struct schedstat first, second, between;
	struct err err = { 0 };
	struct buf out = { 0 };

	memcpy(text, data, size);
	if (!schedstat_read(&at, text + size, &first, &err)) {
		if (!schedstat_read(&at, text + size, &second, &err)) {
			schedstat_between(&first, &second, &between);
			schedstat_report(&between, &out);
			schedstat_compare(&between, &between, &out);
			schedstat_done(&between);
			schedstat_done(&second);
		}
		schedstat_done(&first);
	}
	buf_done(&out);
	free(text);
	return 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Times in the scheduler's tables (see sched_time_text.h). */
#include "view/sched/sched_time_text.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/buf.h"

void sched_put_ms(struct buf *ret, uint64_t ns, int width)
{
	(void)buf_printf(ret, "%*" PRIu64 ".%03" PRIu64, width, ns / 1000000, ns / 1000 % 1000);
}

void sched_put_time(struct buf *ret, uint64_t ns, int width)
{
	char text[32];

	(void)snprintf(text, sizeof(text), "%" PRIu64 ".%06" PRIu64, ns / 1000000000,
		       ns / 1000 % 1000000);
	(void)buf_printf(ret, "%*s", width, text);
}

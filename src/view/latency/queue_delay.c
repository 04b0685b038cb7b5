/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Long waits for a CPU (see queue_delay.h). */
#include "view/latency/queue_delay.h"

#include <inttypes.h>
#include <string.h>

#include "base/buf.h"

void queue_delay_heading(bool previous, struct buf *ret)
{
	(void)buf_printf(ret, "%-8s %-16s %-6s %14s", "TIME", "COMM", "TID", "LAT(us)");
	if (previous)
		(void)buf_printf(ret, " %-16s %-6s", "PREV COMM", "PREV TID");
	(void)buf_putc(ret, '\n');
}

static void put_comm(const char *comm, struct buf *ret)
{
	(void)buf_put_tidy(ret, comm);
	(void)buf_pad(ret, ' ', 16 - strlen(comm));
}

void queue_delay_text(const struct queue_delay *delay, const char *time, bool previous,
		      struct buf *ret)
{
	(void)buf_printf(ret, "%-8s ", time);
	put_comm(delay->comm, ret);
	(void)buf_printf(ret, " %-6" PRIu32 " %14" PRIu64, delay->tid, delay->delay_ns / 1000);
	if (previous) {
		(void)buf_putc(ret, ' ');
		put_comm(delay->previous_comm, ret);
		(void)buf_printf(ret, " %-6" PRIu32, delay->previous_tid);
	}
	(void)buf_putc(ret, '\n');
}

void queue_delay_json(const struct queue_delay *delay, struct buf *ret)
{
	(void)buf_printf(ret,
			 "{\"cupel\":1,\"time_ns\":%" PRIu64 ",\"pid\":%" PRIu32 ",\"tid\":%" PRIu32
			 ",\"comm\":",
			 delay->time_ns, delay->pid, delay->tid);
	(void)buf_put_json(ret, delay->comm);
	(void)buf_printf(ret,
			 ",\"delay_ns\":%" PRIu64 ",\"cpu\":%" PRIu32
			 ",\"previous\":{\"tid\":%" PRIu32 ",\"comm\":",
			 delay->delay_ns, delay->cpu, delay->previous_tid);
	(void)buf_put_json(ret, delay->previous_comm);
	(void)buf_puts(ret, "}}\n");
}

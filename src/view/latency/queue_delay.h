/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Long waits for a CPU, one by one, in the layout of BCC's runqslower or as JSON lines. */
#ifndef VIEW_QUEUE_DELAY_H
#define VIEW_QUEUE_DELAY_H

#include <stdbool.h>
#include <stdint.h>

struct buf;

struct queue_delay {
	uint64_t time_ns, delay_ns;
	uint32_t pid, tid, cpu, previous_tid; /* previous: the thread that left that CPU */
	const char *comm, *previous_comm;
};

void queue_delay_heading(bool previous, struct buf *ret);
/* time: of day. */
void queue_delay_text(const struct queue_delay *delay, const char *time, bool previous,
		      struct buf *ret);
/* {"cupel":1,"time_ns":n,"pid":n,"tid":n,"comm":"…","delay_ns":n,"cpu":n,
 * "previous":{"tid":n,"comm":"…"}} */
void queue_delay_json(const struct queue_delay *delay, struct buf *ret);

#endif

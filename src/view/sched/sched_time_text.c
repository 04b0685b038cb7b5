/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Times in the scheduler's tables (see sched_time_text.h). */
#include "view/sched/sched_time_text.h"

#include <inttypes.h>

#include "base/buf.h"
#include "profile/sched/sched.h"

#define TEXT_MAX 64

/* Tables have millions of times: no printf. */
static void put_fixed(struct buf *ret, uint64_t value, unsigned decimals, int width)
{
	char text[TEXT_MAX];
	size_t i = sizeof(text);

	for (; decimals; decimals--, value /= 10)
		text[--i] = (char)('0' + value % 10);
	text[--i] = '.';
	do {
		text[--i] = (char)('0' + value % 10);
		value /= 10;
	} while (value);
	while (i && sizeof(text) - i < (size_t)width)
		text[--i] = ' ';
	(void)buf_append(ret, text + i, sizeof(text) - i);
}

void sched_put_ms(struct buf *ret, uint64_t ns, int width)
{
	put_fixed(ret, ns / 1000, 3, width + 4);
}

void sched_put_time(struct buf *ret, uint64_t ns, int width)
{
	put_fixed(ret, ns / 1000, 6, width);
}

void sched_put_cpu(struct buf *ret, uint32_t cpu)
{
	char text[] = "[0000]";

	if (cpu >= 10000) {
		(void)buf_printf(ret, "[%" PRIu32 "]", cpu);
		return;
	}
	for (size_t i = 4; i; i--, cpu /= 10)
		text[i] = (char)('0' + cpu % 10);
	(void)buf_append(ret, text, sizeof(text) - 1);
}

void sched_put_task(struct buf *ret, const struct sched_task *task)
{
	if (sched_is_idle(task)) {
		(void)buf_puts(ret, "<idle>");
		return;
	}
	(void)buf_puts(ret, task->comm);
	(void)buf_putc(ret, '[');
	(void)buf_put_u64(ret, task->tid);
	if (task->pid != task->tid && task->pid != UINT32_MAX) {
		(void)buf_putc(ret, '/');
		(void)buf_put_u64(ret, task->pid);
	}
	(void)buf_putc(ret, ']');
}

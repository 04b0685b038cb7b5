/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines of accesses (see access_dump.h). */
#include "view/access/access_dump.h"

#include <inttypes.h>

#include "base/buf.h"
#include "profile/profile.h"

static void put_heading(const struct access_dump_options *options, struct buf *ret)
{
	(void)buf_printf(ret, "# PID, TID, IP, ADDR, %s%sLOCAL WEIGHT, DSRC, SYMBOL\n",
			 options->phys ? "PHYS ADDR, " : "",
			 options->page_size ? "DATA PAGE SIZE, " : "");
}

static void put_line(const struct profile *p, const struct profile_sample *sample,
		     const struct access_dump_options *options, struct buf *ret)
{
	const char *separator = options->separator ? options->separator : " ";
	const struct profile_access *access = &p->accesses.item[sample->addr];
	const struct profile_thread *thread = &p->threads.item[sample->thread.v];
	const struct frame *frame = &p->frames.item[p->nodes.item[sample->stack.v].frame.v];
	bool known = sample->stack.v != STACK_EMPTY.v;
	int wide = options->separator ? 0 : 5;

	(void)buf_printf(ret, "%*d%s%*d%s0x%" PRIx64 "%s0x%" PRIx64 "%s", wide, (int)thread->pid,
			 separator, wide, (int)thread->tid, separator, known ? frame->pc : 0,
			 separator, access->addr, separator);
	if (options->phys)
		(void)buf_printf(ret, "0x%" PRIx64 "%s", access->phys, separator);
	if (options->page_size)
		(void)buf_printf(ret, "%" PRIu64 "%s", access->page_bytes, separator);
	(void)buf_printf(ret, "%*" PRIu32 "%s0x%" PRIx64 "%s", wide, access->weight, separator,
			 access->data_src, separator);
	(void)buf_puts(ret, known ? profile_string(p, p->modules.item[frame->module].path) : "???");
	(void)buf_putc(ret, ':');
	(void)buf_puts(ret,
		       known && frame->function.v ? profile_string(p, frame->function) : "???");
	(void)buf_putc(ret, '\n');
}

void access_dump(const struct profile *profile, const struct access_dump_options *options,
		 struct buf *ret)
{
	put_heading(options, ret);
	for (size_t i = 0; i < profile->samples.count; i++)
		if (profile->samples.item[i].addr < profile->accesses.count)
			put_line(profile, &profile->samples.item[i], options, ret);
}

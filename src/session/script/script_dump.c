/* SPDX-License-Identifier: GPL-2.0-or-later */
/* script -D: each record as bytes and decoded, in perf's layout. Records of another byte order are
 * converted to that of this machine. */
#include <ctype.h>
#include <inttypes.h>

#include "event/perf_record.h"
#include "format/perf_data/perf_data.h"
#include "proc/module.h"
#include "proc/proc.h"
#include "session/script/script_private.h"

#define BYTES_PER_LINE 16

static void put_bytes(struct buf *out, const struct perf_event_header *header)
{
	const uint8_t *bytes = (const uint8_t *)header;

	for (size_t at = 0; at < header->size; at += BYTES_PER_LINE) {
		size_t end = at + BYTES_PER_LINE;

		(void)buf_printf(out, ".  %04zx: ", at);
		for (size_t i = at; i < end; i++)
			if (i < header->size)
				(void)buf_printf(out, " %02x", bytes[i]);
			else
				(void)buf_puts(out, "   ");
		(void)buf_puts(out, "  ");
		for (size_t i = at; i < end; i++)
			(void)buf_putc(out, i >= header->size	? ' '
					    : isprint(bytes[i]) ? (char)bytes[i]
								: '.');
		(void)buf_putc(out, '\n');
	}
}

static void put_branches(struct buf *out, const struct event_sample *sample)
{
	(void)buf_printf(out, "... branch stack: nr:%" PRIu64 "\n", sample->branch_len);
	for (uint64_t i = 0; i < sample->branch_len; i++) {
		const struct perf_branch_entry *b = &sample->branch[i];

		(void)buf_printf(
			out, "..... %2" PRIu64 ": %016llx -> %016llx %hu cycles %s%s%s%s\n", i,
			b->from, b->to, (unsigned short)b->cycles, b->mispred ? "M" : " ",
			b->predicted ? "P" : " ", b->abort ? "A" : " ", b->in_tx ? "T" : " ");
	}
}

static void put_sample(struct buf *out, const struct replay_sample *sample)
{
	const struct event *event = sample->event;
	const struct event_sample *s = &event->sample;

	(void)buf_printf(out,
			 "PERF_RECORD_SAMPLE(IP, 0x%x): %d/%d: %#" PRIx64 " period: %" PRIu64
			 " addr: %#" PRIx64 "\n",
			 event->misc, (int)event->pid, (int)event->tid, s->ip, s->period, s->addr);
	if (s->chain) {
		(void)buf_printf(out, "... FP chain: nr:%u\n", s->chain_len);
		for (uint32_t i = 0; i < s->chain_len; i++)
			(void)buf_printf(out, "..... %2u: %016" PRIx64 "\n", i, s->chain[i]);
	}
	if (s->branch)
		put_branches(out, s);
	if (s->user_regs)
		(void)buf_printf(out, "... user regs: mask 0x%" PRIx64 " ABI %" PRIu64 "\n",
				 s->user_mask, s->user_abi);
	if (s->stack)
		(void)buf_printf(out, "... ustack: size %" PRIu64 "\n", s->stack_len);
	(void)buf_puts(out, " ... thread: ");
	(void)buf_put_tidy(out, sample->thread->comm);
	(void)buf_printf(out, ":%d\n ...... dso: ", (int)event->tid);
	(void)buf_put_tidy(out, sample->ip.module->path);
	(void)buf_putc(out, '\n');
}

void script_put_dump(struct script *script, const struct event *event,
		     const struct replay_sample *sample)
{
	const struct perf_event_header *header = event->raw;
	struct buf *out = &script->out;
	char number[24];
	size_t start;

	if (!header)
		return; /* not a record of the file */
	(void)buf_printf(out,
			 "\n%#" PRIx64 "@%s [%#x]: event: %u\n.\n. ... raw event: size %u bytes\n",
			 event->file_offset, script->options->name, header->size, header->type,
			 header->size);
	put_bytes(out, header);
	(void)buf_putc(out, '\n');
	if (event->desc && (event->desc->attr.sample_type & PERF_SAMPLE_CPU) &&
	    event->cpu != UINT32_MAX)
		(void)buf_printf(out, "%u ", event->cpu);
	(void)buf_printf(out,
			 "%" PRIu64 " %#" PRIx64 " [%#x]: ", event->has_time ? event->time_ns : 0,
			 event->file_offset, header->size);
	start = out->len;
	if (sample)
		put_sample(out, sample);
	else
		script_put_event(out, event);
	if (out->len == start)
		(void)buf_printf(out, "PERF_RECORD_%s\n",
				 perf_record_name(header->type, number, sizeof(number)));
}

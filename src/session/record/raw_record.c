/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Samples as records (see raw_record.h). */
#include "session/record/raw_record.h"

#include <string.h>

#include "base/err.h"
#include "event/desc.h"
#include "event/event.h"

size_t record_raw_bytes(const struct event *event)
{
	const struct event_sample *sample = &event->sample;
	size_t bytes =
		raw_record_align(sizeof(struct raw_record) + sample->chain_len * sizeof(uint64_t) +
				 raw_record_align(sample->raw_len) + sample->stack_len);

	return bytes <= UINT16_MAX ? bytes : 0;
}

void record_raw_put(const struct event *event, void *place)
{
	const struct event_sample *sample = &event->sample;
	size_t registers = (size_t)__builtin_popcountll(sample->user_mask);
	struct raw_record *record = place;
	uint8_t *at = (uint8_t *)(record + 1);

	*record = (struct raw_record){
		.header = { .type = RECORD_RAW_TYPE,
			    .misc = event->misc,
			    .size = (uint16_t)record_raw_bytes(event) },
		.time_ns = event->time_ns,
		.id = event->id,
		.ip = sample->ip,
		.addr = sample->addr,
		.data_src = sample->data_src,
		.period = sample->period,
		.weight = sample->weight,
		.page_bytes = sample->data_page_size,
		.pid = event->pid,
		.tid = event->tid,
		.cpu = event->cpu,
		.desc = event->desc->index,
		.user_mask = sample->user_mask,
		.chain_len = sample->chain_len,
		.stack_len = (uint32_t)sample->stack_len,
		.in_syscall = sample->user_in_syscall,
		.stack_skip = (uint32_t)sample->stack_skip,
		.stack_fault = sample->stack_fault,
		.payload_len = sample->raw_len,
	};
	if (registers > RAW_REGISTERS)
		BUG("raw record: too many registers");
	memcpy(record->user_reg, sample->user_regs, registers * sizeof(uint64_t));
	if (sample->chain_len)
		memcpy(at, sample->chain, sample->chain_len * sizeof(uint64_t));
	at += sample->chain_len * sizeof(uint64_t);
	if (sample->raw_len)
		memcpy(at, sample->raw, sample->raw_len);
	at += raw_record_align(sample->raw_len);
	if (sample->stack_len)
		memcpy(at, sample->stack, sample->stack_len);
}

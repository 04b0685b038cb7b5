/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Decoding of single records: the first bytes choose the attr, the rest is one record in memory of
 * exactly its size. */
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "event/desc.h"
#include "event/perf_record.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct choice {
	uint64_t sample_type, read_format, regs_user, regs_intr, branch_type;
	uint8_t events, id_all, pad[6];
};

static volatile uint64_t sum;

static void touch(const void *bytes, size_t len)
{
	for (size_t i = 0; i < len; i++)
		sum += ((const uint8_t *)bytes)[i];
}

static void touch_event(const struct event *event)
{
	const struct event_sample *s = &event->sample;

	if (event->type == EVENT_MMAP)
		touch(event->mmap.path, strlen(event->mmap.path));
	if (event->type == EVENT_COMM)
		touch(event->comm.name, strlen(event->comm.name));
	if (event->type == EVENT_KSYMBOL)
		touch(event->ksymbol.name, strlen(event->ksymbol.name));
	if (event->type != EVENT_SAMPLE)
		return;
	touch(s->chain, s->chain_len * sizeof(*s->chain));
	touch(s->raw, s->raw_len);
	touch(s->stack, s->stack_len);
	touch(s->read, s->read_len);
	touch(s->branch, s->branch_len * sizeof(*s->branch));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct event_set set = { 0 };
	struct choice choice;
	struct perf_event_attr attr = { .size = sizeof(attr) };
	struct perf_event_header header;
	struct event event;
	struct err err = { 0 };
	uint64_t time_ns;
	void *record;

	if (size < sizeof(choice) + sizeof(header))
		return 0;
	memcpy(&choice, data, sizeof(choice));
	data += sizeof(choice);
	size -= sizeof(choice);
	size = size > UINT16_MAX ? UINT16_MAX : size;
	attr.read_format = choice.read_format;
	attr.sample_regs_user = choice.regs_user;
	attr.sample_regs_intr = choice.regs_intr;
	attr.branch_sample_type = choice.branch_type;
	attr.sample_id_all = choice.id_all & 1;
	for (unsigned i = 0; i <= (choice.events & 3u); i++) {
		attr.sample_type = choice.sample_type ^ (choice.id_all & 2 ? i : 0);
		event_set_add_id(&set, event_set_add(&set, &attr, NULL), i);
	}
	record = malloc(size);
	if (!record)
		abort();
	memcpy(record, data, size);
	memcpy(&header, record, sizeof(header));
	header.size = (uint16_t)size;
	memcpy(record, &header, sizeof(header));
	if (perf_record_decode(&set, record, &event, &err) == 0)
		touch_event(&event);
	(void)perf_record_time(&set, record, &time_ns);
	free(record);
	event_set_done(&set);
	return 0;
}

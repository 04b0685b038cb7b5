/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A sample with registers and stack bytes that is to be unwound, as a record of our own. perf does
 * not use the type; such a record never reaches a file. */
#ifndef SESSION_RECORD_RAW_RECORD_H
#define SESSION_RECORD_RAW_RECORD_H

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>

#include "bpf/arch/registers.h"

struct event;

#define RECORD_RAW_TYPE 0x80000000u
#define RAW_REGISTERS	CPU_REGISTERS

/* Followed by chain_len words, payload_len bytes up to a whole word, and stack_len bytes. */
struct raw_record {
	struct perf_event_header header;
	uint64_t time_ns, id, ip, addr, data_src, period, weight, page_bytes;
	uint32_t pid, tid, cpu;
	uint32_t desc; /* index of the event */
	uint64_t user_mask;
	uint64_t user_reg[RAW_REGISTERS];
	uint32_t chain_len, stack_len;
	uint32_t in_syscall, stack_skip;
	uint64_t stack_fault;
	uint32_t payload_len, unused;
};

static inline size_t raw_record_align(size_t size)
{
	return (size + 7) & ~(size_t)7;
}

/* Bytes of the record, a multiple of 8; 0 = too much for one. */
size_t record_raw_bytes(const struct event *event);
/* Writes that many to place, which is 8-byte aligned. */
void record_raw_put(const struct event *event, void *place);

#endif

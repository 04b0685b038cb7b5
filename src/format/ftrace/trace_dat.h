/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads files of trace-cmd: trace.dat, versions 6 and 7, whole or compressed. Format:
 * trace-cmd.dat(5), trace-cmd.dat.v7(5). All pointers lie in the file's bytes, which are borrowed,
 * or in the object. */
#ifndef FORMAT_TRACE_DAT_H
#define FORMAT_TRACE_DAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/vec.h"

struct err;

struct trace_dat_text {
	const char *data;
	size_t len;
};

/* Pages of the kernel's ring buffer of one CPU, one after the other. */
struct trace_dat_cpu {
	uint32_t cpu;
	const uint8_t *pages;
	size_t len;
	size_t page_size;
};

/* The format file of an event. */
struct trace_dat_format {
	const char *system;
	struct trace_dat_text text;
};

struct trace_dat {
	struct arena arena;
	unsigned version;
	size_t long_size, page_size;
	/* The beginning of a file of version 6 up to the command lines, which is the TRACING_DATA
	 * of perf.data. */
	struct buf tracing_data;
	struct trace_dat_text header_page, kallsyms, cmdlines, uname;
	VEC(struct trace_dat_format) formats;
	VEC(struct trace_dat_cpu) cpus; /* of all buffers */
	/* Time: (stamp * multiplier >> shift) + offset; multiplier 0 = as it stands. */
	uint32_t multiplier, shift;
	uint64_t tsc_offset;
	int64_t offset;
	VEC(void *) unpacked; /* owned */
	size_t missing_bytes; /* of the file's end */
};

bool trace_dat_is(const uint8_t *head, size_t len);
int trace_dat_open(const uint8_t *data, size_t len, struct trace_dat **ret, struct err *err);
void trace_dat_free(struct trace_dat *dat); /* NULL is fine */

/* Events of one CPU in turn. */
struct trace_dat_reader {
	const struct trace_dat *dat;
	const struct trace_dat_cpu *cpu;
	size_t page; /* offset of the next one */
	const uint8_t *at, *end;
	uint64_t stamp;
	size_t data_offset; /* in a page */
};

struct trace_dat_event {
	uint64_t time_ns;
	uint32_t cpu;
	const uint8_t *data;
	uint32_t len;
	uint64_t lost; /* events that are missing in front of it; UINT64_MAX = unknown */
};

void trace_dat_reader_init(struct trace_dat_reader *reader, const struct trace_dat *dat,
			   const struct trace_dat_cpu *cpu);
/* False at the end. */
bool trace_dat_next(struct trace_dat_reader *reader, struct trace_dat_event *ret);

/* "field:TYPE NAME; offset:N; size:N;" of a format file. False: there is none. */
bool trace_dat_field(struct trace_dat_text format, const char *name, uint32_t *ret_offset,
		     uint32_t *ret_size);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The TRACING_DATA blob: what libtraceevent needs to print tracepoint samples on another machine.
 * Layout (version 0.6, as trace-cmd and perf write it): magic, version, endianness, long size, page
 * size, header_page, header_event, ftrace formats, event formats by system, kallsyms, printk
 * formats, saved command names. See tracepoint.h. */
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/fd.h"
#include "source/event_spec/event_parse.h"
#include "source/event_spec/tracepoint.h"

#define FILE_LIMIT ((size_t)16 << 20)

struct collector {
	VEC(const struct event_spec *) spec;
	const char *tracefs;
	struct buf *out;
	struct err *err;
};

/* A count that is written before what it counts, in `bytes` bytes. */
static void put_number(struct buf *out, uint64_t value, size_t bytes)
{
	uint32_t low = (uint32_t)value;

	/* the blob is far below the limit of a buf, so appending cannot fail */
	(void)buf_append(out, bytes == 4 ? (const void *)&low : (const void *)&value, bytes);
}

static void put_text(struct collector *collector, const char *text, size_t len, size_t size_bytes)
{
	put_number(collector->out, len, size_bytes);
	(void)buf_append(collector->out, text, len);
}

/* Size in `size_bytes` bytes, then the content. A missing optional file is empty. */
static int put_file(struct collector *collector, const char *name, size_t size_bytes, bool optional)
{
	struct buf content = { .limit = FILE_LIMIT };
	char path[PATH_MAX];
	int r;

	if (!collector->tracefs) {
		put_text(collector, "", 0, size_bytes);
		return 0;
	}
	if (snprintf(path, sizeof(path), "%s/%s", collector->tracefs, name) >= (int)sizeof(path))
		return err_set(collector->err, -ENAMETOOLONG, "%s: name too long", name);
	r = fd_read_file(path, &content, collector->err);
	if (r && optional) {
		buf_clear(&content);
		r = 0;
	}
	if (r == 0)
		put_text(collector, content.data, content.len, size_bytes);
	buf_done(&content);
	return r;
}

/* Of the kernel's own rings, which recordings do not have, but readers want the text. Without
 * tracefs, which probes do not need, it is that of 64 bits. */
static int put_header(struct collector *collector, const char *name)
{
	static const char text[] = "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
				   "\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
				   "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
				   "\tfield: char data;\toffset:16;\tsize:4080;\tsigned:1;\n";

	if (collector->tracefs)
		return put_file(collector, name, 8, false);
	put_text(collector, text, sizeof(text) - 1, 8);
	return 0;
}

static int put_headers(struct collector *collector)
{
	static const unsigned char magic[] = { 23, 8, 68, 't', 'r', 'a', 'c', 'i', 'n', 'g' };
	const uint16_t probe = 1;
	int r;

	(void)buf_append(collector->out, magic, sizeof(magic));
	(void)buf_append(collector->out, "0.6", 4);
	(void)buf_putc(collector->out, *(const unsigned char *)&probe ? 0 : 1); /* big endian */
	(void)buf_putc(collector->out, (char)sizeof(long));
	put_number(collector->out, (uint64_t)sysconf(_SC_PAGESIZE), 4);
	(void)buf_append(collector->out, "header_page", 12);
	r = put_header(collector, "events/header_page");
	if (r)
		return r;
	(void)buf_append(collector->out, "header_event", 13);
	return put_header(collector, "events/header_event");
}

static int by_system_and_name(const void *a, const void *b)
{
	const struct event_spec *x = *(const struct event_spec *const *)a;
	const struct event_spec *y = *(const struct event_spec *const *)b;
	int order = strcmp(x->system, y->system);

	return order ? order : strcmp(x->tracepoint, y->tracepoint);
}

/* Sorted, without doubles. */
static void sort_tracepoints(struct collector *collector, const struct event_list *list)
{
	size_t kept = 0;

	for (size_t i = 0; i < list->spec.count; i++)
		if (list->spec.item[i]->tracepoint)
			vec_push(&collector->spec, list->spec.item[i]);
	if (collector->spec.count)
		qsort(collector->spec.item, collector->spec.count, sizeof(collector->spec.item[0]),
		      by_system_and_name);
	for (size_t i = 0; i < collector->spec.count; i++)
		if (i == 0 || by_system_and_name(&collector->spec.item[i],
						 &collector->spec.item[kept - 1]) != 0)
			collector->spec.item[kept++] = collector->spec.item[i];
	collector->spec.count = kept;
}

/* Past the last spec of the system that spec[first] belongs to. */
static size_t system_end(const struct collector *collector, size_t first)
{
	const char *system = collector->spec.item[first]->system;
	size_t end = first;

	while (end < collector->spec.count &&
	       strcmp(collector->spec.item[end]->system, system) == 0)
		end++;
	return end;
}

/* Those that the recorder made, as one more system. */
static void put_probes(struct collector *collector, const struct event_list *list, uint32_t probes)
{
	(void)buf_append(collector->out, "probe", 6);
	put_number(collector->out, probes, 4);
	for (size_t i = 0; i < list->spec.count; i++) {
		const char *format = list->spec.item[i]->format;

		if (format)
			put_text(collector, format, strlen(format), 8);
	}
}

static uint32_t count_probes(const struct event_list *list)
{
	uint32_t probes = 0;

	for (size_t i = 0; i < list->spec.count; i++)
		probes += list->spec.item[i]->format != NULL;
	return probes;
}

static int put_systems(struct collector *collector, const struct event_list *list)
{
	uint32_t systems = 0, probes = count_probes(list);

	for (size_t i = 0; i < collector->spec.count; i = system_end(collector, i))
		systems++;
	put_number(collector->out, systems + (probes > 0), 4);
	if (probes)
		put_probes(collector, list, probes);
	for (size_t i = 0; i < collector->spec.count;) {
		const char *system = collector->spec.item[i]->system;
		size_t end = system_end(collector, i);

		(void)buf_append(collector->out, system, strlen(system) + 1);
		put_number(collector->out, end - i, 4);
		for (; i < end; i++) {
			char name[2 * NAME_MAX + 32];

			(void)snprintf(name, sizeof(name), "events/%s/%s/format", system,
				       collector->spec.item[i]->tracepoint);
			if (put_file(collector, name, 8, false))
				return collector->err->code;
		}
	}
	return 0;
}

int tracing_data_collect(const struct event_list *list, const char *root, struct buf *ret,
			 struct err *err)
{
	struct arena arena = { 0 };
	struct collector collector = { .out = ret, .err = err };
	struct err ignored = { 0 };
	int r;

	sort_tracepoints(&collector, list);
	if (!collector.spec.count && !count_probes(list))
		return 0;
	r = tracefs_find(root, &arena, &collector.tracefs, collector.spec.count ? err : &ignored);
	if (!collector.spec.count)
		r = 0;
	if (r == 0)
		r = put_headers(&collector);
	if (r == 0) {
		put_number(ret, 0,
			   4); /* formats of system "ftrace": never sampled by perf events */
		r = put_systems(&collector, list);
	}
	if (r == 0) {
		put_number(ret, 0, 4); /* kallsyms: perf.data has its own way */
		r = put_file(&collector, "printk_formats", 4, true);
	}
	if (r == 0)
		r = put_file(&collector, "saved_cmdlines", 8, true);
	vec_done(&collector.spec);
	arena_done(&arena);
	return r ? err_wrap(err, "reading tracepoint formats") : 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts of a trace.dat (see trace_dat.h). Version 6 is one sequence; version 7 has sections
 * that options point at, and that may be compressed. */
#include "format/ftrace/trace_dat.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "base/err.h"
#include "format/format.h"

#define MAGIC	     "\x17\x08\x44tracing"
#define MAGIC_LEN    10
#define MAX_ITEMS    100000u	       /* systems, events, CPUs, sections */
#define MAX_RATIO    8192u	       /* what is unpacked is bounded by what is there */
#define MAX_UNPACKED ((size_t)8 << 30) /* in all */
#define SECTION_HEAD 16

enum option_id {
	OPTION_DONE = 0,
	OPTION_BUFFER = 3,
	OPTION_UNAME = 5,
	OPTION_OFFSET = 7,
	OPTION_CPU_COUNT = 8,
	OPTION_TSC2NSEC = 14,
	OPTION_HEADER_INFO = 16,
	OPTION_FTRACE_EVENTS = 17,
	OPTION_EVENT_FORMATS = 18,
	OPTION_KALLSYMS = 19,
	OPTION_PRINTK = 20,
	OPTION_CMDLINES = 21,
};

enum packing { PACKED_NOT, PACKED_ZLIB, PACKED_ZSTD, PACKED_OTHER };

/* What is left of some bytes. A failure leaves nothing, so that one check at the end is enough. */
struct part {
	const uint8_t *at, *end;
	bool failed;
};

struct dat_parser {
	struct trace_dat *dat;
	const uint8_t *data;
	size_t len;
	enum packing packing;
	char packing_name[32];
	size_t unpacked_bytes;
	/* Parts of tracing_data, which version 7 has in any order. */
	struct part header, ftrace, systems, printk;
	struct err *err;
};

static const uint8_t *take(struct part *part, size_t len)
{
	const uint8_t *at = part->at;

	if (part->failed || (size_t)(part->end - part->at) < len) {
		part->failed = true;
		return NULL;
	}
	part->at += len;
	return at;
}

static uint64_t take_number(struct part *part, size_t size)
{
	const uint8_t *at = take(part, size);
	uint64_t value = 0;

	if (at)
		memcpy(&value, at, size);
	return value;
}

static const char *take_string(struct part *part)
{
	const uint8_t *nul = part->failed ? NULL
					  : memchr(part->at, '\0', (size_t)(part->end - part->at));

	if (!nul) {
		part->failed = true;
		return "";
	}
	return (const char *)take(part, (size_t)(nul - part->at) + 1);
}

static struct trace_dat_text take_text(struct part *part, size_t size_bytes)
{
	uint64_t len = take_number(part, size_bytes);
	const uint8_t *at = take(part, len);

	return (struct trace_dat_text){ (const char *)at, at ? len : 0 };
}

static struct part part_at(const struct dat_parser *parser, uint64_t offset)
{
	struct part part = { .at = parser->data + parser->len, .end = parser->data + parser->len };

	if (offset > parser->len)
		part.failed = true;
	else
		part.at = parser->data + offset;
	return part;
}

static int bad(struct dat_parser *parser, const char *what)
{
	return err_set(parser->err, -EBADMSG, "trace.dat: %s", what);
}

/* One compressed block to the end of `out`. */
static int unpack(struct dat_parser *parser, struct part *part, struct buf *out)
{
	size_t packed = take_number(part, 4), whole = take_number(part, 4), before = out->len;
	const uint8_t *from = take(part, packed);
	uLongf got = whole;

	if (!from || whole / MAX_RATIO > packed || whole > MAX_UNPACKED - parser->unpacked_bytes)
		return bad(parser, "a compressed part is damaged");
	if (parser->packing == PACKED_OTHER)
		return err_set(parser->err, -ENOTSUP,
			       "trace.dat: compressed with %s, which cannot be read",
			       parser->packing_name);
	parser->unpacked_bytes += whole;
	if (buf_extend(out, whole))
		return bad(parser, "a compressed part is too large");
	if (parser->packing == PACKED_ZLIB
		    ? uncompress((Bytef *)out->data + before, &got, from, packed) != Z_OK ||
			      got != whole
		    : ZSTD_decompress(out->data + before, whole, from, packed) != whole)
		return bad(parser, "a compressed part is damaged");
	return 0;
}

static void keep(struct dat_parser *parser, struct buf *unpacked, struct part *ret)
{
	vec_push(&parser->dat->unpacked, unpacked->data);
	*ret = (struct part){ .at = (uint8_t *)unpacked->data,
			      .end = (uint8_t *)unpacked->data + unpacked->len };
}

/* The content of a section of version 7. */
static int open_section(struct dat_parser *parser, uint64_t offset, unsigned id, struct part *ret)
{
	struct part part = part_at(parser, offset);
	unsigned found = (unsigned)take_number(&part, 2), flags = (unsigned)take_number(&part, 2);
	uint64_t size;

	(void)take_number(&part, 4); /* description */
	size = take_number(&part, 8);
	if (part.failed || found != id || size > (uint64_t)(part.end - part.at))
		return bad(parser, "a section is missing or cut off");
	part.end = part.at + size;
	if (flags & 1) {
		struct buf out = { 0 };
		int code = unpack(parser, &part, &out);

		if (code) {
			buf_done(&out);
			return code;
		}
		keep(parser, &out, &part);
	}
	*ret = part;
	return 0;
}

/* Moves behind the formats of one system. */
static void take_formats(struct dat_parser *parser, struct part *part, const char *system)
{
	uint64_t count = take_number(part, 4);

	for (uint64_t i = 0; i < count && i < MAX_ITEMS && !part->failed; i++) {
		struct trace_dat_text text = take_text(part, 8);

		vec_push(&parser->dat->formats, ((struct trace_dat_format){ system, text }));
	}
}

static void take_systems(struct dat_parser *parser, struct part *part)
{
	uint64_t count = take_number(part, 4);

	for (uint64_t i = 0; i < count && i < MAX_ITEMS && !part->failed; i++) {
		const char *system = take_string(part);

		take_formats(parser, part, system);
	}
}

static void take_header(struct dat_parser *parser, struct part *part)
{
	(void)take_string(part);
	parser->dat->header_page = take_text(part, 8);
	(void)take_string(part);
	(void)take_text(part, 8);
}

static void add_cpu(struct dat_parser *parser, const struct trace_dat_cpu *cpu)
{
	if (cpu->len >= cpu->page_size && parser->dat->cpus.count < MAX_ITEMS)
		vec_push(&parser->dat->cpus, *cpu);
}

/* Pages at an offset of the file, as far as they are there. */
static void add_pages(struct dat_parser *parser, uint32_t cpu, uint64_t offset, uint64_t size)
{
	struct part part = part_at(parser, offset);
	uint64_t there = (uint64_t)(part.end - part.at);

	if (size > there) {
		parser->dat->missing_bytes += size - there;
		size = there;
	}
	add_cpu(parser, &(struct trace_dat_cpu){ .cpu = cpu,
						 .pages = part.at,
						 .len = size,
						 .page_size = parser->dat->page_size });
}

/* "flyrecord", then offset and size of each CPU: version 6. */
static int take_buffer_6(struct dat_parser *parser, struct part *part, uint64_t cpus)
{
	const uint8_t *name = take(part, 10);

	if (name && memcmp(name, "latency  ", 10) == 0) {
		(void)err_set(parser->err, -ENOTSUP, "trace.dat: holds text of a latency tracer");
		return err_hint(parser->err, "read that: trace-cmd report FILE");
	}
	if (!name || memcmp(name, "flyrecord", 10) != 0)
		return bad(parser, "the trace data is missing");
	for (uint64_t i = 0; i < cpus && i < MAX_ITEMS && !part->failed; i++) {
		uint64_t offset = take_number(part, 8), size = take_number(part, 8);

		if (!part->failed)
			add_pages(parser, (uint32_t)i, offset, size);
	}
	return 0;
}

static int add_packed(struct dat_parser *parser, struct trace_dat_cpu *cpu, struct part part)
{
	uint64_t chunks = take_number(&part, 4);
	struct buf out = { .limit = MAX_UNPACKED };
	int code = 0;

	for (uint64_t i = 0; i < chunks && !code; i++)
		code = unpack(parser, &part, &out);
	if (code) {
		buf_done(&out);
		return code;
	}
	keep(parser, &out, &part);
	cpu->pages = part.at;
	cpu->len = (size_t)(part.end - part.at);
	add_cpu(parser, cpu);
	return 0;
}

static int take_buffer_7(struct dat_parser *parser, struct part *option)
{
	struct part section = part_at(parser, take_number(option, 8));
	unsigned id = (unsigned)take_number(&section, 2);
	bool packed = take_number(&section, 2) & 1;
	size_t page_size;
	uint64_t cpus;
	int code = 0;

	(void)take_string(option); /* name */
	(void)take_string(option); /* clock */
	page_size = take_number(option, 4);
	cpus = take_number(option, 4);
	if (option->failed || section.failed || id != OPTION_BUFFER || page_size < 512)
		return bad(parser, "a buffer is damaged");
	for (uint64_t i = 0; i < cpus && i < MAX_ITEMS && !code && !option->failed; i++) {
		struct trace_dat_cpu cpu = { .cpu = (uint32_t)take_number(option, 4),
					     .page_size = page_size };
		uint64_t offset = take_number(option, 8), size = take_number(option, 8);
		struct part part = part_at(parser, offset);

		if (option->failed || !size)
			continue;
		parser->dat->page_size = page_size;
		if (!packed)
			add_pages(parser, cpu.cpu, offset, size);
		else
			code = add_packed(parser, &cpu, part);
	}
	return code;
}

static int take_section(struct dat_parser *parser, unsigned id, struct part *option)
{
	struct trace_dat *dat = parser->dat;
	struct part part, copy;
	int code = open_section(parser, take_number(option, 8), id, &part);

	if (code)
		return code;
	copy = part;
	switch (id) {
	case OPTION_HEADER_INFO:
		parser->header = part;
		take_header(parser, &copy);
		break;
	case OPTION_FTRACE_EVENTS:
		parser->ftrace = part;
		take_formats(parser, &copy, "ftrace");
		break;
	case OPTION_EVENT_FORMATS:
		parser->systems = part;
		take_systems(parser, &copy);
		break;
	case OPTION_KALLSYMS:
		dat->kallsyms = take_text(&copy, 4);
		break;
	case OPTION_PRINTK:
		parser->printk = part;
		break;
	default:
		dat->cmdlines = take_text(&copy, 8);
		break;
	}
	return 0;
}

/* cpus: of version 6. */
static int take_option(struct dat_parser *parser, unsigned id, struct part option, uint64_t cpus)
{
	struct trace_dat *dat = parser->dat;

	switch (id) {
	case OPTION_BUFFER:
		if (dat->version >= 7)
			return take_buffer_7(parser, &option);
		option = part_at(parser, take_number(&option, 8));
		return take_buffer_6(parser, &option, cpus);
	case OPTION_UNAME:
		dat->uname.data = (const char *)option.at;
		dat->uname.len = strnlen(dat->uname.data, (size_t)(option.end - option.at));
		break;
	case OPTION_OFFSET: {
		char text[32] = "";
		size_t len = (size_t)(option.end - option.at);

		memcpy(text, option.at, len < sizeof(text) ? len : sizeof(text) - 1);
		dat->offset = strtoll(text, NULL, 0);
		break;
	}
	case OPTION_TSC2NSEC:
		dat->multiplier = (uint32_t)take_number(&option, 4);
		dat->shift = (uint32_t)take_number(&option, 4) & 63;
		dat->tsc_offset = take_number(&option, 8);
		break;
	case OPTION_HEADER_INFO:
	case OPTION_FTRACE_EVENTS:
	case OPTION_EVENT_FORMATS:
	case OPTION_KALLSYMS:
	case OPTION_PRINTK:
	case OPTION_CMDLINES:
		return dat->version >= 7 ? take_section(parser, id, &option) : 0;
	default:
		break;
	}
	return 0;
}

static int take_options_6(struct dat_parser *parser, struct part *part, uint64_t cpus)
{
	for (unsigned i = 0; i < MAX_ITEMS && !part->failed; i++) {
		unsigned id = (unsigned)take_number(part, 2);
		struct part option = { 0 };
		uint32_t size;
		int code;

		if (!id)
			return 0;
		size = (uint32_t)take_number(part, 4);
		option.at = take(part, size);
		if (!option.at)
			break;
		option.end = option.at + size;
		code = take_option(parser, id, option, cpus);
		if (code)
			return code;
	}
	return bad(parser, "the options are cut off");
}

static int parse_6(struct dat_parser *parser, struct part *part)
{
	struct trace_dat *dat = parser->dat;
	uint64_t cpus;
	const uint8_t *mark;
	int code = 0;

	take_header(parser, part);
	take_formats(parser, part, "ftrace");
	take_systems(parser, part);
	dat->kallsyms = take_text(part, 4);
	(void)take_text(part, 4); /* printk */
	if (!part->failed)
		(void)buf_append(&dat->tracing_data, parser->data,
				 (size_t)(part->at - parser->data));
	dat->cmdlines = take_text(part, 8);
	cpus = take_number(part, 4);
	mark = take(part, 10);
	if (mark && memcmp(mark, "options  ", 10) == 0)
		code = take_options_6(parser, part, cpus);
	else if (mark)
		part->at = mark; /* files of the first versions */
	if (code)
		return code;
	return part->failed ? bad(parser, "its end is missing") : take_buffer_6(parser, part, cpus);
}

static int parse_options_7(struct dat_parser *parser, uint64_t offset)
{
	for (unsigned sections = 0; offset && sections < 1000; sections++) {
		struct part part;
		int code = open_section(parser, offset, OPTION_DONE, &part);

		offset = 0;
		while (!code && !part.failed && part.at < part.end) {
			unsigned id = (unsigned)take_number(&part, 2);
			uint32_t size = (uint32_t)take_number(&part, 4);
			struct part option = { .at = take(&part, size) };

			if (!option.at)
				break;
			option.end = option.at + size;
			if (id == OPTION_DONE) {
				offset = take_number(&option, 8);
				break;
			}
			code = take_option(parser, id, option, 0);
		}
		if (code)
			return code;
	}
	return 0;
}

static void put_part(struct buf *out, const struct part *part, size_t empty)
{
	static const uint8_t zeros[8] = { 0 };

	if (part->at)
		(void)buf_append(out, part->at, (size_t)(part->end - part->at));
	else
		(void)buf_append(out, zeros, empty);
}

/* The order of version 6, for readers of that. */
static void put_tracing_data(struct dat_parser *parser, const uint8_t *sizes)
{
	struct buf *out = &parser->dat->tracing_data;

	(void)buf_append(out, MAGIC "6", MAGIC_LEN + 2);
	(void)buf_append(out, sizes, 6);
	put_part(out, &parser->header, 0);
	put_part(out, &parser->ftrace, 4);
	put_part(out, &parser->systems, 4);
	(void)buf_append(out, "\0\0\0\0", 4); /* kallsyms: names go another way */
	put_part(out, &parser->printk, 4);
}

static int parse_7(struct dat_parser *parser, struct part *part, const uint8_t *sizes)
{
	const char *packing = take_string(part);
	uint64_t offset;
	int code;

	strncpy(parser->packing_name, packing, sizeof(parser->packing_name) - 1);
	parser->packing = strcmp(packing, "none") == 0	 ? PACKED_NOT
			  : strcmp(packing, "zlib") == 0 ? PACKED_ZLIB
			  : strcmp(packing, "zstd") == 0 ? PACKED_ZSTD
							 : PACKED_OTHER;
	(void)take_string(part); /* its version */
	offset = take_number(part, 8);
	if (part->failed || !offset)
		return bad(parser, "the options are missing");
	code = parse_options_7(parser, offset);
	if (!code && !parser->header.at)
		return bad(parser, "the description of its events is missing");
	if (!code)
		put_tracing_data(parser, sizes);
	return code;
}

bool trace_dat_is(const uint8_t *head, size_t len)
{
	return len > MAGIC_LEN && memcmp(head, MAGIC, MAGIC_LEN) == 0;
}

static int parse(struct dat_parser *parser)
{
	struct trace_dat *dat = parser->dat;
	struct part part = part_at(parser, MAGIC_LEN);
	const char *version = take_string(&part);
	const uint8_t *sizes = take(&part, 6);

	if (!sizes)
		return bad(parser, "its beginning is cut off");
	dat->version = (unsigned)strtoul(version, NULL, 10);
	if (dat->version != 6 && dat->version != 7)
		return err_set(parser->err, -ENOTSUP, "trace.dat: version %.8s cannot be read",
			       version);
	if (sizes[0])
		return err_set(parser->err, -ENOTSUP,
			       "trace.dat: recorded on a machine of the other byte order");
	dat->long_size = sizes[1];
	part.at = sizes + 2;
	dat->page_size = take_number(&part, 4);
	if ((dat->long_size != 4 && dat->long_size != 8) || dat->page_size < 512)
		return bad(parser, "the sizes in its head are damaged");
	return dat->version == 6 ? parse_6(parser, &part) : parse_7(parser, &part, sizes);
}

int trace_dat_open(const uint8_t *data, size_t len, struct trace_dat **ret, struct err *err)
{
	struct dat_parser parser = {
		.dat = mem_zalloc(sizeof(*parser.dat)), .data = data, .len = len, .err = err
	};
	int code = trace_dat_is(data, len) ? parse(&parser)
					   : err_set(err, -EINVAL, "not a trace.dat");

	if (code) {
		trace_dat_free(parser.dat);
		return code;
	}
	*ret = parser.dat;
	return 0;
}

static int sniff(const uint8_t *head, size_t len)
{
	return trace_dat_is(head, len) ? 2 : 0;
}

/* session/recording.h makes perf.data of it. */
const struct format_ops format_trace_dat = {
	.name = "trace.dat",
	.suffix = ".dat",
	.help = "trace of trace-cmd, version 6 or 7",
	.sniff = sniff,
	.events = true,
};

void trace_dat_free(struct trace_dat *dat)
{
	if (!dat)
		return;
	for (size_t i = 0; i < dat->unpacked.count; i++)
		free(dat->unpacked.item[i]);
	vec_done(&dat->unpacked);
	vec_done(&dat->formats);
	vec_done(&dat->cpus);
	buf_done(&dat->tracing_data);
	arena_done(&dat->arena);
	free(dat);
}

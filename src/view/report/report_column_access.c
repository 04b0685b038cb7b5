/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Columns of reports about accesses to data (report_options.mem_mode). Names, headings and widths
 * follow perf report --mem-mode. */
#include <inttypes.h>
#include <string.h>

#include "base/buf.h"
#include "profile/access/data_src.h"
#include "view/report/report_column.h"

#define NEEDS (PROFILE_KEEP_ADDR | PROFILE_ADDR_IS_ACCESS)

static const struct profile_access *access_of(const struct report_context *context, uint64_t index)
{
	static const struct profile_access none;

	return index < context->profile->accesses.count ? &context->profile->accesses.item[index]
							: &none;
}

static const struct profile_access *subject_access(const struct report_context *context,
						   const struct report_subject *subject)
{
	return access_of(context, subject->sample->addr);
}

static void print_number(const struct report_context *context, uint64_t value, struct buf *ret)
{
	(void)context;
	(void)buf_put_u64(ret, value);
}

static uint64_t value_weight(const struct report_context *context,
			     const struct report_subject *subject)
{
	return subject_access(context, subject)->weight;
}

static uint64_t value_latency(const struct report_context *context,
			      const struct report_subject *subject)
{
	return subject_access(context, subject)->latency;
}

#define SOURCE_COLUMN(name, part)                                                       \
	static uint64_t value_##name(const struct report_context *context,              \
				     const struct report_subject *subject)              \
	{                                                                               \
		return data_src_bits(subject_access(context, subject)->data_src, part); \
	}                                                                               \
	static void print_##name(const struct report_context *context, uint64_t value,  \
				 struct buf *ret)                                       \
	{                                                                               \
		char text[DATA_SRC_TEXT];                                               \
                                                                                        \
		(void)context;                                                          \
		(void)buf_puts(ret, data_src_text(value, part, text, sizeof(text)));    \
	}

SOURCE_COLUMN(operation, DATA_SRC_OPERATION)
SOURCE_COLUMN(level, DATA_SRC_LEVEL)
SOURCE_COLUMN(snoop, DATA_SRC_SNOOP)
SOURCE_COLUMN(tlb, DATA_SRC_TLB)
SOURCE_COLUMN(locked, DATA_SRC_LOCKED)
SOURCE_COLUMN(blocked, DATA_SRC_BLOCKED)

/* "[.]", of the code that accesses. */
static const char *level_of(const struct report_context *context,
			    const struct profile_sample *sample)
{
	const struct profile *p = context->profile;
	stack_id node = report_self_node(p, sample->stack);

	if (node.v == STACK_EMPTY.v)
		return "[.]";
	return report_symbol_level(
		&context->symbols.symbols
			 .item[context->symbols.of_frame[p->nodes.item[node.v].frame.v]]);
}

/* An access, and the letter of the code's level. */
static uint64_t place_value(const struct report_context *context,
			    const struct report_subject *subject, uint32_t index)
{
	return (uint64_t)index << 8 | (uint8_t)level_of(context, subject->sample)[1];
}

static uint64_t value_address(const struct report_context *context,
			      const struct report_subject *subject)
{
	return place_value(context, subject, subject_access(context, subject)->same);
}

static uint64_t value_line(const struct report_context *context,
			   const struct report_subject *subject)
{
	return place_value(context, subject, subject_access(context, subject)->same_line);
}

static void put_hexadecimal(uint64_t value, struct buf *ret)
{
	(void)buf_puts(ret, value ? "0x" : ""); /* as printf's %#.16llx */
	(void)buf_put_hex64(ret, value);
}

static void put_address(const struct report_context *context, uint64_t value, uint64_t mask,
			struct buf *ret)
{
	const struct profile_access *access = access_of(context, value >> 8);
	uint64_t before = access->addr - (access->addr & mask);
	bool named = access->kind == ACCESS_GLOBAL && before <= access->offset;

	(void)buf_printf(ret, "[%c] ", (char)(value & 0xff));
	if (named) {
		(void)buf_puts(ret, profile_string(context->profile, access->object));
		(void)buf_printf(ret, "+0x%" PRIx64, access->offset - before);
	} else {
		put_hexadecimal(access->addr & mask, ret);
	}
}

static void print_address(const struct report_context *context, uint64_t value, struct buf *ret)
{
	put_address(context, value, UINT64_MAX, ret);
}

static void print_line(const struct report_context *context, uint64_t value, struct buf *ret)
{
	put_address(context, value, ~(uint64_t)(ACCESS_LINE - 1), ret);
}

/* A file or a kind of memory. */
static uint64_t value_object(const struct report_context *context,
			     const struct report_subject *subject)
{
	const struct profile_access *access = subject_access(context, subject);

	return (uint64_t)access->module.v << 8 | access->kind;
}

static void print_object(const struct report_context *context, uint64_t value, struct buf *ret)
{
	const char *path = profile_string(context->profile, (string_id){ (uint32_t)(value >> 8) });
	const char *slash = strrchr(path, '/');

	switch ((enum access_kind)(value & 0xff)) {
	case ACCESS_ANONYMOUS:
		(void)buf_puts(ret, "anon"); /* perf's word */
		break;
	case ACCESS_KERNEL:
		(void)buf_puts(ret, "[kernel.kallsyms]");
		break;
	default:
		(void)buf_puts(ret, !*path ? "[unknown]" : slash ? slash + 1 : path);
		break;
	}
}

static uint64_t value_physical(const struct report_context *context,
			       const struct report_subject *subject)
{
	return subject_access(context, subject)->phys;
}

static void print_physical(const struct report_context *context, uint64_t value, struct buf *ret)
{
	(void)context;
	(void)buf_puts(ret, "[.] ");
	put_hexadecimal(value, ret);
}

static uint64_t value_page(const struct report_context *context,
			   const struct report_subject *subject)
{
	return subject_access(context, subject)->page_bytes;
}

static void print_page(const struct report_context *context, uint64_t value, struct buf *ret)
{
	static const char units[] = "BKMGTP";
	size_t unit = 0;

	(void)context;
	while (value >= 1024 && unit + 2 < sizeof(units)) {
		value /= 1024;
		unit++;
	}
	if (value)
		(void)buf_printf(ret, "%" PRIu64 "%c", value, units[unit]);
	else
		(void)buf_puts(ret, "N/A");
}

#define ACCESS_COLUMN(key, head, get, put)                                               \
	{                                                                                \
		.name = key, .heading = head, .needs = NEEDS, .value = get, .print = put \
	}

const struct report_column report_columns_access[] = {
	ACCESS_COLUMN("local_weight", "Local Weight", value_weight, print_number),
	{ .name = "weight",
	  .heading = "Weight",
	  .needs = NEEDS,
	  .times_samples = true,
	  .value = value_weight,
	  .print = print_number },
	ACCESS_COLUMN("local_ins_lat", "Local INSTR Latency", value_latency, print_number),
	{ .name = "ins_lat",
	  .heading = "INSTR Latency",
	  .needs = NEEDS,
	  .times_samples = true,
	  .value = value_latency,
	  .print = print_number },
	ACCESS_COLUMN("operation", "Memory operation", value_operation, print_operation),
	ACCESS_COLUMN("mem", "Memory access", value_level, print_level),
	ACCESS_COLUMN("snoop", "Snoop", value_snoop, print_snoop),
	ACCESS_COLUMN("tlb", "TLB access", value_tlb, print_tlb),
	ACCESS_COLUMN("locked", "Locked", value_locked, print_locked),
	ACCESS_COLUMN("blocked", "Blocked", value_blocked, print_blocked),
	ACCESS_COLUMN("symbol_daddr", "Data Symbol", value_address, print_address),
	ACCESS_COLUMN("dso_daddr", "Data Object", value_object, print_object),
	ACCESS_COLUMN("dcacheline", "Data Cacheline", value_line, print_line),
	ACCESS_COLUMN("phys_daddr", "Data Physical Address", value_physical, print_physical),
	ACCESS_COLUMN("data_page_size", "Data Page Size", value_page, print_page),
};

const size_t report_columns_access_count =
	sizeof(report_columns_access) / sizeof(*report_columns_access);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Converts records of a machine with the other byte order. A record is a row of u64 but for some
 * pairs of u32, strings, raw payloads and bit-fields; so every word is swapped first and the
 * exceptions are put right after. Bit-fields are mirrored: their first bit is the lowest on a
 * little-endian machine and the highest on a big-endian one. Copied stack memory stays as it
 * was. */
#include "event/perf_record.h"
#include "format/perf_data/perf_data_private.h"

/* A record's body, already swapped word by word. */
struct words {
	uint64_t *at, *end;
};

/* The word holds two u32. */
static void fix_pair(uint64_t *word)
{
	*word = *word << 32 | *word >> 32;
}

/* The words hold bytes: undo. */
static void fix_bytes(uint64_t *word, uint64_t count)
{
	for (uint64_t i = 0; i < count; i++)
		word[i] = bswap_64(word[i]);
}

static uint8_t mirror_bits(uint8_t byte)
{
	byte = (uint8_t)((byte & 0xf0) >> 4 | (byte & 0x0f) << 4);
	byte = (uint8_t)((byte & 0xcc) >> 2 | (byte & 0x33) << 2);
	return (uint8_t)((byte & 0xaa) >> 1 | (byte & 0x55) << 1);
}

void perf_data_swap_attr(struct perf_event_attr *attr)
{
	uint8_t *bits = (uint8_t *)(&attr->read_format + 1);

	attr->type = bswap_32(attr->type);
	attr->size = bswap_32(attr->size);
	attr->config = bswap_64(attr->config);
	attr->sample_period = bswap_64(attr->sample_period);
	attr->sample_type = bswap_64(attr->sample_type);
	attr->read_format = bswap_64(attr->read_format);
	for (size_t i = 0; i < sizeof(uint64_t); i++)
		bits[i] = mirror_bits(bits[i]);
	attr->wakeup_events = bswap_32(attr->wakeup_events);
	attr->bp_type = bswap_32(attr->bp_type);
	attr->config1 = bswap_64(attr->config1);
	attr->config2 = bswap_64(attr->config2);
	attr->branch_sample_type = bswap_64(attr->branch_sample_type);
	attr->sample_regs_user = bswap_64(attr->sample_regs_user);
	attr->sample_stack_user = bswap_32(attr->sample_stack_user);
	attr->clockid = (int32_t)bswap_32((uint32_t)attr->clockid);
	attr->sample_regs_intr = bswap_64(attr->sample_regs_intr);
	attr->aux_watermark = bswap_32(attr->aux_watermark);
	attr->sample_max_stack = bswap_16(attr->sample_max_stack);
	attr->aux_sample_size = bswap_32(attr->aux_sample_size);
	attr->sig_data = bswap_64(attr->sig_data);
}

static bool skip(struct words *words, uint64_t count)
{
	if (count > (uint64_t)(words->end - words->at)) {
		words->at = words->end;
		return false;
	}
	words->at += count;
	return true;
}

/* The next word as a count of further ones; 0 at the end. */
static uint64_t next(struct words *words)
{
	return words->at < words->end ? *words->at++ : 0;
}

/* Flags of a branch, first field in the highest bits (perf_event.h, struct perf_branch_entry). */
static uint64_t mirror_branch_flags(uint64_t be)
{
	uint64_t flags = be >> 63 & 1;

	flags |= (be >> 62 & 1) << 1 | (be >> 61 & 1) << 2 | (be >> 60 & 1) << 3;
	flags |= (be >> 44 & 0xffff) << 4;   /* cycles */
	flags |= (be >> 40 & 0xf) << 20;     /* type */
	flags |= (be >> 38 & 3) << 24;	     /* spec */
	flags |= (be >> 34 & 0xf) << 26;     /* new_type */
	return flags | (be >> 31 & 7) << 30; /* priv */
}

static void swap_branches(struct words *words, uint64_t branch_type)
{
	uint64_t count = next(words);

	if (branch_type & PERF_SAMPLE_BRANCH_HW_INDEX)
		(void)next(words);
	for (uint64_t i = 0; i < count && words->end - words->at >= 3; i++) {
		words->at[2] = mirror_branch_flags(words->at[2]);
		words->at += 3;
	}
}

static void swap_raw(struct words *words)
{
	uint64_t *first = words->at;
	uint64_t len;

	if (words->at == words->end)
		return;
	fix_pair(first); /* the length becomes the low half; the other half is data */
	len = *first & UINT32_MAX;
	*first = len | (uint64_t)bswap_32((uint32_t)(*first >> 32)) << 32;
	if (skip(words, (len + 4 + 7) / 8))
		fix_bytes(first + 1, (len + 4 + 7) / 8 - 1);
}

static void skip_read(struct words *words, uint64_t format)
{
	uint64_t times = !!(format & PERF_FORMAT_TOTAL_TIME_ENABLED) +
			 !!(format & PERF_FORMAT_TOTAL_TIME_RUNNING);
	uint64_t value = 1 + !!(format & PERF_FORMAT_ID) + !!(format & PERF_FORMAT_LOST);
	uint64_t count = format & PERF_FORMAT_GROUP ? next(words) : 1;

	if (count > UINT16_MAX)
		count = UINT16_MAX;
	(void)skip(words, times + count * value);
}

static void swap_stack(struct words *words)
{
	uint64_t size = next(words), *stack = words->at;

	if (size && skip(words, size / 8))
		fix_bytes(stack, size / 8);
}

/* Weights, data sources and the fields after them are plain words: nothing to correct. */
static void swap_sample(const struct event_desc *desc, struct words words)
{
	const struct perf_record_plan *plan = &desc->plan;
	uint64_t type = desc->attr.sample_type;

	if (words.end - words.at < plan->fixed_words)
		return;
	if (plan->tid >= 0)
		fix_pair(&words.at[plan->tid]);
	if (plan->cpu >= 0)
		fix_pair(&words.at[plan->cpu]);
	words.at += plan->fixed_words;
	if (type & PERF_SAMPLE_READ)
		skip_read(&words, desc->attr.read_format);
	if (type & PERF_SAMPLE_CALLCHAIN)
		(void)skip(&words, next(&words));
	if (type & PERF_SAMPLE_RAW)
		swap_raw(&words);
	if (type & PERF_SAMPLE_BRANCH_STACK)
		swap_branches(&words, desc->attr.branch_sample_type);
	if ((type & PERF_SAMPLE_REGS_USER) && next(&words) != PERF_SAMPLE_REGS_ABI_NONE)
		(void)skip(&words, plan->user_regs);
	if (type & PERF_SAMPLE_STACK_USER)
		swap_stack(&words);
}

/* Which words of a record are pairs of u32, and from where on it is bytes. */
struct layout {
	uint16_t pairs; /* bit per word */
	uint8_t bytes;	/* first word of a string, 0 = none */
};

static const struct layout layouts[KERNEL_RECORD_LAST + 1] = {
	[PERF_RECORD_MMAP] = { 1 << 0, 4 },
	[PERF_RECORD_COMM] = { 1 << 0, 1 },
	[PERF_RECORD_EXIT] = { 1 << 0 | 1 << 1, 0 },
	[PERF_RECORD_FORK] = { 1 << 0 | 1 << 1, 0 },
	[PERF_RECORD_READ] = { 1 << 0, 0 },
	[PERF_RECORD_MMAP2] = { 1 << 0 | 1 << 4 | 1 << 7, 8 },
	[PERF_RECORD_ITRACE_START] = { 1 << 0, 0 },
	[PERF_RECORD_SWITCH_CPU_WIDE] = { 1 << 0, 0 },
	[PERF_RECORD_NAMESPACES] = { 1 << 0, 0 },
	[PERF_RECORD_KSYMBOL] = { 0, 2 },
	[PERF_RECORD_CGROUP] = { 0, 1 },
};

static void fix_halves(uint64_t *word, unsigned bits_low)
{
	uint8_t field[8];
	uint16_t half[2];
	uint32_t whole;

	*word = bswap_64(*word);
	memcpy(field, word, sizeof(field));
	memcpy(half, field + (bits_low ? 0 : 4), sizeof(half));
	memcpy(&whole, field + (bits_low ? 4 : 0), sizeof(whole));
	half[0] = bswap_16(half[0]);
	half[1] = bswap_16(half[1]);
	whole = bswap_32(whole);
	memcpy(field + (bits_low ? 0 : 4), half, sizeof(half));
	memcpy(field + (bits_low ? 4 : 0), &whole, sizeof(whole));
	memcpy(word, field, sizeof(field));
}

static void swap_other(const struct event_desc *desc, const struct perf_event_header *header,
		       struct words words)
{
	const struct perf_record_plan *plan = &desc->plan;
	struct layout layout = layouts[header->type];
	size_t count;

	if (words.end - words.at >= plan->trailer_words) {
		words.end -= plan->trailer_words;
		if (plan->trailer_words && plan->trailer_tid >= 0)
			fix_pair(&words.end[plan->trailer_tid]);
		if (plan->trailer_words && plan->trailer_cpu >= 0)
			fix_pair(&words.end[plan->trailer_cpu]);
	}
	count = (size_t)(words.end - words.at);
	for (size_t i = 0; i < 8 && i < count; i++)
		if (layout.pairs >> i & 1)
			fix_pair(&words.at[i]);
	if (layout.bytes && layout.bytes < count)
		fix_bytes(words.at + layout.bytes, count - layout.bytes);
	if (header->type == PERF_RECORD_MMAP2 && (header->misc & (1 << 14)) && count >= 7) {
		fix_pair(&words.at[4]); /* it holds a build id instead */
		fix_bytes(words.at + 4, 3);
	}
	if (header->type == PERF_RECORD_KSYMBOL && count >= 2)
		fix_halves(&words.at[1], 0); /* u32, u16, u16 */
	if (header->type == PERF_RECORD_BPF_EVENT && count >= 2) {
		fix_halves(&words.at[0], 1); /* u16, u16, u32 */
		fix_bytes(words.at + 1, 1);
	}
}

void perf_data_swap_record(const struct event_set *set, struct perf_event_header *header)
{
	struct words words = { .at = (uint64_t *)(header + 1) };
	const struct event_desc *desc;

	header->type = bswap_32(header->type);
	header->misc = bswap_16(header->misc);
	header->size = bswap_16(header->size);
	words.end = words.at + (header->size - sizeof(*header)) / 8;
	fix_bytes(words.at, (uint64_t)(words.end - words.at));
	desc = header->type <= KERNEL_RECORD_LAST ? perf_record_desc(set, header) : NULL;
	if (!desc)
		return;
	if (header->type == PERF_RECORD_SAMPLE)
		swap_sample(desc, words);
	else
		swap_other(desc, header, words);
}

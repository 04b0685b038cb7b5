/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts of a sample that vary in length: counters, call chain, raw data, branches, registers,
 * stack and the details behind them, in ABI order. All lengths are checked against what is left.
 * ABI: perf_event_open(2), include/uapi/linux/perf_event.h. */
#include "event/perf_record_sample.h"

#include <string.h>

#include "event/desc.h"

#ifndef PERF_SAMPLE_BRANCH_COUNTERS
#define PERF_SAMPLE_BRANCH_COUNTERS (1U << 19) /* Linux 6.8 */
#endif

/* What is left of a record, in words. */
struct cursor {
	const uint64_t *at, *end;
};

static size_t left(const struct cursor *cursor)
{
	return (size_t)(cursor->end - cursor->at);
}

static bool take_word(struct cursor *cursor, uint64_t *ret)
{
	if (cursor->at == cursor->end)
		return false;
	*ret = *cursor->at++;
	return true;
}

static bool take_words(struct cursor *cursor, uint64_t count, const uint64_t **ret)
{
	if (count > left(cursor))
		return false;
	*ret = cursor->at;
	cursor->at += count;
	return true;
}

static uint32_t first_half(uint64_t word)
{
	uint32_t half;

	memcpy(&half, &word, sizeof(half));
	return half;
}

/* Words of one counter value in the read_format layout. */
static uint64_t read_value_words(uint64_t format)
{
	return 1 + !!(format & PERF_FORMAT_ID) + !!(format & PERF_FORMAT_LOST);
}

static bool take_read(struct cursor *cursor, uint64_t format, struct event_sample *sample)
{
	uint64_t times = !!(format & PERF_FORMAT_TOTAL_TIME_ENABLED) +
			 !!(format & PERF_FORMAT_TOTAL_TIME_RUNNING);
	uint64_t words = read_value_words(format) + times;
	const uint64_t *values;

	if (format & PERF_FORMAT_GROUP) {
		if (!left(cursor) || *cursor->at > left(cursor))
			return false;
		words = 1 + times + *cursor->at * read_value_words(format);
	}
	if (!take_words(cursor, words, &values))
		return false;
	sample->read = values;
	sample->read_len = (uint32_t)(words * sizeof(uint64_t));
	return true;
}

static bool take_chain(struct cursor *cursor, struct event_sample *sample)
{
	uint64_t count;

	if (!take_word(cursor, &count) || !take_words(cursor, count, &sample->chain))
		return false;
	sample->chain_len = (uint32_t)count;
	return true;
}

/* A u32 length and bytes, together padded to 8. */
static bool take_raw(struct cursor *cursor, struct event_sample *sample)
{
	const uint64_t *words;
	uint32_t len;

	if (!left(cursor))
		return false;
	len = first_half(*cursor->at);
	if (!take_words(cursor, ((uint64_t)len + sizeof(len) + 7) / 8, &words))
		return false;
	sample->raw = (const uint8_t *)words + sizeof(len);
	sample->raw_len = len;
	return true;
}

static bool take_branches(struct cursor *cursor, uint64_t branch_type, struct event_sample *sample)
{
	const uint64_t entry_words = sizeof(struct perf_branch_entry) / 8;
	const uint64_t *words;
	uint64_t count;

	if (!take_word(cursor, &count) || count > left(cursor))
		return false;
	sample->branch_hw_idx = UINT64_MAX;
	if ((branch_type & PERF_SAMPLE_BRANCH_HW_INDEX) &&
	    !take_word(cursor, &sample->branch_hw_idx))
		return false;
	if (!take_words(cursor, count * entry_words, &words))
		return false;
	sample->branch = (const struct perf_branch_entry *)words;
	sample->branch_len = count;
	/* One word of counter values per branch; not used yet. */
	return !(branch_type & PERF_SAMPLE_BRANCH_COUNTERS) || take_words(cursor, count, &words);
}

static bool take_user_regs(struct cursor *cursor, const struct event_desc *desc,
			   struct event_sample *sample)
{
	if (!take_word(cursor, &sample->user_abi))
		return false;
	if (sample->user_abi == PERF_SAMPLE_REGS_ABI_NONE)
		return true;
	sample->user_mask = desc->attr.sample_regs_user;
	return take_words(cursor, desc->plan.user_regs, &sample->user_regs);
}

static bool take_intr_regs(struct cursor *cursor, const struct event_desc *desc,
			   struct event_sample *sample)
{
	if (!take_word(cursor, &sample->intr_abi))
		return false;
	if (sample->intr_abi == PERF_SAMPLE_REGS_ABI_NONE)
		return true;
	sample->intr_mask = desc->attr.sample_regs_intr;
	return take_words(cursor, desc->plan.intr_regs, &sample->intr_regs);
}

static bool take_stack(struct cursor *cursor, struct event_sample *sample)
{
	const uint64_t *words;
	uint64_t size, dynamic;

	if (!take_word(cursor, &size))
		return false;
	if (!size)
		return true;
	if (size % 8 || !take_words(cursor, size / 8, &words) || !take_word(cursor, &dynamic))
		return false;
	sample->stack = (const uint8_t *)words;
	sample->stack_len = dynamic < size ? dynamic : size;
	return true;
}

/* The parts of variable length up to the user stack, in ABI order. */
static bool take_stacks(struct cursor *cursor, const struct event_desc *desc,
			struct event_sample *sample)
{
	uint64_t type = desc->attr.sample_type;

	if ((type & PERF_SAMPLE_READ) && !take_read(cursor, desc->attr.read_format, sample))
		return false;
	if ((type & PERF_SAMPLE_CALLCHAIN) && !take_chain(cursor, sample))
		return false;
	if ((type & PERF_SAMPLE_RAW) && !take_raw(cursor, sample))
		return false;
	if ((type & PERF_SAMPLE_BRANCH_STACK) &&
	    !take_branches(cursor, desc->attr.branch_sample_type, sample))
		return false;
	if ((type & PERF_SAMPLE_REGS_USER) && !take_user_regs(cursor, desc, sample))
		return false;
	return !(type & PERF_SAMPLE_STACK_USER) || take_stack(cursor, sample);
}

/* What follows the user stack, in ABI order. PERF_SAMPLE_AUX comes last and is not looked at. */
static bool take_details(struct cursor *cursor, const struct event_desc *desc,
			 struct event_sample *sample)
{
	uint64_t type = desc->attr.sample_type;

	if ((type & PERF_SAMPLE_WEIGHT_TYPE) && !take_word(cursor, &sample->weight))
		return false;
	if ((type & PERF_SAMPLE_DATA_SRC) && !take_word(cursor, &sample->data_src))
		return false;
	if ((type & PERF_SAMPLE_TRANSACTION) && !take_word(cursor, &sample->transaction))
		return false;
	if ((type & PERF_SAMPLE_REGS_INTR) && !take_intr_regs(cursor, desc, sample))
		return false;
	if ((type & PERF_SAMPLE_PHYS_ADDR) && !take_word(cursor, &sample->phys_addr))
		return false;
	if ((type & PERF_SAMPLE_CGROUP) && !take_word(cursor, &sample->cgroup))
		return false;
	if ((type & PERF_SAMPLE_DATA_PAGE_SIZE) && !take_word(cursor, &sample->data_page_size))
		return false;
	return !(type & PERF_SAMPLE_CODE_PAGE_SIZE) || take_word(cursor, &sample->code_page_size);
}

bool perf_record_sample_tail(const struct event_desc *desc, const uint64_t *at, const uint64_t *end,
			     struct event_sample *ret)
{
	struct cursor cursor = { at, end };

	return take_stacks(&cursor, desc, ret) && take_details(&cursor, desc, ret);
}

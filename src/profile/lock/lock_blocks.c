/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Blocks that locks are in (see lock_blocks.h). Only blocks with a lock's address in them are kept
 * while the samples of all blocks are gone through in order of time. */
#include "profile/lock/lock_blocks.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/map.h"
#include "event/heap_block.h"
#include "profile/lock/lock_samples.h"
#include "profile/lock/lock_table.h"

struct block {
	uint64_t start, size, begin_ns, end_ns; /* end 0 = was not freed */
	uint32_t pid;
	stack_id stack;
};

struct finder {
	struct lock_table *table;
	struct profile *profile;
	VEC(uint32_t) row; /* without a name, by process and address */
	uint64_t *within;  /* by place in `row`: index of the block + 1 that it is in; 0 = none */
	VEC(struct block) block;
	struct map live; /* process and start → index of block + 1; 0 = none */
};

static int compare(const void *a, const void *b, void *context)
{
	const struct lock_row *rows = context;
	const struct lock_row *x = &rows[*(const uint32_t *)a], *y = &rows[*(const uint32_t *)b];

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return x->address < y->address ? -1 : x->address > y->address;
}

static void list_rows(struct finder *f)
{
	for (uint32_t i = 0; i < f->table->row.count; i++) {
		const struct lock_row *row = &f->table->row.item[i];

		if (row->pid && row->name.v == STRING_EMPTY.v)
			vec_push(&f->row, i);
	}
	if (f->row.count)
		qsort_r(f->row.item, f->row.count, sizeof(*f->row.item), compare,
			f->table->row.item);
}

static struct lock_row *row_at(const struct finder *f, size_t i)
{
	return &f->table->row.item[f->row.item[i]];
}

/* The first row of the process at the address or after it. */
static size_t first_row(const struct finder *f, uint32_t pid, uint64_t address)
{
	size_t low = 0, high = f->row.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct lock_row *row = row_at(f, middle);

		if (row->pid < pid || (row->pid == pid && row->address < address))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool is_in(const struct finder *f, size_t i, const struct block *block)
{
	return i < f->row.count && row_at(f, i)->pid == block->pid &&
	       row_at(f, i)->address - block->start < block->size;
}

static uint64_t key_of(uint32_t pid, uint64_t start)
{
	return hash_u64(hash_u64(start) ^ pid);
}

static void end_one(struct finder *f, uint64_t index, uint64_t now_ns)
{
	if (index && !f->block.item[index - 1].end_ns)
		f->block.item[index - 1].end_ns = now_ns;
}

static void end_block(struct finder *f, uint32_t pid, uint64_t start, uint64_t now_ns)
{
	uint64_t index;

	if (map_get(&f->live, key_of(pid, start), &index))
		end_one(f, index, now_ns);
}

/* Blocks in its place are gone, though their end was not seen. */
static void begin_block(struct finder *f, const struct block *block)
{
	size_t first = first_row(f, block->pid, block->start);
	bool wanted = block->start && is_in(f, first, block);

	end_block(f, block->pid, block->start, block->begin_ns);
	if (wanted)
		vec_push(&f->block, *block);
	for (size_t i = first; wanted && is_in(f, i, block); i++) {
		end_one(f, f->within[i], block->begin_ns);
		f->within[i] = f->block.count;
	}
	map_set(&f->live, key_of(block->pid, block->start), wanted ? f->block.count : 0);
}

/* realloc() failed, so the block that ended last lives on. */
static void keep_block(struct finder *f, uint32_t pid, uint64_t start)
{
	uint64_t index;

	if (map_get(&f->live, key_of(pid, start), &index) && index)
		f->block.item[index - 1].end_ns = 0;
}

static void end_all(struct finder *f, uint32_t pid, uint64_t now_ns)
{
	for (size_t i = 0; i < f->block.count; i++)
		if (f->block.item[i].pid == pid && !f->block.item[i].end_ns)
			f->block.item[i].end_ns = now_ns;
}

static void take(struct finder *f, const struct profile_sample *sample)
{
	bool begins = lock_sample_is(f->profile, sample, EVENT_KIND_HEAP_ALLOC);
	uint32_t pid = f->profile->threads.item[sample->thread.v].pid;
	struct heap_block data;

	if ((!begins && !lock_sample_is(f->profile, sample, EVENT_KIND_HEAP_FREE)) ||
	    !lock_words(f->profile, sample, &data, sizeof(data)))
		return;
	if (begins && data.size == HEAP_KEPT)
		keep_block(f, pid, data.address);
	else if (begins)
		begin_block(f, &(struct block){ .start = data.address,
						.size = data.size,
						.begin_ns = sample->time_ns,
						.pid = pid,
						.stack = sample->stack });
	else if (data.size == HEAP_BEGUN)
		end_all(f, pid, sample->time_ns);
	else if (data.size != HEAP_GROWN)
		end_block(f, pid, data.address, sample->time_ns);
}

static const struct frame *frame_of(const struct profile *profile, stack_id stack)
{
	return &profile->frames.item[profile->nodes.item[stack.v].frame.v];
}

/* Functions of languages that allocate for others. */
static bool is_allocator(const char *name)
{
	static const char *const beginnings[] = { "operator new", "std::",   "__gnu_cxx::",
						  "void std::",	  "alloc::", "__rust_",
						  "__rustc",	  "<alloc::" };

	for (size_t i = 0; i < sizeof(beginnings) / sizeof(*beginnings); i++)
		if (strncmp(name, beginnings[i], strlen(beginnings[i])) == 0)
			return true;
	return false;
}

/* The function that allocated it: after those of the library that picks blocks, which are at the
 * leaf, and of languages. */
static const char *site_of(const struct profile *profile, stack_id stack)
{
	uint32_t library = stack.v ? frame_of(profile, stack)->module : 0;
	const char *name = "", *first = NULL;

	while (library && stack.v && frame_of(profile, stack)->module == library)
		stack = profile->nodes.item[stack.v].parent;
	for (; stack.v; stack = profile->nodes.item[stack.v].parent) {
		name = profile_string(profile, frame_of(profile, stack)->function);
		if (!first)
			first = name;
		if (!is_allocator(name))
			return name;
	}
	return first ? first : "";
}

/* During all waits, or while the lock was held. */
static bool was_there(const struct block *block, const struct lock_sum *sum)
{
	return !sum->count || (sum->first_ns >= block->begin_ns &&
			       (!block->end_ns || sum->last_ns <= block->end_ns));
}

static void name_row(const struct finder *f, const struct block *block, struct lock_row *row)
{
	const char *site = site_of(f->profile, block->stack);
	struct buf text = { 0 };

	if (!was_there(block, &row->sum) || !was_there(block, &row->hold))
		return;
	(void)buf_printf(&text, "block of %" PRIu64 " byte%s", block->size,
			 block->size == 1 ? "" : "s");
	if (*site) {
		(void)buf_puts(&text, " from ");
		(void)buf_puts(&text, site);
		if (!strpbrk(site, "([")) /* arguments, or no name */
			(void)buf_puts(&text, "()");
	}
	if (row->address > block->start)
		(void)buf_printf(&text, " +%#" PRIx64, row->address - block->start);
	row->name = strtab_intern(f->profile->strings, text.data, text.len);
	buf_done(&text);
}

void lock_blocks_name(struct lock_table *table, struct profile *profile)
{
	struct finder f = { .table = table, .profile = profile };
	VEC(uint32_t) order = { 0 };

	list_rows(&f);
	f.within = mem_zalloc(f.row.count * sizeof(*f.within) + 1);
	for (uint32_t i = 0; f.row.count && i < profile->samples.count; i++)
		vec_push(&order, i);
	if (order.count)
		profile_order_by_time(profile, order.item, order.count);
	for (size_t i = 0; i < order.count; i++)
		take(&f, &profile->samples.item[order.item[i]]);
	for (size_t i = 0; i < f.block.count; i++)
		for (size_t r = first_row(&f, f.block.item[i].pid, f.block.item[i].start);
		     is_in(&f, r, &f.block.item[i]); r++)
			name_row(&f, &f.block.item[i], row_at(&f, r));
	vec_done(&order);
	vec_done(&f.row);
	vec_done(&f.block);
	map_done(&f.live);
	free(f.within);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Cache lines and who accesses them (see c2c.h). */
#include "profile/c2c/c2c.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/map.h"
#include "profile/c2c/c2c_counts.h"

#define LEAST_SHARE 0.001 /* of what is displayed, for a line to be shown */

struct cpu_of_entry {
	uint32_t entry;
	struct c2c_cpu cpu;
};

struct builder {
	const struct profile *profile;
	struct c2c *c2c;
	struct map line_of, entry_of, cpu_of;
	VEC(struct c2c_line) line;
	VEC(struct c2c_entry) entry;
	VEC(struct cpu_of_entry) cpu;
};

static uint64_t mix(uint64_t a, uint64_t b)
{
	return hash_u64(a) * 31 + b;
}

static uint64_t line_bytes(const struct c2c_options *options)
{
	return options->double_line ? 2 * ACCESS_LINE : ACCESS_LINE;
}

static const struct profile_thread *thread_of(const struct builder *b,
					      const struct profile_sample *sample)
{
	return &b->profile->threads.item[sample->thread.v];
}

/* Memory of one process, unless it is a file's or the kernel's. */
static uint64_t owner_of(const struct builder *b, const struct profile_sample *sample,
			 const struct profile_access *access)
{
	if (access->kind == ACCESS_KERNEL)
		return 0;
	if (access->kind == ACCESS_FILE)
		return (uint64_t)access->module.v << 32;
	return thread_of(b, sample)->pid + 1ull;
}

static uint32_t line_of(struct builder *b, const struct profile_sample *sample,
			const struct profile_access *access)
{
	uint64_t bytes = line_bytes(&b->c2c->options);
	struct c2c_line line = { .address = access->addr / bytes * bytes,
				 .access = (uint32_t)sample->addr };
	bool added;
	uint64_t *index =
		map_add(&b->line_of, mix(owner_of(b, sample, access), line.address), &added);

	if (added) {
		*index = b->line.count;
		vec_push(&b->line, line);
	}
	return (uint32_t)*index;
}

static const struct frame *leaf_of(const struct profile *p, const struct profile_sample *sample)
{
	stack_id leaf = sample->stack;

	while (leaf.v != STACK_EMPTY.v && p->frames.item[p->nodes.item[leaf.v].frame.v].inlined)
		leaf = p->nodes.item[leaf.v].parent;
	return leaf.v == STACK_EMPTY.v ? NULL : &p->frames.item[p->nodes.item[leaf.v].frame.v];
}

static uint32_t entry_of(struct builder *b, uint32_t line, const struct profile_sample *sample,
			 const struct profile_access *access)
{
	const struct frame *frame = leaf_of(b->profile, sample);
	unsigned by = b->c2c->options.coalesce;
	struct c2c_entry entry = { .line = line,
				   .offset = (uint32_t)(access->addr - b->line.item[line].address),
				   .sample = (uint32_t)(sample - b->profile->samples.item) };
	uint64_t key = mix(line, entry.offset);
	uint64_t *index;
	bool added;

	key = mix(key, by & C2C_BY_PID ? thread_of(b, sample)->pid : 0);
	key = mix(key, by & C2C_BY_TID ? thread_of(b, sample)->tid : 0);
	key = mix(key, by & C2C_BY_MODULE && frame ? frame->module : 0);
	key = mix(key, by & C2C_BY_ADDRESS && frame ? frame->pc : 0);
	index = map_add(&b->entry_of, key, &added);
	if (added) {
		*index = b->entry.count;
		vec_push(&b->entry, entry);
	}
	return (uint32_t)*index;
}

static void add_cost(struct c2c_entry *entry, const struct c2c_counts *counts, uint64_t weight)
{
	struct c2c_cost *cost = counts->remote_hitm   ? &entry->remote_hitm
				: counts->local_hitm  ? &entry->local_hitm
				: counts->remote_peer ? &entry->remote_peer
				: counts->local_peer  ? &entry->local_peer
				: counts->load	      ? &entry->load
						      : NULL;

	if (cost) {
		cost->sum += weight;
		cost->count++;
	}
}

static void add_cpu(struct builder *b, uint32_t entry, uint32_t number,
		    const struct c2c_counts *counts)
{
	struct cpu_of_entry cpu = { .entry = entry, .cpu.cpu = number };
	bool added;
	uint64_t *index = map_add(&b->cpu_of, (uint64_t)entry << 32 | number, &added);

	if (added) {
		*index = b->cpu.count;
		vec_push(&b->cpu, cpu);
	}
	b->cpu.item[*index].cpu.displayed += c2c_displayed(counts, b->c2c->options.display);
	b->cpu.item[*index].cpu.stores += counts->store;
}

static void count_phys(uint64_t phys, uint64_t *last, uint64_t *changes)
{
	if (phys && phys != *last)
		(*changes)++;
	*last = phys ? phys : *last;
}

static void add_sample(struct builder *b, const struct profile_sample *sample)
{
	const struct profile_access *access;
	struct c2c_counts counts;
	struct c2c_entry *entry;
	uint32_t line, index;

	if (sample->addr >= b->profile->accesses.count)
		return;
	access = &b->profile->accesses.item[sample->addr];
	c2c_count(access, &counts);
	c2c_counts_add(&b->c2c->all, &counts);
	line = line_of(b, sample, access);
	c2c_counts_add(&b->line.item[line].counts, &counts);
	count_phys(access->phys, &b->line.item[line].phys, &b->line.item[line].phys_changes);
	index = entry_of(b, line, sample, access);
	entry = &b->entry.item[index];
	c2c_counts_add(&entry->counts, &counts);
	count_phys(access->phys, &entry->phys, &entry->phys_changes);
	add_cost(entry, &counts, access->weight);
	add_cpu(b, index, sample->cpu, &counts);
}

static bool is_shown(const struct c2c *c2c, const struct c2c_counts *counts)
{
	uint64_t all = c2c_displayed(&c2c->all, c2c->options.display);
	uint64_t part = c2c_displayed(counts, c2c->options.display);

	return c2c->options.all ? counts->store || part
				: all && (double)part / (double)all >= LEAST_SHARE;
}

static int more_shared(const void *x, const void *y, void *context)
{
	const struct c2c *c2c = context;
	const struct c2c_line *a = x, *b = y;
	uint64_t of_a = c2c_displayed(&a->counts, c2c->options.display);
	uint64_t of_b = c2c_displayed(&b->counts, c2c->options.display);

	if (of_a != of_b)
		return of_a > of_b ? -1 : 1;
	return a->address < b->address ? -1 : a->address > b->address;
}

struct entry_order {
	const struct profile *profile;
	const struct c2c *c2c;
};

static int by_offset(const void *x, const void *y, void *context)
{
	const struct entry_order *order = context;
	const struct c2c_entry *a = x, *b = y;
	const struct profile_sample *samples = order->profile->samples.item;
	const struct frame *of_a = leaf_of(order->profile, &samples[a->sample]);
	const struct frame *of_b = leaf_of(order->profile, &samples[b->sample]);
	uint64_t pc_a = of_a ? of_a->pc : 0, pc_b = of_b ? of_b->pc : 0;
	uint64_t part_a = c2c_displayed(&a->counts, order->c2c->options.display);
	uint64_t part_b = c2c_displayed(&b->counts, order->c2c->options.display);
	bool peer = order->c2c->options.display == C2C_PEER;

	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	if (a->offset != b->offset)
		return a->offset < b->offset ? -1 : 1;
	if (part_a != part_b)
		return part_a > part_b ? -1 : 1;
	if (!peer && c2c_hitm(&a->counts) != c2c_hitm(&b->counts))
		return c2c_hitm(&a->counts) > c2c_hitm(&b->counts) ? -1 : 1;
	if (pc_a != pc_b)
		return pc_a < pc_b ? -1 : 1;
	return a->sample < b->sample ? -1 : a->sample > b->sample;
}

static int by_cpu(const void *x, const void *y)
{
	const struct cpu_of_entry *a = x, *b = y;

	if (a->entry != b->entry)
		return a->entry < b->entry ? -1 : 1;
	return a->cpu.cpu < b->cpu.cpu ? -1 : a->cpu.cpu > b->cpu.cpu;
}

/* Each entry's CPUs, behind one another. */
static void place_cpus(struct builder *b)
{
	if (b->cpu.count)
		qsort(b->cpu.item, b->cpu.count, sizeof(*b->cpu.item), by_cpu);
	for (size_t i = 0; i < b->cpu.count; i++) {
		struct c2c_entry *entry = &b->entry.item[b->cpu.item[i].entry];

		if (!entry->cpu_count++)
			entry->cpu = i;
		vec_push(&b->c2c->cpu, b->cpu.item[i].cpu);
	}
}

/* The lines to show, in order; returns the place of each line + 1, 0 = not shown. */
static uint32_t *place_lines(struct builder *b)
{
	uint32_t *place = mem_zalloc((b->line.count + 1) * sizeof(*place));
	struct c2c *c2c = b->c2c;

	for (size_t i = 0; i < b->line.count; i++) {
		if (c2c_hitm(&b->line.item[i].counts) || c2c_peer(&b->line.item[i].counts)) {
			c2c_counts_add(&c2c->shared, &b->line.item[i].counts);
			c2c->shared_lines++;
		}
		if (is_shown(c2c, &b->line.item[i].counts)) {
			b->line.item[i].entry = i; /* for the way back, below */
			vec_push(&c2c->line, b->line.item[i]);
		}
	}
	if (c2c->line.count)
		qsort_r(c2c->line.item, c2c->line.count, sizeof(*c2c->line.item), more_shared, c2c);
	for (size_t i = 0; i < c2c->line.count; i++) {
		place[c2c->line.item[i].entry] = (uint32_t)i + 1;
		c2c->line.item[i].entry = 0;
	}
	return place;
}

static void place_entries(struct builder *b, const uint32_t *place)
{
	const struct entry_order order = { b->profile, b->c2c };
	struct c2c *c2c = b->c2c;

	for (size_t i = 0; i < b->entry.count; i++) {
		struct c2c_entry entry = b->entry.item[i];

		if (!place[entry.line] ||
		    (!entry.counts.store && !c2c_displayed(&entry.counts, c2c->options.display)))
			continue;
		entry.line = place[entry.line] - 1;
		vec_push(&c2c->entry, entry);
	}
	if (c2c->entry.count)
		qsort_r(c2c->entry.item, c2c->entry.count, sizeof(*c2c->entry.item), by_offset,
			(void *)&order);
	for (size_t i = c2c->entry.count; i-- > 0;) {
		struct c2c_line *line = &c2c->line.item[c2c->entry.item[i].line];

		line->entry = i;
		line->entry_count++;
	}
}

void c2c_sum_up(const struct profile *profile, const struct c2c_options *options, struct c2c *ret)
{
	struct builder b = { .profile = profile, .c2c = ret };
	uint32_t *place;

	*ret = (struct c2c){ .options = *options };
	for (size_t i = 0; i < profile->samples.count; i++)
		add_sample(&b, &profile->samples.item[i]);
	place_cpus(&b);
	place = place_lines(&b);
	place_entries(&b, place);
	free(place);
	map_done(&b.line_of);
	map_done(&b.entry_of);
	map_done(&b.cpu_of);
	vec_done(&b.line);
	vec_done(&b.entry);
	vec_done(&b.cpu);
}

void c2c_done(struct c2c *c2c)
{
	vec_done(&c2c->line);
	vec_done(&c2c->entry);
	vec_done(&c2c->cpu);
}

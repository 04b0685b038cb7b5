/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sums per path and function (see diff_sums.h). A pass adds the weights of one block of time, or of
 * one run, to arrays over all nodes, sums them up to the root and then squares them; memory does
 * not grow with the number of passes. A block has samples in few of many nodes: a bit per node
 * marks them, and the others are skipped. */
#include "profile/diff/diff_sums.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BLOCKS_MIN	  20 /* of time; a block is a second when that makes as many */
#define BLOCKS_MAX	  32
#define LONG_BLOCK	  4 /* blocks */
#define SAMPLES_PER_BLOCK 5
#define BLOCKS_USELESS	  8 /* fewer do not show bursts */
#define NS_PER_S	  1000000000u

/* Weights of one pass. */
struct pass {
	double *node[2], *label[2]; /* inclusive, self; 0 = no weight */
	uint64_t *touched;	    /* a bit per node: it or a node below it has weight */
	double all;
};

struct summer {
	const struct diff_sums_spec *spec;
	struct diff_sums *sums;
	bool *outermost;	 /* by node: no node above it has its label */
	struct pass pass, group; /* a block or a run; a long block, or a run's squares */
};

/* The number of samples that this one represents. */
static double samples_of(const struct diff_run *run, const struct profile_sample *sample)
{
	return run->sample_weight > 0 ? (double)sample->weight / run->sample_weight
				      : (double)sample->count;
}

static double weight_of(const struct summer *s, const struct diff_run *run,
			const struct profile_sample *sample)
{
	return s->spec->runs->by_samples ? samples_of(run, sample)
					 : (double)sample->weight * (double)run->factor;
}

/* Sum of the squared weights of the samples that this one represents. */
static double squares_of(const struct summer *s, const struct diff_run *run,
			 const struct profile_sample *sample)
{
	double weight = weight_of(s, run, sample), count = (double)sample->count;
	double scale = s->spec->runs->scale;

	if (s->spec->runs->by_samples)
		return weight;
	if (run->sample_weight > 0)
		return weight * run->sample_weight * scale;
	if (run->profile->events.item[sample->event].scale > 1 || !sample->count)
		return weight * scale; /* a text without numbers of samples: 1 each */
	return weight * weight / count;
}

#define WORD_BITS 64

static size_t touched_words(const struct summer *s)
{
	return s->spec->tree->nodes.count / WORD_BITS + 1;
}

/* The last touched node before `end`; SIZE_MAX = none. Children come after their parents. */
static size_t touched_before(const struct pass *pass, size_t end)
{
	size_t word = end / WORD_BITS;
	uint64_t bits = pass->touched[word] & ((1ull << end % WORD_BITS) - 1);

	while (!bits && word)
		bits = pass->touched[--word];
	return bits ? word * WORD_BITS + (size_t)(63 - __builtin_clzll(bits)) : SIZE_MAX;
}

#define for_each_touched(s, pass, i)                                                       \
	for (size_t i = touched_before(pass, (s)->spec->tree->nodes.count); i != SIZE_MAX; \
	     i = touched_before(pass, i))

static void add_weight(const struct summer *s, struct pass *pass, uint32_t node, double weight)
{
	const struct call_node *nodes = s->spec->tree->nodes.item;

	pass->node[1][node] += weight;
	pass->all += weight;
	while (!(pass->touched[node / WORD_BITS] >> node % WORD_BITS & 1)) {
		pass->touched[node / WORD_BITS] |= 1ull << node % WORD_BITS;
		node = nodes[node].parent;
	}
}

/* From the leaves to the root, and on to functions. */
static void sum_up(const struct summer *s, struct pass *pass)
{
	const struct call_node *nodes = s->spec->tree->nodes.item;

	for_each_touched(s, pass, i)
	{
		uint32_t label = nodes[i].label;

		pass->node[0][i] += pass->node[1][i];
		if (!i)
			break;
		pass->node[0][nodes[i].parent] += pass->node[0][i];
		pass->label[1][label] += pass->node[1][i];
		if (s->outermost[i])
			pass->label[0][label] += pass->node[0][i];
	}
}

static void clear_pass(const struct summer *s, struct pass *pass)
{
	for_each_touched(s, pass, i) pass->node[0][i] = pass->node[1][i] = 0;
	for (int self = 0; self < 2; self++)
		memset(pass->label[self], 0, s->spec->labels * sizeof(double));
	memset(pass->touched, 0, touched_words(s) * sizeof(*pass->touched));
	pass->all = 0;
}

static void take_block(double all, double weight, struct share_sums *sums)
{
	sums->block_squares += weight * weight;
	sums->block_cross += weight * all;
}

static void take_long(double all, double weight, struct share_sums *sums)
{
	sums->long_squares += weight * weight;
	sums->long_cross += weight * all;
}

static void take_run(double unit, double weight, struct share_sums *sums)
{
	double share = weight / unit;

	sums->run_shares += share;
	sums->run_squares += share * share;
}

static void take_weight(double unused, double weight, struct share_sums *sums)
{
	(void)unused;
	sums->weight += weight;
}

static void take_squares(double unused, double weight, struct share_sums *sums)
{
	(void)unused;
	sums->squares += weight;
}

typedef void take_fn(double scale, double weight, struct share_sums *sums);

static void take(struct summer *s, const struct pass *pass, double scale, take_fn *how)
{
	for_each_touched(s, pass, i)
	{
		how(scale, pass->node[0][i], &s->sums->node[0][i]);
		how(scale, pass->node[1][i], &s->sums->node[1][i]);
	}
	for (int self = 0; self < 2; self++)
		for (size_t i = 0; i < s->spec->labels; i++)
			how(scale, pass->label[self][i], &s->sums->label[self][i]);
}

static void add_to_group(struct summer *s)
{
	for_each_touched(s, &s->pass, i)
	{
		s->group.node[0][i] += s->pass.node[0][i];
		s->group.node[1][i] += s->pass.node[1][i];
	}
	for (size_t i = 0; i < touched_words(s); i++)
		s->group.touched[i] |= s->pass.touched[i];
	for (int self = 0; self < 2; self++)
		for (size_t i = 0; i < s->spec->labels; i++)
			s->group.label[self][i] += s->pass.label[self][i];
	s->group.all += s->pass.all;
}

/* Samples of a run by block of time. */
struct blocks {
	uint32_t *order; /* indexes of samples, block by block */
	size_t *start;	 /* by block, and one past the last */
	size_t count;
};

static bool is_picked(const struct diff_run *run, const struct profile_sample *sample)
{
	return run->events[sample->event];
}

/* The number of blocks for a run of that length and number of samples; 0 = too few samples for
 * blocks. */
static size_t block_count(uint64_t duration_ns, size_t samples)
{
	size_t count = (size_t)(duration_ns / NS_PER_S);

	if (!duration_ns)
		return 0;
	count = count < BLOCKS_MIN ? BLOCKS_MIN : count > BLOCKS_MAX ? BLOCKS_MAX : count;
	if (count > samples / SAMPLES_PER_BLOCK)
		count = samples / SAMPLES_PER_BLOCK;
	return count < BLOCKS_USELESS ? 0 : count - count % LONG_BLOCK;
}

/* The time range of a run's samples; false if there are none. */
static bool find_times(const struct diff_run *run, uint64_t *ret_first, uint64_t *ret_last,
		       size_t *ret_samples)
{
	const struct profile *p = run->profile;

	*ret_first = UINT64_MAX;
	*ret_last = *ret_samples = 0;
	for (size_t i = 0; i < p->samples.count; i++) {
		const struct profile_sample *s = &p->samples.item[i];

		if (!is_picked(run, s))
			continue;
		*ret_first = s->time_ns < *ret_first ? s->time_ns : *ret_first;
		*ret_last = s->time_ns > *ret_last ? s->time_ns : *ret_last;
		++*ret_samples;
	}
	return *ret_samples > 0;
}

static uint8_t block_at(uint64_t at, uint64_t duration, size_t count)
{
	static_assert(BLOCKS_MAX <= UINT8_MAX, "block numbers fit into bytes");
	if (duration < UINT64_MAX / BLOCKS_MAX)
		return (uint8_t)(at * count / (duration + 1));
	return (uint8_t)((unsigned __int128)at * count / ((unsigned __int128)duration + 1));
}

static void make_blocks(const struct diff_run *run, struct blocks *ret)
{
	const struct profile *p = run->profile;
	size_t samples, *next;
	uint64_t first, last;
	uint8_t *block;

	*ret = (struct blocks){ 0 };
	if (!(p->keep & PROFILE_KEEP_TIME) || !find_times(run, &first, &last, &samples))
		return;
	ret->count = block_count(last - first, samples);
	if (!ret->count)
		return;
	ret->start = mem_zalloc((ret->count + 2) * sizeof(*ret->start));
	ret->order = mem_alloc(samples * sizeof(*ret->order));
	block = mem_alloc(p->samples.count);
	next = ret->start + 1; /* counting sort: counts, then places */
	for (size_t i = 0; i < p->samples.count; i++) {
		const struct profile_sample *s = &p->samples.item[i];

		if (!is_picked(run, s))
			continue;
		block[i] = block_at(s->time_ns - first, last - first, ret->count);
		next[block[i] + 1]++;
	}
	for (size_t i = 0; i < ret->count; i++)
		next[i + 1] += next[i];
	for (size_t i = 0; i < p->samples.count; i++)
		if (is_picked(run, &p->samples.item[i]))
			ret->order[next[block[i]]++] = (uint32_t)i;
	free(block);
}

static void add_blocks(struct summer *s, const struct diff_run *run)
{
	struct blocks blocks;

	make_blocks(run, &blocks);
	for (size_t block = 0; block < blocks.count; block++) {
		clear_pass(s, &s->pass);
		for (size_t i = blocks.start[block]; i < blocks.start[block + 1]; i++) {
			uint32_t at = blocks.order[i];

			add_weight(s, &s->pass, run->node_of_sample[at],
				   weight_of(s, run, &run->profile->samples.item[at]));
		}
		sum_up(s, &s->pass);
		take(s, &s->pass, s->pass.all, take_block);
		s->sums->side.block_squares += s->pass.all * s->pass.all;
		if (block % LONG_BLOCK == 0)
			clear_pass(s, &s->group);
		add_to_group(s);
		if (block % LONG_BLOCK != LONG_BLOCK - 1)
			continue;
		take(s, &s->group, s->group.all, take_long);
		s->sums->side.long_squares += s->group.all * s->group.all;
	}
	s->sums->side.blocks = (unsigned int)blocks.count;
	s->sums->side.long_blocks = (unsigned int)(blocks.count / LONG_BLOCK);
	free(blocks.order);
	free(blocks.start);
}

/* All samples of a run: weights in s->pass, their squares in s->group. */
static void add_run(struct summer *s, const struct diff_run *run)
{
	const struct profile *p = run->profile;
	double samples = 0;

	clear_pass(s, &s->pass);
	clear_pass(s, &s->group);
	for (size_t i = 0; i < p->samples.count; i++) {
		const struct profile_sample *sample = &p->samples.item[i];
		uint32_t node = run->node_of_sample[i];

		if (!is_picked(run, sample))
			continue;
		add_weight(s, &s->pass, node, weight_of(s, run, sample));
		add_weight(s, &s->group, node, squares_of(s, run, sample));
		samples += samples_of(run, sample);
		s->sums->raw_weight += sample->weight * run->factor;
		s->sums->weight[1][node] += s->spec->runs->by_samples
						    ? (uint64_t)llround(samples_of(run, sample))
						    : sample->weight * run->factor;
	}
	s->sums->samples += (uint64_t)llround(samples);
	sum_up(s, &s->pass);
	s->sums->side.weight += s->pass.all;
	take(s, &s->pass, 0, take_weight);
	if (s->pass.all > 0)
		take(s, &s->pass, s->spec->run_unit > 0 ? s->spec->run_unit : s->pass.all,
		     take_run);
	sum_up(s, &s->group);
	s->sums->side.squares += s->group.all;
	if (s->pass.all > 0)
		s->sums->side.run_scatter += s->group.all / (s->pass.all * s->pass.all);
	take(s, &s->group, 0, take_squares);
}

/* Marks nodes that are not below another node of the same name. */
static bool *find_outermost(const struct call_tree *tree, size_t labels)
{
	const struct call_node *nodes = tree->nodes.item;
	bool *outermost = mem_zalloc(tree->nodes.count);
	uint32_t *open = mem_zalloc((labels + 1) * sizeof(*open));
	uint32_t at = nodes[0].first_child;

	while (at) {
		outermost[at] = open[nodes[at].label]++ == 0;
		if (nodes[at].first_child) {
			at = nodes[at].first_child;
			continue;
		}
		while (at && !nodes[at].next_sibling) {
			open[nodes[at].label]--;
			at = nodes[at].parent;
		}
		if (at) {
			open[nodes[at].label]--;
			at = nodes[at].next_sibling;
		}
	}
	free(open);
	return outermost;
}

static void pass_init(const struct summer *s, struct pass *pass)
{
	for (int self = 0; self < 2; self++) {
		pass->node[self] = mem_zalloc(s->spec->tree->nodes.count * sizeof(double));
		pass->label[self] = mem_zalloc((s->spec->labels + 1) * sizeof(double));
	}
	pass->touched = mem_zalloc(touched_words(s) * sizeof(*pass->touched));
}

static void pass_done(struct pass *pass)
{
	for (int self = 0; self < 2; self++) {
		free(pass->node[self]);
		free(pass->label[self]);
	}
	free(pass->touched);
}

void diff_sums_make(const struct diff_sums_spec *spec, struct diff_sums *ret)
{
	size_t nodes = spec->tree->nodes.count;
	struct summer s = { .spec = spec, .sums = ret };
	const struct diff_run *run = spec->runs->run[spec->side];
	size_t runs = spec->runs->count[spec->side];

	*ret = (struct diff_sums){ .side.runs = (unsigned int)runs };
	for (int self = 0; self < 2; self++) {
		ret->weight[self] = mem_zalloc(nodes * sizeof(**ret->weight));
		ret->node[self] = mem_zalloc(nodes * sizeof(**ret->node));
		ret->label[self] = mem_zalloc((spec->labels + 1) * sizeof(**ret->label));
	}
	pass_init(&s, &s.pass);
	pass_init(&s, &s.group);
	s.outermost = find_outermost(spec->tree, spec->labels);
	for (size_t i = 0; i < runs; i++)
		add_run(&s, &run[i]);
	if (runs == 1)
		add_blocks(&s, &run[0]);
	memcpy(ret->weight[0], ret->weight[1], nodes * sizeof(**ret->weight));
	for (size_t i = nodes; i-- > 1;)
		ret->weight[0][spec->tree->nodes.item[i].parent] += ret->weight[0][i];
	ret->side.unit = ret->side.weight;
	pass_done(&s.pass);
	pass_done(&s.group);
	free(s.outermost);
}

void diff_sums_done(struct diff_sums *sums)
{
	for (int self = 0; self < 2; self++) {
		free(sums->weight[self]);
		free(sums->node[self]);
		free(sums->label[self]);
	}
	*sums = (struct diff_sums){ 0 };
}

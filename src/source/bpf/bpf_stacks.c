/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tree of stacks (see bpf_stacks.h). Nodes are never freed one by one: a tree that has grown
 * large becomes the old one and an empty one takes its place, while the kernel part's table is
 * cleared. What is on its way still refers to the old tree, so that lives on for some rounds. */
#include "source/bpf/bpf_stacks.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/map.h"
#include "base/vec.h"
#include "bpf/cpu.h"
#include "event/desc.h"
#include "event/event.h"
#include "event/stop.h"
#include "source/arch.h"

#define TREE_NODES  (1u << 18) /* default: 20 MB with the map */
#define OLD_ROUNDS  4	       /* that an old tree is kept for */
#define MAX_TRIES   3	       /* rounds that a sample waits for its base */
#define RING_HEADER 8	       /* BPF_RINGBUF_HDR_SZ */
#define CHAIN_WORDS (2 * CPU_FRAMES)

struct node {
	uint64_t name, pc;
	uint32_t parent; /* index; a root is its own */
	uint32_t stop;	 /* of a root */
};

struct tree {
	VEC(struct node) node;
	struct map by_name;
};

/* A record with a base that has not arrived yet. */
struct waiting {
	size_t at, len; /* in held */
	int cpu;
	unsigned tries;
};

struct bpf_stacks {
	struct bpf_stacks_options options;
	struct tree tree, old;
	unsigned old_rounds; /* left */
	VEC(struct waiting) waiting;
	struct buf held;
	struct bpf_stacks_stats stats;
	uint64_t chain[CHAIN_WORDS];
};

static uint32_t tree_add(struct tree *tree, const struct node *node)
{
	bool added;
	uint64_t *place = map_add(&tree->by_name, node->name, &added);

	if (added) {
		*place = tree->node.count;
		vec_push(&tree->node, *node);
	}
	return (uint32_t)*place;
}

static void tree_open(struct tree *tree, uint64_t seed)
{
	*tree = (struct tree){ 0 };
	for (uint32_t stop = 0; stop < STACK_STOP_COUNT; stop++) {
		const struct node root = { .name = cpu_node_root(seed, stop),
					   .parent = stop,
					   .stop = stop };

		(void)tree_add(tree, &root);
	}
}

static void tree_done(struct tree *tree)
{
	vec_done(&tree->node);
	map_done(&tree->by_name);
}

struct bpf_stacks *bpf_stacks_new(const struct bpf_stacks_options *options)
{
	struct bpf_stacks *stacks = mem_zalloc(sizeof(*stacks));

	stacks->options = *options;
	if (!options->max_nodes)
		stacks->options.max_nodes = TREE_NODES;
	tree_open(&stacks->tree, options->seed);
	return stacks;
}

void bpf_stacks_free(struct bpf_stacks *stacks)
{
	if (!stacks)
		return;
	tree_done(&stacks->tree);
	tree_done(&stacks->old);
	vec_done(&stacks->waiting);
	buf_done(&stacks->held);
	free(stacks);
}

static bool is_root(const struct tree *tree, uint32_t index)
{
	return tree->node.item[index].parent == index;
}

/* Brings a node of the old tree, with its callers, into the new one. */
static uint32_t move_path(struct bpf_stacks *stacks, uint32_t index)
{
	const struct tree *old = &stacks->old;
	uint32_t path[CPU_FRAMES], count = 0, parent;

	for (; !is_root(old, index) && count < CPU_FRAMES; index = old->node.item[index].parent)
		path[count++] = index;
	parent = index; /* roots come first and in the same order */
	while (count--) {
		struct node node = old->node.item[path[count]];

		node.parent = parent;
		parent = tree_add(&stacks->tree, &node);
	}
	return parent;
}

static bool find_node(struct bpf_stacks *stacks, uint64_t name, uint32_t *ret)
{
	uint64_t index;

	if (map_get(&stacks->tree.by_name, name, &index)) {
		*ret = (uint32_t)index;
		return true;
	}
	if (!map_get(&stacks->old.by_name, name, &index))
		return false;
	*ret = move_path(stacks, (uint32_t)index);
	return true;
}

static void renew(struct bpf_stacks *stacks)
{
	if (stacks->old_rounds && --stacks->old_rounds == 0) {
		tree_done(&stacks->old);
		stacks->old = (struct tree){ 0 };
	}
	if (stacks->tree.node.count < stacks->options.max_nodes || stacks->old_rounds)
		return;
	stacks->old = stacks->tree;
	stacks->old_rounds = OLD_ROUNDS;
	tree_open(&stacks->tree, stacks->options.seed);
	if (stacks->options.seen)
		memset(stacks->options.seen, 0, sizeof(uint64_t) << CPU_SEEN_BITS);
}

/* Hangs frames, leaf first, from a node; returns the leaf's. */
static uint32_t hang(struct tree *tree, uint32_t parent, const uint64_t *frame, size_t count)
{
	while (count--) {
		struct node node = { .pc = frame[count], .parent = parent };

		node.name = cpu_node_child(tree->node.item[parent].name, node.pc);
		parent = tree_add(tree, &node);
	}
	return parent;
}

static bool is_kernel_pc(uint64_t pc)
{
	/* The vsyscall page is the one place up there where user code runs. */
	return pc >> 63 && (pc & ~4095ull) != 0xffffffffff600000ull;
}

/* The node's stack as a call chain with markers; its length. */
static uint32_t put_chain(struct bpf_stacks *stacks, uint32_t index)
{
	const struct tree *tree = &stacks->tree;
	uint64_t *chain = stacks->chain, mode = 0;
	uint32_t len = 0, steps = 0;

	for (; !is_root(tree, index) && steps < CPU_FRAMES; steps++) {
		const struct node *node = &tree->node.item[index];
		uint64_t context = mode != (uint64_t)PERF_CONTEXT_USER && is_kernel_pc(node->pc)
					   ? PERF_CONTEXT_KERNEL
					   : PERF_CONTEXT_USER;

		if (mode != context)
			chain[len++] = mode = context;
		chain[len++] = node->pc;
		index = node->parent;
	}
	if (mode == (uint64_t)PERF_CONTEXT_USER && is_root(tree, index))
		len += stack_stop_put((enum stack_stop)tree->node.item[index].stop, chain + len);
	return len;
}

static void fill_event(const struct bpf_stacks *stacks, int cpu, const struct cpu_sample *head,
		       struct event *ret)
{
	*ret = (struct event){
		.type = EVENT_SAMPLE,
		.misc = head->flags & CPU_IN_KERNEL ? PERF_RECORD_MISC_KERNEL
						    : PERF_RECORD_MISC_USER,
		.pid = head->pid,
		.tid = head->tid,
		.cpu = (uint32_t)cpu,
		.has_time = true,
		.time_ns = head->time_ns,
		.desc = stacks->options.events->desc.item[0],
		.sample = { .period = head->period },
	};
}

static void set_id(const struct bpf_stacks *stacks, uint64_t id, struct event *event)
{
	const struct event_desc *desc = event_set_find(stacks->options.events, id);

	event->id = id;
	if (desc)
		event->desc = desc;
}

/* Finds it in the first of so many words. Returns the words that it takes; 0 = it is not whole. */
static size_t take_payload(const uint64_t *word, size_t words, struct event_sample *ret)
{
	size_t most = words ? (words - 1) * sizeof(*word) : 0;

	if (!words || *word > most || *word > CPU_PAYLOAD_WORDS * sizeof(*word))
		return 0;
	ret->raw = word + 1;
	ret->raw_len = (uint32_t)*word;
	return 1 + (*word + sizeof(*word) - 1) / sizeof(*word);
}

/* 1: its base is not known yet. */
static int take_walked(struct bpf_stacks *stacks, const struct cpu_sample *head, size_t words,
		       struct event *ret)
{
	const struct bpf_stacks_options *options = &stacks->options;
	const uint64_t *word = (const uint64_t *)(head + 1), *extra = word + head->frames;
	bool long_period = head->period == UINT32_MAX;
	size_t before =
		(size_t)head->frames + options->many_events + long_period + options->with_ip;
	size_t behind = 0;
	uint32_t index;

	if (options->with_payload && words > before)
		behind = take_payload(word + before, words - before, &ret->sample);
	if (words != before + behind || (options->with_payload && !behind))
		return -EINVAL;
	if (!find_node(stacks, head->base, &index))
		return 1;
	index = hang(&stacks->tree, index, word, head->frames);
	if (options->many_events)
		set_id(stacks, *extra++, ret);
	if (long_period)
		ret->sample.period = *extra++;
	ret->sample.chain = stacks->chain;
	ret->sample.chain_len = put_chain(stacks, index);
	if (options->with_ip)
		ret->sample.ip = *extra;
	else if (ret->sample.chain_len > 1)
		ret->sample.ip = stacks->chain[1];
	return 0;
}

/* 1: its base is not known yet. */
static int take_definition(struct bpf_stacks *stacks, const struct cpu_sample *head, size_t words)
{
	uint32_t index;

	if (words != head->frames)
		return -EINVAL;
	if (!find_node(stacks, head->base, &index))
		return 1;
	(void)hang(&stacks->tree, index, (const uint64_t *)(head + 1), head->frames);
	return 0;
}

static int take_raw(struct bpf_stacks *stacks, const struct cpu_sample *head, size_t bytes,
		    struct event *ret)
{
	const struct cpu_raw *raw = (const void *)(head + 1);
	struct event_sample *sample = &ret->sample;
	const uint64_t *frame = (const uint64_t *)(raw + 1);
	uint32_t kernel = head->frames, len = 0;
	size_t before = sizeof(*raw) + kernel * sizeof(*frame), behind = 0;

	if (kernel > CPU_KERNEL_FRAMES || bytes < before)
		return -EINVAL;
	if (stacks->options.with_payload) {
		behind = take_payload(frame + kernel, (bytes - before) / sizeof(*frame), sample);
		if (!behind)
			return -EINVAL;
	}
	if (stacks->options.many_events)
		set_id(stacks, raw->id, ret);
	if (kernel) {
		stacks->chain[len++] = PERF_CONTEXT_KERNEL;
		memcpy(stacks->chain + len, frame, kernel * sizeof(*frame));
		len += kernel;
	}
	sample->ip = raw->ip;
	sample->period = raw->period;
	sample->chain = stacks->chain;
	sample->chain_len = len;
	sample->user_abi = PERF_SAMPLE_REGS_ABI_64;
	sample->user_mask = sample_registers_unwind;
	sample->user_regs = (const uint64_t *)raw->reg;
	sample->user_in_syscall = head->flags & CPU_IN_SYSCALL;
	sample->stack = (const uint8_t *)(frame + kernel + behind);
	sample->stack_skip = raw->stack_skip;
	sample->stack_fault = raw->fault;
	sample->stack_len = bytes - before - behind * sizeof(*frame);
	return 0;
}

/* In the words for loads and stores. Half a microsecond and more is one. */
static void put_fault(uint64_t what, uint64_t ns, struct event_sample *sample)
{
	union perf_mem_data_src src = { .val = sample_fault_source((uint16_t)what) };
	uint64_t order = what >> CPU_FAULT_ORDER_SHIFT & CPU_FAULT_ORDER_MASK;

	if (what & CPU_FAULT_SWAP)
		src.mem_lvl = PERF_MEM_LVL_HIT | PERF_MEM_LVL_IO;
	sample->data_src = src.val;
	sample->data_page_size = order ? (uint64_t)sysconf(_SC_PAGESIZE) << order : 0;
	sample->weight = (ns + 500) / 1000;
}

static int put_addr(struct event_sample *sample)
{
	uint64_t word[3] = { 0 };

	if (sample->raw_len != sizeof(word) && sample->raw_len != sizeof(word[0]))
		return -EINVAL;
	memcpy(word, sample->raw, sample->raw_len);
	sample->addr = word[0];
	if (word[1] & CPU_FAULT_KNOWN)
		put_fault(word[1], word[2], sample);
	sample->raw = NULL;
	sample->raw_len = 0;
	return 0;
}

/* 1: its base is not known yet. */
static int take_record(struct bpf_stacks *stacks, const struct bpf_stacks_record *record,
		       struct sink *sink, struct err *err)
{
	const struct cpu_sample *head = record->data;
	size_t rest = record->len - sizeof(*head);
	struct event event;
	int code;

	if (record->len < sizeof(*head))
		return err_set(err, -EINVAL, "sample of %zu bytes from the kernel", record->len);
	fill_event(stacks, record->cpu, head, &event);
	if (head->kind == CPU_RAW)
		code = take_raw(stacks, head, rest, &event);
	else if (head->kind == CPU_DEFINE)
		code = take_definition(stacks, head, rest / sizeof(uint64_t));
	else
		code = take_walked(stacks, head, rest / sizeof(uint64_t), &event);
	if (!code && head->kind != CPU_DEFINE && stacks->options.payload_is_addr)
		code = put_addr(&event.sample);
	if (code < 0)
		return err_set(err, code, "sample of %zu bytes from the kernel", record->len);
	if (code || head->kind == CPU_DEFINE)
		return code;
	stacks->stats.samples++;
	return sink->event(sink, &event, err);
}

int bpf_stacks_take(struct bpf_stacks *stacks, const struct bpf_stacks_record *record,
		    struct sink *sink, struct err *err)
{
	int code = take_record(stacks, record, sink, err);

	stacks->stats.bytes += ((record->len + 7) & ~(size_t)7) + RING_HEADER;
	if (code <= 0)
		return code;
	vec_push(&stacks->waiting,
		 ((struct waiting){
			 .at = stacks->held.len, .len = record->len, .cpu = record->cpu }));
	return buf_append(&stacks->held, record->data, record->len);
}

/* Keeps what is still waiting. */
static void wait_on(struct bpf_stacks *stacks, struct waiting waiting, const void *data)
{
	if (++waiting.tries == MAX_TRIES) {
		stacks->stats.unresolved++;
		return;
	}
	waiting.at = stacks->held.len;
	(void)buf_append(&stacks->held, data, waiting.len); /* it did fit before */
	vec_push(&stacks->waiting, waiting);
}

int bpf_stacks_round(struct bpf_stacks *stacks, struct sink *sink, struct err *err)
{
	struct buf held = stacks->held;
	size_t count = stacks->waiting.count;
	int code = 0;

	stacks->held = (struct buf){ 0 };
	for (size_t i = 0; i < count && code >= 0; i++) {
		struct waiting waiting = stacks->waiting.item[i];
		struct bpf_stacks_record record = { waiting.cpu, held.data + waiting.at,
						    waiting.len };

		code = take_record(stacks, &record, sink, err);
		if (code > 0)
			wait_on(stacks, waiting, record.data);
	}
	stacks->waiting.count -= count;
	if (stacks->waiting.count)
		memmove(stacks->waiting.item, stacks->waiting.item + count,
			stacks->waiting.count * sizeof(*stacks->waiting.item));
	buf_done(&held);
	renew(stacks);
	return code < 0 ? code : 0;
}

const struct bpf_stacks_stats *bpf_stacks_stats(const struct bpf_stacks *stacks)
{
	return &stacks->stats;
}

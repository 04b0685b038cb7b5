/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From what is known before each instruction to rows (see code_rules.h). */
#include "unwind/bare/code_rules.h"

#include <string.h>

#include "base/arena.h"
#include "proc/elf_file.h"
#include "unwind/bare/code_flow.h"
#include "unwind/table_private.h"

static const struct unwind_rule no_rule = { .cfa = UNWIND_FP };

static struct unwind_rule rule_of(struct code_flow *flow, uint32_t at)
{
	uint32_t group;

	if (flow->state[at] < FLOW_STATES)
		return no_rule;
	group = code_flow_group(flow, flow->owner[at]);
	if (flow->units.item[group].bad)
		return no_rule;
	return code_state_rule(&flow->states.item[flow->state[at] - FLOW_STATES]);
}

static void add_row(struct code_rules *rules, uint64_t start, struct unwind_rule rule)
{
	if (rules->rows.count && !memcmp(&vec_last(&rules->rows)->rule, &rule, sizeof(rule)))
		return;
	vec_push(&rules->rows, ((struct code_row){ start, rule }));
}

/* The end of the padding that was not followed. */
static uint32_t skip_padding(const struct code_flow *flow, const struct flow_gap *gap, uint32_t at)
{
	struct arch_code code = { .start = gap->code, .end = gap->code + gap->len };
	size_t len = 1;

	while (len && at < gap->first + gap->len && flow->state[at] == FLOW_UNSEEN) {
		code.at = gap->code + (at - gap->first);
		len = arch_padding(&code);
		at += (uint32_t)len;
	}
	return at;
}

/* Padding between functions goes with the code before it, so that it takes no rows. */
static void add_gap(struct code_rules *rules, struct code_flow *flow, const struct flow_gap *gap)
{
	uint32_t end = gap->first + gap->len, at = gap->first;

	while (at < end) {
		uint64_t addr = gap->addr + (at - gap->first);
		uint32_t next = skip_padding(flow, gap, at);

		if (next < end && flow->state[next] == FLOW_UNSEEN) {
			add_row(rules, addr, no_rule);
			at = next + 1;
			continue;
		}
		at = next;
		if (at < end)
			add_row(rules, gap->addr + (at - gap->first), rule_of(flow, at));
		for (at++; at < end && flow->state[at] == FLOW_INSIDE;)
			at++;
	}
	add_row(rules, gap->addr + gap->len, no_rule);
}

struct code_rules *code_rules_new(const struct unwind_table *table)
{
	struct code_rules *ret = mem_zalloc(sizeof(*ret));
	struct code_starts starts;
	struct code_flow flow;

	if (table->is_go)
		return ret;
	code_starts_find(table, &starts);
	if (code_flow_open(table, &starts, &flow)) {
		code_flow_run(&flow, table->bare_entry ? table->elf->entry : 0);
		code_flow_try_rest(&flow);
		code_flow_confirm(&flow);
		for (size_t i = 0; i < flow.gaps.count; i++)
			add_gap(ret, &flow, &flow.gaps.item[i]);
		code_flow_close(&flow);
	}
	code_starts_done(&starts);
	vec_trim(&ret->rows);
	return ret;
}

void code_rules_free(struct code_rules *rules)
{
	if (!rules)
		return;
	vec_done(&rules->rows);
	free(rules);
}

size_t code_rules_find(const struct code_rules *rules, uint64_t addr)
{
	size_t low = 0, high = rules->rows.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (rules->rows.item[middle].start <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? low - 1 : rules->rows.count;
}

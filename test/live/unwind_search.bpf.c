/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Looks up rules in the kernel with the search of bpf/walk/unwind_lookup.h. */
#include "unwind_search.h"

#define UNWIND_CONTEXT struct unwind_question
#include "bpf/walk/unwind_maps.bpf.h"

#include "bpf/walk/unwind_lookup.h"

char LICENSE[] SEC("license") = "GPL";

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, UNWIND_QUESTIONS);
	__uint(map_flags, BPF_F_MMAPABLE);
	__type(key, uint32_t);
	__type(value, struct unwind_question);
} questions SEC(".maps");

static long answer(uint32_t index, void *context)
{
	struct unwind_question *question = bpf_map_lookup_elem(&questions, &index);
	const struct unwind_space *space;
	struct unwind_range range;
	struct unwind_rule rule;

	(void)context;
	if (!question)
		return 1;
	question->answer = UNWIND_ANSWER_NO_SPACE;
	space = unwind_space_of(question->tgid);
	if (!space)
		return 0;
	question->answer = UNWIND_ANSWER_NO_RANGE;
	if (!unwind_find_range(question, UNWIND_LOAD(space->where), question->pc, &range))
		return 0;
	question->answer = UNWIND_ANSWER_NO_TABLE;
	if (!unwind_find_rule(question, &range, question->pc, question->returns, &rule))
		return 0;
	question->rule = rule;
	question->answer = UNWIND_ANSWER_RULE;
	return 0;
}

SEC("raw_tp/sys_enter")
int unwind_search(void *context)
{
	(void)context;
	bpf_loop(UNWIND_QUESTIONS, answer, NULL, 0);
	return 0;
}

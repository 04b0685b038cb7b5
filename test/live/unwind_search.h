/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Requests of unwind_search.c and results of unwind_search.bpf.c. */
#ifndef TEST_LIVE_UNWIND_SEARCH_H
#define TEST_LIVE_UNWIND_SEARCH_H

#include <stdint.h>

#include "unwind/rule.h"

#define UNWIND_QUESTIONS 4096u

enum unwind_answer {
	UNWIND_ANSWER_NO_SPACE = 1,
	UNWIND_ANSWER_NO_RANGE,
	UNWIND_ANSWER_NO_TABLE,
	UNWIND_ANSWER_RULE,
};

struct unwind_question {
	uint64_t pc;
	uint32_t tgid, returns;
	struct unwind_rule rule; /* result */
	uint32_t answer;
	uint32_t unused;
};

#endif
